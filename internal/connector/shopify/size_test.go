package shopify_test

import (
	"fmt"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/shopify/fakeshop"
)

// buy places orders of one piece; it returns their ids.
func (s *shop) buy(n int) (ids []string) {
	for i := range n {
		ids = append(ids, s.Buy(fmt.Sprintf("ada%d@example.com", i), true, fakeshop.Bought{SKU: "A", Quantity: 1, Cents: 1000}))
		s.Pass(time.Second)
	}
	s.Pass(2 * time.Minute)
	return ids
}

// Orders are read by the page, in pages as large as the shop accepts: what it refused once is not tried again.
func TestCallsOfOrders(t *testing.T) {
	s := newShop(t)
	s.buy(60)
	connectortest.Must(s.session.Test(t.Context()))(t)
	calls := func() int64 {
		before := s.Client.Calls()
		if list, _ := s.pull(t, time.Time{}); len(list) != 60 {
			t.Errorf("%d orders", len(list))
		}
		return s.Client.Calls() - before
	}
	if n := calls(); n != 1+3 { // the shop's time, and pages of 25
		t.Errorf("%d requests", n)
	}
	s.Faults.DearOrders = 70
	if n := calls(); n != 1+2+10 { // pages of 25 and 12 are refused, those of 6 are not
		t.Errorf("%d requests with small pages, the first time", n)
	}
	if n := calls(); n != 1+10 {
		t.Errorf("%d requests with small pages", n)
	}
	s.Faults.DearOrders = 1
	if _, err := s.session.PullOrders(t.Context(), connector.Cursor{}); !connector.Is(err, connector.Rejected) {
		t.Errorf("a shop that accepts no size: %v", err)
	}
}

// Orders that notifications name are read together; what is none of the shop's orders is left out.
func TestOrdersByTheirIDs(t *testing.T) {
	s := newShop(t)
	ids := s.buy(30)
	s.Faults.DearOrders = 100
	before := s.Client.Calls()
	page := connectortest.Must(s.session.(connector.OrderReader).ReadOrders(t.Context(), append(ids, "gid://shopify/Order/1")))(t)
	if n := s.Client.Calls() - before; len(page.Orders) != 30 || n != 2+6 { // 25 and 12 are refused, 6 are not: 31 ids
		t.Errorf("%d orders with %d requests", len(page.Orders), n)
	}
}

// An order with more parcels, refunds or pieces in one than the page shows is read alone, whole.
func TestOrdersLongerThanTheirPage(t *testing.T) {
	s := newShop(t)
	var lines []fakeshop.Bought
	for i := range 12 {
		lines = append(lines, fakeshop.Bought{SKU: fmt.Sprint("X", i), Quantity: 9, Cents: 100})
	}
	long, refunded := s.Buy("a@example.com", true, lines...), s.Buy("b@example.com", true, lines[:2]...)
	s.Change(long, "shipped")
	for range 5 {
		s.Change(refunded, "refunded")
	}
	s.Pass(2 * time.Minute)
	list, _ := s.pull(t, time.Time{})
	if len(list) != 2 || len(list[0].Lines) != 12 || len(list[0].Parcels) != 1 || len(list[0].Parcels[0].Lines) != 12 ||
		len(list[1].Refunds) != 5 {
		t.Errorf("%+v", list)
	}
}

// An order of which many parcels and refunds were made is read with all of them.
func TestOrdersOfManyParcels(t *testing.T) {
	s := newShop(t)
	id := s.Buy("a@example.com", true, fakeshop.Bought{SKU: "A", Quantity: 90, Cents: 100})
	for i := range 53 {
		s.Pack(id, 1, fmt.Sprint("JD", i))
	}
	for range 11 {
		s.Change(id, "refunded")
	}
	if o := connectortest.Must(s.session.PullOrder(t.Context(), id))(t); len(o.Parcels) != 53 || len(o.Refunds) != 11 {
		t.Errorf("%d parcels, %d refunds", len(o.Parcels), len(o.Refunds))
	}
}

// A merchant who counts the stock himself keeps his numbers, of new variants too.
func TestQuantitiesThatAreTheMerchants(t *testing.T) {
	s := newShop(t)
	p := mug()
	p.Quantity = connector.NotOurs
	results := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{p}))(t)
	if shown, _ := s.Variant("MUG"); shown.Available != 0 || results[0].State != connector.Live {
		t.Errorf("%+v: %+v", shown, results)
	}
}

// Tests of a shop's checkout are no orders, however they are read, unless the channel's setting takes them.
func TestTestOrdersStayOut(t *testing.T) {
	s := newShop(t)
	id := s.Place(fakeshop.Wish{Lines: []fakeshop.Bought{{SKU: "A", Quantity: 1, Cents: 1000}}, Test: true})
	s.Pass(2 * time.Minute)
	if _, err := s.session.PullOrder(t.Context(), id); !connector.Is(err, connector.Missing) {
		t.Errorf("alone: %v", err)
	}
	page := connectortest.Must(s.session.(connector.OrderReader).ReadOrders(t.Context(), []string{id}))(t)
	if list, _ := s.pull(t, time.Time{}); len(list)+len(page.Orders) != 0 {
		t.Errorf("with others: %+v, %+v", list, page.Orders)
	}
	s.Settings = map[string]string{"testOrders": "true"}
	s.reopen()
	if o := connectortest.Must(s.session.PullOrder(t.Context(), id))(t); o.ExternalID != id {
		t.Errorf("%+v", o)
	}
}
