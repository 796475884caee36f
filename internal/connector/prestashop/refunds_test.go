package prestashop_test

import (
	"slices"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/prestashop/fakeshop"
)

// A credit slip is written once, also if the answer to it is lost: it has no place for a mark, so one of the same amount that is not known
// here is the one. Another of that amount that is known is not. Without the right, nothing is written.
func TestCreditSlipsAreWrittenOnce(t *testing.T) {
	s := newShop(t)
	connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug()}))(t)
	id := s.Buy("ada@example.com", true, fakeshop.Bought{SKU: "MUG", Quantity: 3})
	ref := connector.OrderRef{ExternalID: id, Currency: "EUR"}
	push := s.session.(connector.Refunder).PushRefund
	refund := connector.Refund{Ours: "019a-1", Amount: 30000, Reason: "torn", CreatedAt: s.Clock()}

	s.Faults.LoseAnswer = 1
	if _, err := push(t.Context(), ref, refund); !connector.Is(err, connector.Temporary) {
		t.Errorf("a lost answer: %v", err)
	}
	s.Faults.LoseAnswer = 0
	first := connectortest.Must(push(t.Context(), ref, refund))(t)
	ref.Refunds = []string{first}
	second := connectortest.Must(push(t.Context(), ref, refund))(t)
	if slips := s.Slips(id); first == "" || first == second || !slices.Equal(slips, []string{"3", "3"}) {
		t.Errorf("%q and %q: %v", first, second, slips)
	}
	o := connectortest.Must(s.session.PullOrder(t.Context(), id))(t)
	if len(o.Refunds) != 2 || o.Refunds[0].Amount != 30000 || o.Restocked != nil {
		t.Errorf("%+v, %v", o.Refunds, o.Restocked)
	}
	refund.CreatedAt = refund.CreatedAt.Add(time.Hour) // it was made long after the slips that are there
	ref.Refunds = nil
	if third := connectortest.Must(push(t.Context(), ref, refund))(t); third == first || third == second {
		t.Errorf("%q is an older one", third)
	}
	s.Rights = map[string][]string{"order_slip": {"GET"}, "orders": {"GET"}}
	refund.Amount = 10000
	if _, err := push(t.Context(), ref, refund); !connector.Is(err, connector.Cannot) || len(s.Slips(id)) != 3 {
		t.Errorf("without the right: %v, %v", err, s.Slips(id))
	}
}

// The shop counts what it has put back into its stock by line, and the test of a channel that is to write credit slips asks for the right.
func TestRestockedUnitsAndTheirRights(t *testing.T) {
	s := newShop(t)
	connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug()}))(t)
	id := s.Buy("ada@example.com", true, fakeshop.Bought{SKU: "MUG", Quantity: 3})
	s.Refund(id, 1, "3.00")
	s.RefundBack(id, 1, "3.00")
	o := connectortest.Must(s.session.PullOrder(t.Context(), id))(t)
	if o.Restocked[o.Lines[0].ExternalID] != 1 || len(o.Refunds) != 2 {
		t.Errorf("%v of %d refunds", o.Restocked, len(o.Refunds))
	}
	for on, want := range map[string]bool{"true": true, "false": false} {
		s.Settings["pushRefunds"] = on
		s.Rights = map[string][]string{"order_slip": {"GET"}}
		for _, resource := range []string{"products", "combinations", "stock_availables", "order_histories", "images", "orders", "customers", "addresses",
			"countries", "currencies", "order_states", "languages", "configurations", "order_carriers"} {
			s.Rights[resource] = []string{"GET", "POST", "PUT"}
		}
		s.open(s.Kept["url"])
		found := connectortest.Must(s.session.Test(t.Context()))(t)
		lacks := "the key lacks Add (POST) on order_slip, without which refunds that are recorded here get no credit slip"
		if slices.Contains(found.Lacking, lacks) != want || len(found.Missing) > 0 {
			t.Errorf("%s: %q, %q", on, found.Lacking, found.Missing)
		}
	}
}
