package tiktokshop_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/tiktokshop/fakeshop"
	"entrepot/internal/orders"
)

// A parcel is reported once, even if answers are lost: for part of an order and for all of it, where parts can be
// packed and where the package is split.
func TestParcelsAreShownOnce(t *testing.T) {
	for _, region := range []string{"DE", "VN"} {
		for name, faults := range map[string]fakeshop.Faults{"a good day": {}, "answers are lost": {LoseAnswer: 3}, "broken": {Broken: 4}} {
			t.Run(region+" "+name, func(t *testing.T) {
				s := newShop(t, nil)
				s.Region = region
				id := s.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 3}, Cents: 790})
				line := connectortest.Must(s.session.PullOrder(t.Context(), id))(t).Lines[0].ExternalID
				first := connector.Parcel{Key: "s1", Carrier: "dhl", Number: "JD-1",
					Lines: []connector.ParcelLine{{ExternalLine: line, Quantity: 2}}}
				second := connector.Parcel{Key: "s2", Carrier: "GLS", Number: "G1",
					Lines: []connector.ParcelLine{{ExternalLine: line, Quantity: 1}}}
				ref := connector.OrderRef{ExternalID: id, Shipped: []connector.Parcel{first, second}}
				s.Faults = faults
				for range 6 {
					for _, p := range ref.Shipped {
						err := s.session.PushShipment(t.Context(), ref, p)
						if err != nil && !connector.Is(err, connector.Temporary) {
							t.Fatal(err)
						}
						if err != nil { // the next try begins with the first parcel again, as the frame's does
							break
						}
					}
				}
				s.Faults = fakeshop.Faults{}
				if err := s.session.PushStatus(t.Context(), ref, orders.Shipped); err != nil {
					t.Fatal(err)
				}
				if parcels, pieces, status := s.Order(id); parcels != 2 || pieces != 3 || status != "AWAITING_COLLECTION" {
					t.Errorf("%d parcels of %d pieces, %s", parcels, pieces, status)
				}
				s.Move(id, "IN_TRANSIT")
				o := connectortest.Must(s.session.PullOrder(t.Context(), id))(t)
				if o.Status != orders.Shipped || len(o.Parcels) != 2 || o.Parcels[0].Number != "JD-1" || o.Parcels[0].Lines[0].Quantity != 2 {
					t.Errorf("%+v", o.Parcels)
				}
			})
		}
	}
}

// Two shipments in one box have one tracking number: both are shown, the second also by a session that has not made the first.
func TestShipmentsOfOneNumber(t *testing.T) {
	s := newShop(t, nil)
	id := s.Buy(fakeshop.Wish{SKUs: map[string]int64{"CUP": 2, "MUG": 1}, Cents: 790})
	ref := connector.OrderRef{ExternalID: id}
	for i, l := range connectortest.Must(s.session.PullOrder(t.Context(), id))(t).Lines {
		ref.Shipped = append(ref.Shipped, connector.Parcel{Key: "s" + strconv.Itoa(i), Carrier: "GLS", Number: "G1",
			Lines: []connector.ParcelLine{{ExternalLine: l.ExternalID, Quantity: l.Quantity}}})
	}
	for range 2 {
		for _, p := range ref.Shipped {
			s.reopen()
			if err := s.session.PushShipment(t.Context(), ref, p); err != nil {
				t.Fatal(err)
			}
		}
	}
	if parcels, pieces, _ := s.Order(id); parcels != 2 || pieces != 3 {
		t.Errorf("%d parcels of %d pieces", parcels, pieces)
	}
}

// A shipment that is made in place of one that was deleted here gives its number and carrier to the package that TikTok has. A number that
// the merchant has changed in the shop stays, and so does that of a package of other contents.
func TestShipmentsInPlaceOfDeletedOnes(t *testing.T) {
	for name, c := range map[string]struct {
		deleted string
		pieces  int64
		want    string
	}{"deleted": {"WRONG", 2, "RIGHT"}, "changed in the shop": {"ANOTHER", 2, "WRONG"}, "of other contents": {"WRONG", 1, "WRONG"}} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t, nil)
			id := s.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 2}, Cents: 790})
			line := connectortest.Must(s.session.PullOrder(t.Context(), id))(t).Lines[0].ExternalID
			parcel := func(key, carrier, number string, pieces int64) connector.Parcel {
				return connector.Parcel{Key: key, Carrier: carrier, Number: number,
					Lines: []connector.ParcelLine{{ExternalLine: line, Quantity: pieces}}}
			}
			ref := connector.OrderRef{ExternalID: id, Shipped: []connector.Parcel{parcel("s1", "DHL", "WRONG", 2)}}
			if err := s.session.PushShipment(t.Context(), ref, ref.Shipped[0]); err != nil {
				t.Fatal(err)
			}
			ref.Shipped = []connector.Parcel{parcel("s2", "GLS", "RIGHT", c.pieces)}
			ref.Deleted = func(number string) bool { return number == c.deleted }
			for range 2 {
				if err := s.session.(connector.AheadReader).ReadAhead(t.Context(), []string{id}); err != nil {
					t.Fatal(err)
				}
				if err := s.session.PushShipment(t.Context(), ref, ref.Shipped[0]); err != nil {
					t.Fatal(err)
				}
			}
			s.Move(id, "IN_TRANSIT")
			o := connectortest.Must(s.session.PullOrder(t.Context(), id))(t)
			if len(o.Parcels) != 1 || o.Parcels[0].Number != c.want || o.Parcels[0].Lines[0].Quantity != 2 {
				t.Errorf("%+v", o.Parcels)
			}
		})
	}
}

// A carrier that is corrected here is corrected in the shop, also if the number stays.
func TestACarrierIsCorrected(t *testing.T) {
	s := newShop(t, nil)
	id := s.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 1}, Cents: 790})
	line := connectortest.Must(s.session.PullOrder(t.Context(), id))(t).Lines[0].ExternalID
	parcel := connector.Parcel{Key: "s1", Carrier: "DHL", Number: "JD1", Lines: []connector.ParcelLine{{ExternalLine: line, Quantity: 1}}}
	for _, carrier := range []string{"DHL", "GLS", "gls"} {
		parcel.Carrier = carrier
		ref := connector.OrderRef{ExternalID: id, Shipped: []connector.Parcel{parcel}}
		if err := s.session.(connector.AheadReader).ReadAhead(t.Context(), []string{id}); err != nil {
			t.Fatal(err)
		}
		if err := s.session.PushShipment(t.Context(), ref, parcel); err != nil {
			t.Fatal(err)
		}
		parcel.Corrected = true
	}
	s.Move(id, "IN_TRANSIT")
	if o := connectortest.Must(s.session.PullOrder(t.Context(), id))(t); len(o.Parcels) != 1 || o.Parcels[0].Number != "JD1" ||
		o.Parcels[0].Carrier != "GLS" {
		t.Errorf("%+v", o.Parcels)
	}
}

// What TikTok does not take is refused or skipped with the reason: an unknown carrier, a parcel without a number, a status of the
// carrier's. Where TikTok ships, the package is handed over without a number of ours.
func TestShippingWays(t *testing.T) {
	s := newShop(t, nil)
	id := s.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 1}, Cents: 790})
	parcel := func(id, carrier, number string) (connector.OrderRef, connector.Parcel) {
		line := connectortest.Must(s.session.PullOrder(t.Context(), id))(t).Lines[0].ExternalID
		p := connector.Parcel{Key: "s1", Carrier: carrier, Number: number, Lines: []connector.ParcelLine{{ExternalLine: line, Quantity: 1}}}
		return connector.OrderRef{ExternalID: id, Shipped: []connector.Parcel{p}}, p
	}
	for _, unknown := range []string{"Owl Post", "ヤマト運輸", "?"} {
		ref, p := parcel(id, unknown, "O1")
		err := s.session.PushShipment(t.Context(), ref, p)
		if !connector.Is(err, connector.Rejected) || !strings.Contains(err.Error(), "Hermes") {
			t.Errorf("the unknown carrier %s: %v", unknown, err)
		}
	}
	ref, p := parcel(id, "", "")
	if err := s.session.PushShipment(t.Context(), ref, p); !connector.Is(err, connector.Rejected) ||
		!strings.Contains(err.Error(), "make it again") {
		t.Errorf("no number: %v", err)
	}
	if err := s.session.PushStatus(t.Context(), ref, orders.Delivered); !connector.Is(err, connector.Cannot) {
		t.Errorf("delivered: %v", err)
	}
	id = s.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 1}, Cents: 790, ByTikTok: true})
	ref, p = parcel(id, "", "")
	if err := s.session.PushShipment(t.Context(), ref, p); err != nil {
		t.Errorf("TikTok's label: %v", err)
	}
	if _, pieces, status := s.Order(id); pieces != 1 || status != "AWAITING_COLLECTION" {
		t.Errorf("%d pieces, %s", pieces, status)
	}
}

// A cancellation that the buyer asks for is noted until it is answered, and granted by the merchant's own: TikTok takes no second one
// beside it. What was not asked for is cancelled with it.
func TestWhatBuyersAskToBeCancelled(t *testing.T) {
	for name, asked := range map[string]int{"all": 2, "a part": 1} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t, nil)
			id := s.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 2}, Cents: 790})
			s.Pass(time.Hour)
			_, until := s.pull(t, time.Time{})
			s.AskToCancel(id, asked)
			s.Pass(time.Hour)
			found, until := s.pull(t, until)
			if o := found[id]; o.Payment["cancellationRequested"] != true || o.Status != orders.Processing || len(o.Refunds) != 0 ||
				!o.UpdatedAt.Equal(s.Clock().Add(-time.Hour)) {
				t.Errorf("asked for: %+v", o)
			}
			s.Withdraw(id)
			s.Pass(time.Hour)
			found, _ = s.pull(t, until)
			if o := found[id]; o.Payment["cancellationRequested"] != nil || !o.UpdatedAt.Equal(s.Clock().Add(-time.Hour)) {
				t.Errorf("withdrawn: %+v", o)
			}
			s.AskToCancel(id, asked)
			s.Faults = fakeshop.Faults{LoseAnswer: 2}
			for range 6 {
				err := s.session.PushCancel(t.Context(), connector.OrderRef{ExternalID: id}, "")
				if err != nil && !connector.Is(err, connector.Temporary) {
					t.Fatal(err)
				}
			}
			s.Faults = fakeshop.Faults{}
			if _, _, status := s.Order(id); status != "CANCELLED" {
				t.Errorf("%s", status)
			}
		})
	}
}

// Of an order that TikTok ships from its own warehouse nothing is reserved here, and nothing is shipped from here.
func TestOrdersThatTikTokShips(t *testing.T) {
	s := newShop(t, nil)
	id := s.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 2}, Cents: 790, FBT: true})
	o := connectortest.Must(s.session.PullOrder(t.Context(), id))(t)
	line := o.Lines[0]
	if line.SKU != "" || line.Item.Product != "" || line.Name != "Article MUG (MUG)" || line.Quantity != 2 ||
		o.Payment["fulfilledBy"] != "TIKTOK" {
		t.Errorf("%+v", o)
	}
	parcel := connector.Parcel{Key: "s1", Carrier: "DHL", Number: "1",
		Lines: []connector.ParcelLine{{ExternalLine: line.ExternalID, Quantity: 2}}}
	ref := connector.OrderRef{ExternalID: id, Shipped: []connector.Parcel{parcel}}
	if err := s.session.PushShipment(t.Context(), ref, parcel); !connector.Is(err, connector.Cannot) {
		t.Errorf("%v", err)
	}
}
