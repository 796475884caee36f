package shopify_test

import (
	"testing"

	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/shopify/fakeshop"
)

// Pieces that had left and came back are a return, named as their refund; a cancelled piece and money for one that cannot be sold again are
// refunds alone.
func TestReturnsOfRefunds(t *testing.T) {
	for what, back := range map[string]int64{"refunded": 0, "kept": 0, "back": 1, "returned": 3} {
		s := newShop(t)
		id := s.Buy("ada@example.com", true, fakeshop.Bought{SKU: "MUG", Quantity: 3, Cents: 790})
		s.Change(id, "shipped")
		s.Change(id, what)
		o := connectortest.Must(s.session.PullOrder(t.Context(), id))(t)
		var units int64
		for _, r := range o.Returns {
			if r.ExternalID != o.Refunds[0].ExternalID || r.Refund != r.ExternalID {
				t.Errorf("%s: %+v", what, r)
			}
			for _, l := range r.Lines {
				units += l.Quantity
				if l.ExternalLine != o.Lines[0].ExternalID || !l.Restocked {
					t.Errorf("%s: %+v", what, l)
				}
			}
		}
		if len(o.Refunds) != 1 || units != back {
			t.Errorf("%s: %d units came back by %+v", what, units, o.Refunds)
		}
	}
}
