package commerce_test

import (
	"slices"
	"testing"

	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/orders"
)

// A platform's line keeps its amount, and a line without a SKU its place, when other lines are edited.
func TestEditLinesOfAPlatform(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPlatform(t, store, 1)
		in := p.order("processing", orders.Processing)
		in.Lines[1].Quantity = 300 // 0.0333 each, which would come to 9.99
		received, _ := p.receive(t, in)
		edit := func(mug int64) *orders.Order {
			t.Helper()
			lines := make([]orders.LineDraft, len(received.Lines))
			for i, l := range received.Lines {
				lines[i] = orders.LineDraft{ID: l.ID, SKU: l.SKU, Quantity: l.Quantity, UnitPrice: l.UnitPrice}
			}
			lines[0].Quantity = mug
			if err := p.change(t, received.ID, func(tx *db.Tx, o *orders.Order) error {
				_, err := p.do.EditOrder(tx, p.who, o.ID, commerce.Expected{}, commerce.Edit{Lines: lines, TaxAmount: o.TaxAmount})
				return err
			}); err != nil {
				t.Fatal(err)
			}
			return p.read(t, received.ID)
		}
		before := len(p.events(t))
		if same := edit(2); !slices.Equal(same.Lines, received.Lines) || same.Total != received.Total || len(p.events(t)) != before {
			t.Errorf("the lines as they were made %+v of %+v", same, received)
		}
		more := edit(3)
		if pen, wrap := more.Lines[1], more.Lines[2]; len(more.Lines) != 3 || more.Lines[0].Total != 150000 || pen.Total != 100000 ||
			wrap.Name != "Gift wrap" || wrap.Total != 20000 || more.Total != received.Total+50000 {
			t.Errorf("%+v", more)
		}
		p.holds(t, more, orders.Processing, 3, orders.UnknownSKU)
	})
}
