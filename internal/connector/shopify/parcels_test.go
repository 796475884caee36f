package shopify_test

import (
	"fmt"
	"slices"
	"testing"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/shopify/fakeshop"
	"entrepot/internal/orders"
)

// ordered is an order of so many pieces, with parcels of its line.
func (s *shop) ordered(t *testing.T, quantity int64) (ref connector.OrderRef, parcel func(number string, quantity int64) connector.Parcel) {
	t.Helper()
	id := s.Buy("a@example.com", true, fakeshop.Bought{SKU: "A", Quantity: quantity, Cents: 1000})
	line := connectortest.Must(s.session.PullOrder(t.Context(), id))(t).Lines[0].ExternalID
	return connector.OrderRef{ExternalID: id}, func(number string, quantity int64) connector.Parcel {
		return connector.Parcel{Key: number, Number: number, Lines: []connector.ParcelLine{{ExternalLine: line, Quantity: quantity}}}
	}
}

// A parcel that was cancelled in the shop has not left: the one that is made in its place is shipped there, with its number.
func TestParcelsInPlaceOfCancelledOnes(t *testing.T) {
	s := newShop(t)
	ref, parcel := s.ordered(t, 3)
	ref.Shipped = []connector.Parcel{parcel("WRONG", 3)}
	if err := s.session.PushShipment(t.Context(), ref, ref.Shipped[0]); err != nil {
		t.Fatal(err)
	}
	s.Change(ref.ExternalID, "unshipped")
	s.reopen()
	ref.Shipped = []connector.Parcel{parcel("RIGHT", 2), parcel("REST", 1)}
	for range 2 { // with what is known of the order, and again
		for _, p := range ref.Shipped {
			if err := s.session.PushShipment(t.Context(), ref, p); err != nil {
				t.Fatal(err)
			}
		}
	}
	if numbers, shipped, _, _ := s.Order(ref.ExternalID); !slices.Equal(numbers, []string{"RIGHT", "REST"}) || shipped != 3 {
		t.Errorf("parcels %v with %d pieces", numbers, shipped)
	}
}

// A shipment that is made in place of one that was deleted here gives its number to the parcel that the shop has. A number that the
// merchant has changed in the shop stays, and so does that of a parcel of other contents.
func TestShipmentsInPlaceOfDeletedOnes(t *testing.T) {
	for name, c := range map[string]struct {
		deleted string
		pieces  int64
		want    []string
	}{"deleted": {"FIRST", 2, []string{"SECOND"}}, "changed in the shop": {"ANOTHER", 2, []string{"FIRST"}},
		"of other contents": {"FIRST", 1, []string{"FIRST"}}} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			ref, parcel := s.ordered(t, 2)
			ref.Shipped = []connector.Parcel{parcel("FIRST", 2)}
			if err := s.session.PushShipment(t.Context(), ref, ref.Shipped[0]); err != nil {
				t.Fatal(err)
			}
			ref.Shipped = []connector.Parcel{parcel("SECOND", c.pieces)}
			ref.Deleted = func(number string) bool { return number == c.deleted }
			for range 2 {
				s.reopen()
				if err := s.session.PushShipment(t.Context(), ref, ref.Shipped[0]); err != nil {
					t.Fatal(err)
				}
			}
			if numbers, shipped, _, _ := s.Order(ref.ExternalID); !slices.Equal(numbers, c.want) || shipped != 2 {
				t.Errorf("parcels %v with %d pieces", numbers, shipped)
			}
		})
	}
}

// What was refunded before it left is no part of what was shipped.
func TestParcelsAfterARefund(t *testing.T) {
	s := newShop(t)
	ref, parcel := s.ordered(t, 3)
	s.Change(ref.ExternalID, "refunded")
	ref.Shipped = []connector.Parcel{parcel("ONE", 1)}
	if err := s.session.PushShipment(t.Context(), ref, ref.Shipped[0]); err != nil {
		t.Fatal(err)
	}
	if numbers, shipped, _, _ := s.Order(ref.ExternalID); !slices.Equal(numbers, []string{"ONE"}) || shipped != 1 {
		t.Errorf("parcels %v with %d pieces", numbers, shipped)
	}
}

// What the shop holds back is shipped there when it is released; what is not held is shipped at once.
func TestParcelsThatTheShopHoldsBack(t *testing.T) {
	s := newShop(t)
	ref, parcel := s.ordered(t, 5)
	s.Hold(ref.ExternalID, 2)
	ref.Shipped = []connector.Parcel{parcel("FIRST", 1), parcel("SECOND", 4)}
	if err := s.session.PushShipment(t.Context(), ref, ref.Shipped[0]); err != nil {
		t.Errorf("a parcel of what is not held: %v", err)
	}
	if err := s.session.PushShipment(t.Context(), ref, ref.Shipped[1]); !connector.Is(err, connector.Underway) {
		t.Errorf("a parcel of what is held: %v", err)
	}
	if err := s.session.PushStatus(t.Context(), ref, orders.Shipped); !connector.Is(err, connector.Underway) {
		t.Errorf("everything: %v", err)
	}
	s.Release(ref.ExternalID)
	if err := s.session.PushShipment(t.Context(), ref, ref.Shipped[1]); err != nil {
		t.Fatal(err)
	}
	if numbers, shipped, _, _ := s.Order(ref.ExternalID); !slices.Equal(numbers, []string{"FIRST", "SECOND", "SECOND"}) || shipped != 5 {
		t.Errorf("parcels %v with %d pieces", numbers, shipped)
	}
}

// What two locations ship leaves as two fulfilments of one parcel: the shop takes no fulfilment of both.
func TestParcelOfTwoLocations(t *testing.T) {
	s := newShop(t)
	ref, parcel := s.ordered(t, 5)
	s.Divide(ref.ExternalID, 2, "gid://shopify/Location/2")
	ref.Shipped = []connector.Parcel{parcel("BOTH", 5)}
	if err := s.session.PushShipment(t.Context(), ref, ref.Shipped[0]); err != nil {
		t.Fatal(err)
	}
	if numbers, shipped, _, _ := s.Order(ref.ExternalID); !slices.Equal(numbers, []string{"BOTH", "BOTH"}) || shipped != 5 {
		t.Errorf("parcels %v with %d pieces", numbers, shipped)
	}
}

// All lines of a long order leave, also those behind the first that the shop shows of a part.
func TestParcelOfALongOrder(t *testing.T) {
	s := newShop(t)
	var lines []fakeshop.Bought
	for i := range 260 {
		lines = append(lines, fakeshop.Bought{SKU: fmt.Sprint("X", i), Quantity: 1, Cents: 100})
	}
	id := s.Buy("a@example.com", true, lines...)
	o := connectortest.Must(s.session.PullOrder(t.Context(), id))(t)
	parcel := connector.Parcel{Key: "s1", Number: "JD1"}
	for _, l := range o.Lines {
		parcel.Lines = append(parcel.Lines, connector.ParcelLine{ExternalLine: l.ExternalID, Quantity: 1})
	}
	ref := connector.OrderRef{ExternalID: id, Shipped: []connector.Parcel{parcel}}
	if err := s.session.PushShipment(t.Context(), ref, parcel); err != nil {
		t.Fatal(err)
	}
	if numbers, shipped, _, _ := s.Order(id); shipped != 260 || len(numbers) != 1 {
		t.Errorf("%d pieces left in parcels %v", shipped, numbers)
	}
}

// A piece that was refunded and that the shop would ship still does not leave with the others.
func TestRefundedPiecesDoNotLeave(t *testing.T) {
	s := newShop(t)
	id := s.Buy("a@example.com", true, fakeshop.Bought{SKU: "A", Quantity: 3, Cents: 1000})
	s.Change(id, "credited")
	o := connectortest.Must(s.session.PullOrder(t.Context(), id))(t)
	parcel := connector.Parcel{Key: "s1", Number: "JD1", Rest: true,
		Lines: []connector.ParcelLine{{ExternalLine: o.Lines[0].ExternalID, Quantity: 2}}}
	ref := connector.OrderRef{ExternalID: id, Shipped: []connector.Parcel{parcel}}
	for range 2 {
		if err := s.session.PushShipment(t.Context(), ref, parcel); err != nil {
			t.Fatal(err)
		}
		if err := s.session.PushStatus(t.Context(), ref, orders.Shipped); err != nil {
			t.Fatal(err)
		}
	}
	if numbers, shipped, _, _ := s.Order(id); shipped != 2 || len(numbers) != 1 {
		t.Errorf("%d pieces left in parcels %v", shipped, numbers)
	}
}
