package commerce_test

import (
	"testing"
	"time"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/orders"
)

// Orders of shops that keep what makes no sense, such as a refund of less than nothing, are taken over, again and again: one of them must
// not keep those behind it out. What is stored of them adds up.
func TestOrdersThatMakeNoSense(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		for name, c := range map[string]struct {
			change func(*connector.Order)
			left   int64 // reserved of SKU-0
		}{
			"a refund of less than nothing": {func(o *connector.Order) {
				o.Refunds = []connector.Refund{{ExternalID: "1", Amount: -5000, Lines: []connector.RefundLine{{ExternalLine: "a", Quantity: 1}}}}
			}, 2},
			"a refund of less than no pieces": {func(o *connector.Order) {
				o.Refunds = []connector.Refund{{ExternalID: "1", Amount: 5000, Lines: []connector.RefundLine{{ExternalLine: "a", Quantity: -1}}}}
			}, 2},
			"a refund of more than there is": {func(o *connector.Order) {
				o.Refunds = []connector.Refund{{ExternalID: "1", Amount: 5000, Lines: []connector.RefundLine{{ExternalLine: "a", Quantity: 1 << 40}}}}
			}, 0},
			"two lines of one id":  {func(o *connector.Order) { o.Lines[1].ExternalID = "a" }, 2},
			"fewer than no pieces": {func(o *connector.Order) { o.Lines[0].Quantity = -3 }, 1},
		} {
			t.Run(name, func(t *testing.T) {
				p := newPlatform(t, store, 1)
				for range 3 {
					in := p.order("processing", orders.Processing)
					in.Lines[2].Amount, in.Total = in.Lines[2].Amount+100*money.Amount(p.minute), in.Total+100*money.Amount(p.minute)
					c.change(&in)
					o, _ := p.receive(t, in)
					p.holds(t, o, orders.Processing, c.left, orders.UnknownSKU)
				}
			})
		}
	})
}

// Merchants type blanks behind a SKU on a platform, and do not see them: a line is of the product with the SKU without them.
func TestSKUsWithBlanksOnAPlatform(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.place("A", "B")
		s.platform.orders[0].Lines[0].SKU = " SKU-0\u00a0"
		*s.clock = s.clock.Add(time.Hour)
		s.work()
		if n := s.count("SELECT count(*) FROM order_lines WHERE tenant_id = $1 AND sku = 'SKU-0' AND product_id IS NOT NULL"); n != 2 {
			t.Errorf("%d lines have their product", n)
		}
	})
}
