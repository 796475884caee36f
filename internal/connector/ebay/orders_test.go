package ebay_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/ebay"
	"entrepot/internal/connector/ebay/fakeshop"
	"entrepot/internal/orders"
)

// An order that changes while a pull reads its pages leaves the span, and the others move up: none of them is skipped.
func TestOrdersThatMoveBetweenPages(t *testing.T) {
	a := newAccount(t)
	var ids []string
	for range 330 {
		id, _ := a.Buy("MUG", 1, 790)
		ids = append(ids, id)
		a.Pass(time.Second)
	}
	a.Pass(2 * time.Minute)
	found := map[string]bool{}
	cursor := connector.Cursor{}
	for n := 0; ; n++ {
		page := connectortest.Must(a.session.PullOrders(t.Context(), cursor))(t)
		for _, o := range page.Orders {
			found[o.ExternalID] = true
		}
		if cursor.Page = page.Next; page.Next == "" || n > 20 {
			break
		}
		a.Pass(time.Minute)
		for _, moved := range []string{ids[n], ids[150+n], ids[300+n]} {
			a.Refund(moved, 10)
		}
	}
	for i, id := range ids {
		if changed := i < 10 || i >= 150 && i < 160 || i >= 300 && i < 310; !found[id] && !changed { // these come with the next pull
			t.Errorf("order %d of %d is missing", i, len(ids))
		}
	}
}

func TestOrdersArePulled(t *testing.T) {
	a := newAccount(t)
	var ids []string
	for range 130 {
		id, _ := a.Buy("MUG", 2, 790)
		ids = append(ids, id)
		a.Pass(time.Second)
	}
	a.Pass(2 * time.Minute)
	var list []connector.Order
	cursor := connector.Cursor{}
	for {
		page := connectortest.Must(a.session.PullOrders(t.Context(), cursor))(t)
		for _, o := range page.Orders {
			if !slices.ContainsFunc(list, func(known connector.Order) bool { return known.ExternalID == o.ExternalID }) {
				list = append(list, o)
			}
		}
		if cursor.Page = page.Next; page.Next == "" {
			cursor.Since = page.Until
			break
		}
	}
	if len(list) != 130 || list[0].ExternalID != ids[0] || list[0].Status != orders.Processing || list[0].Total != 207000 ||
		list[0].Lines[0].Amount != 158000 ||
		list[0].Shipping != 49000 || list[0].Discount != 0 || list[0].ShipTo.Country != "DE" || list[0].Name != "Ada Lovelace" {
		t.Fatalf("%d: %+v", len(list), list[0])
	}
	a.Pass(time.Hour)
	a.Refund(ids[3], 790)
	a.Pass(2 * time.Minute)
	page := connectortest.Must(a.session.PullOrders(t.Context(), cursor))(t)
	if len(page.Orders) != 1 || len(page.Orders[0].Refunds) != 1 || page.Orders[0].Refunds[0].Amount != 79000 {
		t.Errorf("%+v", page)
	}
	if _, err := a.session.PullOrder(t.Context(), "nothing"); !connector.Is(err, connector.Missing) {
		t.Errorf("%v", err)
	}
}

// An order that is refunded wholly was shipped or not, as eBay says of it. Of one that was shipped in part, it says which lines have left.
func TestOrdersThatAreRefundedWholly(t *testing.T) {
	a := newAccount(t)
	place := func() (id string, lines []connector.OrderLine) {
		id = a.Place(fakeshop.Wish{Lines: []fakeshop.Bought{{SKU: "MUG", Quantity: 2, Cents: 790}, {SKU: "CUP", Quantity: 1, Cents: 790}}})
		return id, connectortest.Must(a.session.PullOrder(t.Context(), id))(t).Lines
	}
	read := func(id string) connector.Order { return connectortest.Must(a.session.PullOrder(t.Context(), id))(t) }
	unsent, _ := place()
	sent, lines := place()
	a.Send(sent, lines[0].ExternalID, 2)
	if o := read(sent); o.Status != orders.PartiallyShipped || len(o.Sent) != 1 || o.Sent[lines[0].ExternalID] != 2 {
		t.Errorf("%+v", o)
	}
	a.Send(sent, lines[1].ExternalID, 1)
	for id, want := range map[string]orders.Status{unsent: orders.Cancelled, sent: orders.Shipped} {
		a.Change(id, "returned")
		if o := read(id); o.Status != want || !o.Refunded || len(o.Sent) != 0 {
			t.Errorf("%+v", o)
		}
	}
}

// Parcels to eBay's shipping partner need its reference above the street; without it the buyer never gets them.
func TestReferenceOfTheShippingPartner(t *testing.T) {
	a := newAccount(t)
	id := a.Place(fakeshop.Wish{Lines: []fakeshop.Bought{{SKU: "MUG", Quantity: 1, Cents: 790}}, Abroad: "1234567890123456"})
	o := connectortest.Must(a.session.PullOrder(t.Context(), id))(t)
	if o.ShipTo.Company != "Shipping Centre, Reference #1234567890123456" || o.Payment["shipToReferenceId"] != "1234567890123456" {
		t.Errorf("%+v, %v", o.ShipTo, o.Payment)
	}
}

// Orders of all marketplaces of the account are in one list: one of another marketplace than the channel's says so.
func TestOrdersOfOtherMarketplaces(t *testing.T) {
	a := newAccount(t)
	for market, want := range map[string]string{"": "", "EBAY_DE": "", "EBAY_GB": "EBAY_GB"} {
		id := a.Place(fakeshop.Wish{Lines: []fakeshop.Bought{{SKU: "MUG", Quantity: 1, Cents: 790}}, Market: market})
		if o := connectortest.Must(a.session.PullOrder(t.Context(), id))(t); o.Market != want {
			t.Errorf("%q: %q", market, o.Market)
		}
	}
}

// The tax that eBay collects and pays to the state is in an order's total and not the seller's: it is no fee that the buyer pays him.
func TestTaxThatEBayKeeps(t *testing.T) {
	a := newAccount(t)
	for _, discount := range []int64{0, 150} {
		id := a.Place(fakeshop.Wish{Lines: []fakeshop.Bought{{SKU: "MUG", Quantity: 2, Cents: 790}}, Kept: 124, Discount: discount})
		o := connectortest.Must(a.session.PullOrder(t.Context(), id))(t)
		if len(o.Lines) != 1 || o.Tax != 12400 || o.Discount != money.Amount(discount*100) || o.Total != 219400-o.Discount ||
			o.Payment["taxKeptByEBay"] != "1.24" {
			t.Errorf("%+v", o)
		}
	}
}

// A refund of a line is with the line alone (orders.lineItems.refunds); of a whole line, it is not to be shipped any more.
func TestRefundsOfLinesAreTaken(t *testing.T) {
	a := newAccount(t)
	id := a.Place(fakeshop.Wish{Lines: []fakeshop.Bought{{SKU: "MUG", Quantity: 2, Cents: 790}, {SKU: "CUP", Quantity: 1, Cents: 500}}})
	o := connectortest.Must(a.session.PullOrder(t.Context(), id))(t)
	mugs, cup := o.Lines[0].ExternalID, o.Lines[1].ExternalID
	a.RefundLine(id, mugs, 300)
	a.Pass(time.Hour)
	a.RefundLine(id, cup, 500)
	a.Pass(time.Hour)
	a.Refund(id, 490)
	o = connectortest.Must(a.session.PullOrder(t.Context(), id))(t)
	of := map[money.Amount]connector.Refund{}
	for _, r := range o.Refunds {
		of[r.Amount] = r
	}
	if len(o.Refunds) != 3 || len(of) != 3 || len(of[30000].Lines) != 1 || of[30000].Lines[0].Quantity != 0 || len(of[49000].Lines) != 0 {
		t.Fatalf("%+v", o.Refunds)
	}
	if lines := of[50000].Lines; len(lines) != 1 || lines[0].ExternalLine != cup || lines[0].Quantity != 1 || lines[0].Amount != 50000 {
		t.Errorf("%+v", o.Refunds)
	}
}

// A line whose price comes back in several refunds is refunded wholly with the one that completes it. SHIPPED, which is of the others, does
// not mark it as shipped.
func TestLinesRefundedInPartsDoNotLeave(t *testing.T) {
	a := newAccount(t)
	id := a.Place(fakeshop.Wish{Lines: []fakeshop.Bought{{SKU: "MUG", Quantity: 2, Cents: 790}, {SKU: "CUP", Quantity: 1, Cents: 500}}})
	lines := connectortest.Must(a.session.PullOrder(t.Context(), id))(t).Lines
	mugs, cup := lines[0].ExternalID, lines[1].ExternalID
	refunded := func() (pieces int64) {
		for _, r := range connectortest.Must(a.session.PullOrder(t.Context(), id))(t).Refunds {
			for _, l := range r.Lines {
				pieces += l.Quantity
			}
		}
		return pieces
	}
	for i, cents := range []int64{1000, 579, 1, 100} {
		a.Pass(time.Hour)
		a.RefundLine(id, mugs, cents)
		if want := int64(i / 2 * 2); refunded() != min(want, 2) {
			t.Errorf("after refund %d: %d pieces", i, refunded())
		}
	}
	parcel := connector.Parcel{Key: "s1", Carrier: "DHL", Number: "JD1", Lines: []connector.ParcelLine{{ExternalLine: cup, Quantity: 1}}}
	ref := connector.OrderRef{ExternalID: id, Shipped: []connector.Parcel{parcel}}
	for range 2 {
		if err := a.session.PushShipment(t.Context(), ref, parcel); err != nil {
			t.Fatal(err)
		}
		if err := a.session.PushStatus(t.Context(), ref, orders.Shipped); err != nil {
			t.Fatal(err)
		}
	}
	if parcels, pieces, _ := a.Order(id); parcels != 1 || pieces != 1 {
		t.Errorf("%d pieces in %d parcels", pieces, parcels)
	}
}

func TestParcelsAreShownOnce(t *testing.T) {
	a := newAccount(t)
	id, line := a.Buy("MUG", 3, 790)
	first := connector.Parcel{Key: "s1", Carrier: "DHL", Number: "JD-1", Lines: []connector.ParcelLine{{ExternalLine: line, Quantity: 2}}}
	second := connector.Parcel{Key: "s2", Lines: []connector.ParcelLine{{ExternalLine: line, Quantity: 1}}, Rest: true}
	ref := connector.OrderRef{ExternalID: id, Shipped: []connector.Parcel{first, second}}
	a.Faults.LoseAnswer = 3
	for range 4 {
		for _, p := range ref.Shipped {
			if err := a.session.PushShipment(t.Context(), ref, p); err != nil && !connector.Is(err, connector.Temporary) {
				t.Fatal(err)
			}
		}
	}
	a.Faults.LoseAnswer = 0
	if err := a.session.PushStatus(t.Context(), ref, orders.Shipped); err != nil {
		t.Fatal(err)
	}
	if parcels, pieces, _ := a.Order(id); parcels != 2 || pieces != 3 {
		t.Errorf("%d parcels of %d pieces", parcels, pieces)
	}
	o := connectortest.Must(a.session.PullOrder(t.Context(), id))(t)
	if err := a.session.(connector.Detailer).Detail(t.Context(), &o); err != nil {
		t.Fatal(err)
	}
	if o.Status != orders.Shipped || len(o.Parcels) != 2 || o.Parcels[0].Number != "JD1" {
		t.Errorf("%+v", o)
	}
	other, _ := a.Buy("MUG", 1, 790)
	for range 2 {
		if err := a.session.PushCancel(t.Context(), connector.OrderRef{ExternalID: other}, ""); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, cancelled := a.Order(other); !cancelled {
		t.Error("not cancelled")
	}
	if err := a.session.PushStatus(t.Context(), ref, orders.Delivered); !connector.Is(err, connector.Cannot) {
		t.Errorf("%v", err)
	}
}

// Two shipments in one box have one tracking number: both are shown, each once.
func TestShipmentsOfOneNumber(t *testing.T) {
	a := newAccount(t)
	id := a.Place(fakeshop.Wish{Lines: []fakeshop.Bought{{SKU: "MUG", Quantity: 1, Cents: 790}, {SKU: "CUP", Quantity: 2, Cents: 490}}})
	lines := connectortest.Must(a.session.PullOrder(t.Context(), id))(t).Lines
	parcel := func(key string, l connector.OrderLine) connector.Parcel {
		return connector.Parcel{Key: key, Carrier: "DHL", Number: "JD1",
			Lines: []connector.ParcelLine{{ExternalLine: l.ExternalID, Quantity: l.Quantity}}}
	}
	ref := connector.OrderRef{ExternalID: id, Shipped: []connector.Parcel{parcel("s1", lines[0]), parcel("s2", lines[1])}}
	for range 2 {
		for _, p := range ref.Shipped {
			if err := a.session.PushShipment(t.Context(), ref, p); err != nil {
				t.Fatal(err)
			}
		}
	}
	if parcels, pieces, _ := a.Order(id); parcels != 2 || pieces != 3 {
		t.Errorf("%d parcels of %d pieces", parcels, pieces)
	}
}

// The number of a parcel whose carrier nobody named reaches the buyer; eBay takes no number alone.
func TestNumbersWithoutACarrier(t *testing.T) {
	a := newAccount(t)
	id, line := a.Buy("MUG", 1, 790)
	parcel := connector.Parcel{Key: "s1", Number: "JD 1", Lines: []connector.ParcelLine{{ExternalLine: line, Quantity: 1}}}
	ref := connector.OrderRef{ExternalID: id, Shipped: []connector.Parcel{parcel}}
	if err := a.session.PushShipment(t.Context(), ref, parcel); err != nil {
		t.Fatal(err)
	}
	if got := a.Numbers(id); !slices.Equal(got, []string{"JD1"}) {
		t.Error(got)
	}
}

// eBay takes no other carrier for a parcel that it has: that is said, and nothing is sent.
func TestACarrierThatIsCorrectedIsNotSent(t *testing.T) {
	a := newAccount(t)
	id, line := a.Buy("MUG", 1, 790)
	parcel := connector.Parcel{Key: "s1", Carrier: "DHL", Number: "JD1", Lines: []connector.ParcelLine{{ExternalLine: line, Quantity: 1}}}
	for carrier, unsent := range map[string]bool{"DHL": false, "dhl": false, "GLS": true} {
		said := ""
		ref := connector.OrderRef{ExternalID: id, Shipped: []connector.Parcel{parcel}}.WithUnsent(func(reason string) { said = reason })
		if err := a.session.PushShipment(t.Context(), ref, parcel); err != nil {
			t.Fatal(err)
		}
		corrected := parcel
		corrected.Carrier, corrected.Corrected = carrier, true
		ref.Shipped = []connector.Parcel{corrected}
		if err := a.session.PushShipment(t.Context(), ref, corrected); err != nil || (said != "") != unsent {
			t.Errorf("%s: %v, %q", carrier, err, said)
		}
		if got := a.Numbers(id); !slices.Equal(got, []string{"JD1"}) {
			t.Error(got)
		}
	}
}

// A buyer's request is approved, because eBay takes no cancellation by the seller beside it; an answer without a cancellation is a refusal.
func TestCancellations(t *testing.T) {
	for _, lose := range []int{0, 2, 3} {
		a := newAccount(t)
		asked, _ := a.Buy("MUG", 1, 790)
		a.Ask(asked)
		plain, _ := a.Buy("MUG", 1, 790)
		for id, want := range map[string]any{asked: true, plain: nil} {
			if o, err := a.session.PullOrder(t.Context(), id); err != nil || o.Payment["cancellationRequested"] != want {
				t.Errorf("%+v, %v", o.Payment, err)
			}
		}
		a.Faults.LoseAnswer = lose
		for _, id := range []string{asked, plain} {
			for try := 0; ; try++ { // as the frame does
				err := a.session.PushCancel(t.Context(), connector.OrderRef{ExternalID: id}, "")
				if err == nil {
					break
				}
				if !connector.Is(err, connector.Temporary) || try > 9 {
					t.Fatal(err)
				}
			}
			if _, _, cancelled := a.Order(id); !cancelled {
				t.Errorf("losing each %d. answer: the order is not cancelled", lose)
			}
		}
	}
	a := newAccount(t)
	shipped, line := a.Buy("MUG", 1, 790)
	parcel := connector.Parcel{Key: "s1", Lines: []connector.ParcelLine{{ExternalLine: line, Quantity: 1}}}
	ref := connector.OrderRef{ExternalID: shipped, Shipped: []connector.Parcel{parcel}}
	if err := a.session.PushShipment(t.Context(), ref, parcel); err != nil {
		t.Fatal(err)
	}
	err := a.session.PushCancel(t.Context(), connector.OrderRef{ExternalID: shipped}, "")
	if !connector.Is(err, connector.Rejected) || !strings.Contains(err.Error(), "ORDER_SHIPPED") {
		t.Errorf("an order that was shipped: %v", err)
	}
}

// Pages of orders that are too large, or for which something before eBay waits too long, are asked for in smaller ones, and a pull that was
// on its way begins anew with these.
func TestSmallerPagesOfOrders(t *testing.T) {
	for _, whole := range []bool{false, true} {
		a := newAccount(t)
		for range 130 {
			a.Buy("MUG", 1, 790)
		}
		a.Pass(2 * time.Minute)
		first := connectortest.Must(a.session.PullOrders(t.Context(), connector.Cursor{}))(t)
		a.Kept["baseUrl"] = connectortest.Serve(t, connectortest.SmallPages(a, "/sell/fulfillment/v1/order", "limit", 25, whole))
		a.session = a.Open(ebay.New(http.DefaultClient, a.Now))
		if found := connectortest.PullRest(t, a.session, first); len(found) != 130 {
			t.Errorf("%d orders", len(found))
		}
	}
}
