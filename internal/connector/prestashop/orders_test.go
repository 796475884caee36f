package prestashop_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/prestashop/fakeshop"
	"entrepot/internal/orders"
)

// pull pulls all orders that changed since a time.
func (s *shop) pull(t *testing.T, since time.Time) (list []connector.Order, until time.Time) {
	t.Helper()
	return s.pullFrom(t, connector.Cursor{Since: since})
}

// pullFrom pulls the pages from a position on.
func (s *shop) pullFrom(t *testing.T, cursor connector.Cursor) (list []connector.Order, until time.Time) {
	t.Helper()
	for {
		page := connectortest.Must(s.session.PullOrders(t.Context(), cursor))(t)
		if len(page.Unreadable) > 0 {
			t.Errorf("%+v", page.Unreadable)
		}
		list, until = append(list, page.Orders...), page.Until
		if cursor.Page = page.Next; cursor.Page == "" {
			return list, until
		}
	}
}

func TestOrdersArePulled(t *testing.T) {
	s := newShop(t)
	connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{s.shirt(), mug()}))(t)
	var ids []string
	for i := range 120 {
		ids = append(ids, s.Buy(fmt.Sprintf("ada%d@example.com", i), i%2 == 0, fakeshop.Bought{SKU: "SHIRT-M", Quantity: 2},
			fakeshop.Bought{SKU: "MUG", Quantity: 1}))
		s.Pass(time.Second)
	}
	list, until := s.pull(t, time.Time{})
	if len(list) < 105 || !until.Equal(s.Clock().Add(-10*time.Second)) {
		t.Fatalf("%d orders until %v", len(list), until)
	}
	o := list[0]
	if o.ExternalID != ids[0] || o.Status != orders.Processing || o.Theirs != "Payment accepted" || list[1].Status != orders.Pending ||
		o.Email != "ada0@example.com" ||
		o.Name != "Ada Lovelace" || o.ShipTo.Country != "FR" || o.Phone == "" || o.Currency != "EUR" {
		t.Errorf("%+v", o)
	}
	if len(o.Lines) != 2 || o.Lines[0].SKU != "SHIRT-M" || o.Lines[0].Amount != 430000 || o.Total != 430000+99000+50000+115800 {
		t.Errorf("%+v: %+v, total %s", o, o.Lines, o.Total)
	}
	if want := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC); !o.CreatedAt.Equal(want) {
		t.Errorf("made at %v, want %v", o.CreatedAt, want)
	}
	s.Pass(time.Hour)
	s.Refund(ids[7], 1, "25.80")
	s.Move(ids[3], "4")
	s.Pass(time.Minute)
	changed, _ := s.pull(t, until.Add(time.Minute))
	if len(changed) != 2 || changed[0].Status != orders.Shipped || len(changed[1].Refunds) != 1 || changed[1].Refunds[0].Amount != 258000 ||
		changed[1].Refunds[0].Lines[0].Quantity != 1 {
		t.Errorf("%+v", changed)
	}
	s.Ship(ids[3], "JD1")
	if parcels := connectortest.Must(s.session.PullOrder(t.Context(), ids[3]))(t).Parcels; len(parcels) != 1 || parcels[0].Number != "JD1" {
		t.Errorf("a parcel that was packed in the shop: %+v", parcels)
	}
	s.Credit(ids[9], "25.80", "4.20")
	s.Credit(ids[9], "0", "0")
	credited := connectortest.Must(s.session.PullOrder(t.Context(), ids[9]))(t).Refunds
	if len(credited) != 1 || credited[0].Amount != 300000 || len(credited[0].Lines) != 0 {
		t.Errorf("credited without parts: %+v", credited)
	}
	if one := connectortest.Must(s.session.PullOrder(t.Context(), ids[3]))(t); one.ExternalID != ids[3] {
		t.Errorf("%+v", one)
	}
	if _, err := s.session.PullOrder(t.Context(), "4711"); !connector.Is(err, connector.Missing) {
		t.Errorf("an order that is not there: %v", err)
	}
}

// The hour that comes twice in autumn hides nothing, and times in it are not taken for times to come.
// A shop writes into its documents what was entered, also characters that XML must not have. They keep no other order out.
func TestOrdersWithCharactersThatXMLMustNotHave(t *testing.T) {
	s := newShop(t)
	s.Faults.Warnings = true
	connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug()}))(t)
	odd, plain := s.Buy("a@example.com", true, fakeshop.Bought{SKU: "MUG", Quantity: 1}), s.Buy("b@example.com", true,
		fakeshop.Bought{SKU: "MUG", Quantity: 1})
	s.Write(odd, "gift_message", "F\xfcr\v Ada\x00 & \x1fBob\uFFFF")
	s.Pass(time.Minute)
	list, _ := s.pull(t, time.Time{})
	if len(list) != 2 || list[0].ExternalID != odd || list[0].Note != "Gift message: F\uFFFDr Ada & Bob" || list[1].ExternalID != plain {
		t.Errorf("%+v", list)
	}
}

func TestHourThatComesTwice(t *testing.T) {
	s := newShop(t)
	connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug()}))(t)
	s.SetClock(time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC)) // 02:30 in Paris, and once more an hour later
	first := s.Buy("a@example.com", true, fakeshop.Bought{SKU: "MUG", Quantity: 1})
	s.Pass(time.Minute)
	list, until := s.pull(t, s.Clock().Add(-time.Hour))
	if len(list) != 1 || list[0].ExternalID != first || list[0].UpdatedAt.After(s.Clock()) {
		t.Fatalf("%+v", list)
	}
	s.Pass(time.Hour)
	second := s.Buy("b@example.com", true, fakeshop.Bought{SKU: "MUG", Quantity: 1})
	s.Pass(time.Minute)
	list, _ = s.pull(t, until)
	if !slices.ContainsFunc(list, func(o connector.Order) bool { return o.ExternalID == second }) {
		t.Errorf("%+v", list)
	}
}

func TestStatesArePushedOnce(t *testing.T) {
	s := newShop(t)
	connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug()}))(t)
	order := s.Buy("a@example.com", true, fakeshop.Bought{SKU: "MUG", Quantity: 2})
	ref := connector.OrderRef{ExternalID: order, Currency: "EUR"}
	s.Faults.WriteAnd500 = 1
	for range 2 {
		if err := s.session.PushShipment(t.Context(), ref, connector.Parcel{Key: "s1", Carrier: "DHL", Number: "JD1"}); err != nil &&
			!connector.Is(err, connector.Temporary) {
			t.Fatal(err)
		}
		if err := s.session.PushStatus(t.Context(), ref, orders.Shipped); err != nil {
			t.Fatal(err)
		}
	}
	if state, tracking, histories := s.Order(order); state != "4" || tracking != "JD1" || histories != 1 {
		t.Errorf("state %s, tracking %q, %d histories", state, tracking, histories)
	}
	s.Faults.WriteAnd500 = 0
	if err := s.session.PushStatus(t.Context(), ref, orders.Processing); err != nil {
		t.Fatal(err)
	}
	if state, _, _ := s.Order(order); state != "4" {
		t.Errorf("an order that is ahead was moved back to %s", state)
	}
	second := s.Buy("b@example.com", true, fakeshop.Bought{SKU: "MUG", Quantity: 3})
	if err := s.session.PushCancel(t.Context(), connector.OrderRef{ExternalID: second}, ""); err != nil {
		t.Fatal(err)
	}
	if state, _, _ := s.Order(second); state != "6" || s.Stock("MUG") != 7 {
		t.Errorf("state %s, stock %d", state, s.Stock("MUG"))
	}
	third := s.Buy("c@example.com", true, fakeshop.Bought{SKU: "MUG", Quantity: 1})
	s.Move(third, "7")
	if err := s.session.PushCancel(t.Context(), connector.OrderRef{ExternalID: third}, ""); err != nil {
		t.Fatal(err)
	}
	if err := s.session.PushStatus(t.Context(), connector.OrderRef{ExternalID: third}, orders.Processing); err != nil {
		t.Fatal(err)
	}
	err := s.session.PushStatus(t.Context(), connector.OrderRef{ExternalID: third}, orders.Shipped)
	if !connector.Is(err, connector.Rejected) {
		t.Errorf("shipped after it was refunded: %v", err)
	}
	if state, _, _ := s.Order(third); state != "7" {
		t.Errorf("an order that was refunded in the shop was moved to %s", state)
	}
}
