package shopify_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/shopify"
	"entrepot/internal/connector/shopify/fakeshop"
	"entrepot/internal/orders"
)

func (s *shop) pull(t *testing.T, since time.Time) (list []connector.Order, until time.Time) {
	t.Helper()
	for cursor := (connector.Cursor{Since: since}); ; {
		page := connectortest.Must(s.session.PullOrders(t.Context(), cursor))(t)
		list, until = append(list, page.Orders...), page.Until
		if cursor.Page = page.Next; page.Next == "" {
			return list, until
		}
	}
}

func TestOrdersArePulled(t *testing.T) {
	s := newShop(t)
	s.Faults.DearLines = 20
	var ids []string
	for i := range 5 {
		lines := []fakeshop.Bought{{SKU: "A", Quantity: 2, Cents: 1000}, {SKU: "B", Quantity: 1, Cents: 333}}
		for n := range 13 * i {
			lines = append(lines, fakeshop.Bought{SKU: fmt.Sprint("X", n), Quantity: 1, Cents: 100})
		}
		ids = append(ids, s.Buy(fmt.Sprintf("ada%d@example.com", i), i%2 == 0, lines...))
		s.Pass(time.Second)
	}
	s.Pass(2 * time.Minute)
	list, until := s.pull(t, time.Time{})
	if len(list) != 5 || !until.Equal(s.Clock().Add(-time.Minute)) || len(list[4].Lines) != 54 {
		t.Fatalf("%d orders until %v: %+v", len(list), until, list)
	}
	o := list[0]
	if o.ExternalID != ids[0] || o.Number != "#1000" || o.Status != orders.Processing || list[1].Status != orders.Pending ||
		o.Email != "ada0@example.com" ||
		o.Name != "Ada Lovelace" || o.ShipTo.Country != "FR" || o.Phone != "+33 1" {
		t.Errorf("%+v", o)
	}
	if o.Lines[0].Amount != 200000 || o.Total != 200000+33300+50000+56600 || o.Tax != 56600 || o.Discount != 0 {
		t.Errorf("%+v", o)
	}
	s.Pass(time.Hour)
	s.Change(ids[1], "shipped")
	s.Change(ids[2], "refunded")
	s.Pass(2 * time.Minute)
	changed, _ := s.pull(t, until)
	if len(changed) != 2 || changed[0].Status != orders.Shipped || len(changed[0].Parcels) != 1 ||
		changed[0].Parcels[0].Number != "BACK, OFFICE" ||
		len(changed[1].Refunds) != 1 || changed[1].Refunds[0].Lines[0].Quantity != 1 {
		t.Errorf("%+v", changed)
	}
	if _, err := s.session.PullOrder(t.Context(), "gid://shopify/Order/1"); !connector.Is(err, connector.Missing) {
		t.Errorf("%v", err)
	}
}

// Shopify gives 25,000 orders of a list and then refuses: a longer one is asked for anew from where it is, also if many orders changed at
// one moment. A job of an earlier version goes on from its place.
func TestListsThatAreTooLong(t *testing.T) {
	t.Cleanup(shopify.Deepest(40))
	s := newShop(t)
	s.Deepest = 100
	ids := map[string]bool{}
	for i := range 230 {
		ids[s.Buy(fmt.Sprintf("ada%d@example.com", i), true, fakeshop.Bought{SKU: "A", Quantity: 1, Cents: 1000})] = true
		if i < 60 || i > 110 { // those between changed in one second
			s.Pass(time.Second)
		}
	}
	s.Pass(2 * time.Minute)
	began := s.Clock()
	list, _ := s.pull(t, time.Time{})
	for _, o := range list {
		delete(ids, o.ExternalID)
	}
	if len(ids) > 0 || len(list) > 300 {
		t.Errorf("%d orders are missing, %d were read", len(ids), len(list))
	}
	place := began.UTC().Format(time.RFC3339) + " 25"
	page := connectortest.Must(s.session.PullOrders(t.Context(), connector.Cursor{Page: place}))(t)
	if len(page.Orders) == 0 || page.Orders[0].ExternalID != list[25].ExternalID || !page.Until.Equal(began.Add(-time.Minute)) {
		t.Errorf("%d orders until %v", len(page.Orders), page.Until)
	}
}

// An app that may not read data of buyers gets orders all the same, without names and addresses. A right that lacks is an error still.
func TestOrdersWithoutTheirBuyers(t *testing.T) {
	s := newShop(t)
	s.Unapproved = true
	id := s.Buy("ada@example.com", true, fakeshop.Bought{SKU: "A", Quantity: 2, Cents: 1000})
	s.Pass(2 * time.Minute)
	list, _ := s.pull(t, time.Time{})
	if len(list) != 1 || list[0].ExternalID != id || list[0].Lines[0].Quantity != 2 || list[0].Email+list[0].Name != "" ||
		list[0].ShipTo != nil {
		t.Errorf("%+v", list)
	}
	if o := connectortest.Must(s.session.PullOrder(t.Context(), id))(t); o.ExternalID != id {
		t.Errorf("%+v", o)
	}
	parcel := connector.Parcel{Key: "1", Lines: []connector.ParcelLine{{ExternalLine: list[0].Lines[0].ExternalID, Quantity: 2}}}
	ref := connector.OrderRef{ExternalID: id, Shipped: []connector.Parcel{parcel}}
	if err := s.session.PushShipment(t.Context(), ref, parcel); err != nil {
		t.Error(err)
	}
}

func TestParcelsAreShippedOnce(t *testing.T) {
	s := newShop(t)
	id := s.Buy("a@example.com", true, fakeshop.Bought{SKU: "A", Quantity: 3, Cents: 1000}, fakeshop.Bought{SKU: "B", Quantity: 1, Cents: 500})
	o := connectortest.Must(s.session.PullOrder(t.Context(), id))(t)
	first := connector.Parcel{Key: "s1", Carrier: "DHL", Number: "JD1",
		Lines: []connector.ParcelLine{{ExternalLine: o.Lines[0].ExternalID, Quantity: 2}}}
	second := connector.Parcel{Key: "s2", Number: "JD2", Lines: []connector.ParcelLine{{ExternalLine: o.Lines[0].ExternalID, Quantity: 1},
		{ExternalLine: o.Lines[1].ExternalID, Quantity: 1}}, Rest: true}
	ref := connector.OrderRef{ExternalID: id, Shipped: []connector.Parcel{first, second}}
	s.Faults.LoseAnswer = 2
	for range 3 {
		for _, p := range ref.Shipped {
			if err := s.session.PushShipment(t.Context(), ref, p); err != nil && !connector.Is(err, connector.Temporary) {
				t.Fatal(err)
			}
		}
	}
	if numbers, shipped, _, _ := s.Order(id); !slices.Equal(numbers, []string{"JD1", "JD2"}) || shipped != 4 {
		t.Errorf("parcels %v with %d pieces", numbers, shipped)
	}
	s.Faults.LoseAnswer = 0
	for _, to := range []orders.Status{orders.Shipped, orders.Delivered, orders.Delivered} {
		if err := s.session.PushStatus(t.Context(), ref, to); err != nil {
			t.Fatal(err)
		}
	}
	if numbers, _, delivered, _ := s.Order(id); !delivered || len(numbers) != 2 {
		t.Errorf("delivered %v, parcels %v", delivered, numbers)
	}
	other := connector.OrderRef{ExternalID: s.Buy("b@example.com", true, fakeshop.Bought{SKU: "A", Quantity: 1, Cents: 1})}
	for range 2 {
		if err := s.session.PushCancel(t.Context(), other, "late"); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, _, cancelled := s.Order(other.ExternalID); !cancelled {
		t.Error("not cancelled")
	}
	if err := s.session.PushStatus(t.Context(), ref, orders.Returned); !connector.Is(err, connector.Cannot) {
		t.Errorf("%v", err)
	}
}
