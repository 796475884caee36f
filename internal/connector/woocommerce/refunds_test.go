package woocommerce_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/woocommerce/fakeshop"
)

// A refund is recorded once, also if the answer to it is lost, without moving money or stock; one that was recorded is read back with the
// mark of the service. One above what is left is refused, and that is no fault that passes.
func TestRefundsAreRecordedOnce(t *testing.T) {
	s := newShop(t)
	s.AddProduct("MUG", "Mug", "10", 9)
	id := s.Place(fakeshop.Wish{SKUs: map[string]int64{"MUG": 2}, Status: "completed"})
	ref := connector.OrderRef{ExternalID: strconv.FormatInt(id, 10), Currency: "EUR"}
	line := strconv.FormatInt(s.Orders()[id].Lines[0], 10)
	refund := connector.Refund{Ours: "019a-1", Amount: 50000, Reason: "torn",
		Lines: []connector.RefundLine{{ExternalLine: line, Quantity: 1, Amount: 42000}}}
	push := s.session.(connector.Refunder).PushRefund
	items, _ := s.Items()
	stock := items["MUG"].Quantity

	s.Habits.LoseAnswer = 1
	if _, err := push(t.Context(), ref, refund); !connector.Is(err, connector.Temporary) {
		t.Errorf("a lost answer: %v", err)
	}
	s.Habits.LoseAnswer = 0
	first := connectortest.Must(push(t.Context(), ref, refund))(t)
	again := connectortest.Must(push(t.Context(), ref, refund))(t)
	cents, paid := s.Refunds(id)
	items, _ = s.Items()
	if first == "" || first != again || !slices.Equal(cents, []int64{500}) || paid != 0 || items["MUG"].Quantity != stock {
		t.Errorf("%q and %q: %v, %d cents were paid back, %d mugs of %d", first, again, cents, paid, items["MUG"].Quantity, stock)
	}
	o := connectortest.Must(s.session.PullOrder(t.Context(), ref.ExternalID))(t)
	if err := s.session.(connector.Detailer).Detail(t.Context(), &o); err != nil || len(o.Refunds) != 1 || o.Refunds[0].Ours != "019a-1" ||
		o.Refunds[0].ExternalID != first || o.Refunds[0].Lines[0].Quantity != 1 || o.Restocked != nil {
		t.Errorf("%+v, %v: %v", o.Refunds, err, o.Restocked)
	}
	refund.Ours, refund.Amount = "019a-2", 9_999_0000
	if _, err := push(t.Context(), ref, refund); !connector.Is(err, connector.Rejected) {
		t.Errorf("too much: %v", err)
	}
}

// Where something before the shop lets no refunds through, one is left out; where nothing is reached, it waits.
func TestRefundsThatAreKeptBack(t *testing.T) {
	for _, c := range []struct {
		blocked string
		kind    connector.Kind
	}{{"/refunds", connector.Cannot}, {"/wc/v3", connector.Temporary}} {
		s := newShopAt(t, "", func(shop http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.Contains(r.URL.Path, c.blocked) {
					shop.ServeHTTP(w, r)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusNotFound)
				_, _ = w.Write([]byte(`{"code":"rest_no_route","message":"No route was found","data":{"status":404}}`))
			})
		})
		id := s.Place(fakeshop.Wish{Unknown: 1})
		_, err := s.session.(connector.Refunder).PushRefund(t.Context(), connector.OrderRef{ExternalID: strconv.FormatInt(id, 10), Currency: "EUR"},
			connector.Refund{Ours: "019a-1", Amount: 10000})
		if !connector.Is(err, c.kind) {
			t.Errorf("without %s: %v", c.blocked, err)
		}
	}
}

// The shop counts what it has put back into its stock by line.
func TestRestockedUnits(t *testing.T) {
	s := newShop(t)
	s.AddProduct("MUG", "Mug", "10", 9)
	id := s.Place(fakeshop.Wish{SKUs: map[string]int64{"MUG": 3}, Status: "completed"})
	external := strconv.FormatInt(id, 10)
	line := strconv.FormatInt(s.Orders()[id].Lines[0], 10)
	for n, want := range []int64{1, 1, 2} { // the second piece cannot be sold again
		if n == 1 {
			s.Refund(id, 1, "broken")
		} else {
			s.RefundBack(id, 1, "too small")
		}
		o := connectortest.Must(s.session.PullOrder(t.Context(), external))(t)
		if o.Restocked[line] != want || len(o.Refunds) != n+1 {
			t.Errorf("after %d: %v of %d refunds", n+1, o.Restocked, len(o.Refunds))
		}
	}
}
