package amazon_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/amazon/fakeshop"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/orders"
)

// shipments are two parcels of an order with one line.
func shipments(id, line string) (connector.OrderRef, []connector.Parcel) {
	parcels := []connector.Parcel{
		{Key: "019a-1", Carrier: "DHL", Number: "JD-1",
			Lines: []connector.ParcelLine{{ExternalLine: line, Quantity: 1}, {ExternalLine: "fee X"}}},
		{Key: "019a-2", Carrier: "Uncle Bob", Number: "JD-2", Lines: []connector.ParcelLine{{ExternalLine: line, Quantity: 1}}, Rest: true},
	}
	return connector.OrderRef{ExternalID: id, Shipped: parcels}, parcels
}

func TestParcelsAreConfirmedOnce(t *testing.T) {
	for name, faults := range map[string]fakeshop.Faults{
		"a good day": {}, "answers are lost": {LoseAnswer: 2}, "done and 500": {FailAfterWrite: 2}, "broken": {Broken: 3},
		"throttled": {TooMany: 3},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t)
			a.Faults = faults
			id := a.Place(wish("MUG", 2, 1580))
			ref, parcels := shipments(id, a.Lines(id)[0])
			for range 2 {
				for _, p := range parcels {
					a.again(t, func() error { return a.session.PushShipment(t.Context(), ref, p) })
				}
				a.again(t, func() error { return a.session.PushStatus(t.Context(), ref, orders.Shipped) })
			}
			if sent, pieces, status := a.Order(id); sent != 2 || pieces != 2 || status != "SHIPPED" {
				t.Errorf("%d parcels of %d pieces, %s", sent, pieces, status)
			}
			if calls := a.Calls(); faults == (fakeshop.Faults{}) && (calls["confirmShipment"] != 2 || calls["getOrder"] != 1) {
				t.Errorf("%v", calls)
			}
		})
	}
}

// A shipment that is made in place of one that was deleted here edits the package that Amazon has. A number that the seller has changed at
// Amazon stays, and so does that of a package of other contents: what is in it counts as shipped there, and the rest is confirmed.
func TestShipmentsInPlaceOfDeletedOnes(t *testing.T) {
	for name, c := range map[string]struct {
		deleted string
		pieces  []int64
		want    string
	}{"deleted": {"WRONG", []int64{2}, "RIGHT-0 2"}, "changed at Amazon": {"ANOTHER", []int64{2}, "WRONG 2"},
		"of other contents": {"WRONG", []int64{1}, "WRONG 2"}, "and one more": {"WRONG", []int64{1, 1, 1}, "WRONG 2, RIGHT-2 1"},
		"one more first": {"WRONG", []int64{1, 2}, "RIGHT-1 2, RIGHT-0 1"},
		"and a rest":     {"WRONG", []int64{2, 1}, "RIGHT-0 2, RIGHT-1 1"}} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t)
			id := a.Place(wish("MUG", 3, 1580))
			parcel := func(key, number string, pieces int64) connector.Parcel {
				return connector.Parcel{Key: key, Carrier: "DHL", Number: number,
					Lines: []connector.ParcelLine{{ExternalLine: a.Lines(id)[0], Quantity: pieces}}}
			}
			ref := connector.OrderRef{ExternalID: id, Shipped: []connector.Parcel{parcel("019a-1", "WRONG", 2)}}
			a.again(t, func() error { return a.session.PushShipment(t.Context(), ref, ref.Shipped[0]) })
			ref.Shipped, ref.Deleted = nil, func(number string) bool { return number == c.deleted }
			for i, n := range c.pieces {
				ref.Shipped = append(ref.Shipped, parcel(fmt.Sprint("019a-", i+2), fmt.Sprint("RIGHT-", i), n))
			}
			for range 2 {
				a.open()
				for _, p := range ref.Shipped {
					a.again(t, func() error { return a.session.PushShipment(t.Context(), ref, p) })
				}
			}
			var shown []string
			for _, p := range connectortest.Must(a.session.PullOrder(t.Context(), id))(t).Parcels {
				shown = append(shown, fmt.Sprint(p.Number, " ", p.Lines[0].Quantity))
			}
			if got := strings.Join(shown, ", "); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// A package whose label was bought at Amazon is confirmed already: the same one here is none beside it, and of another one the rest is
// confirmed.
func TestLabelsThatAreBoughtAtAmazon(t *testing.T) {
	for name, c := range map[string]struct {
		number  string
		bought  int64
		parcels int
	}{"the same": {"JD-1", 2, 1}, "all of it": {"other", 2, 1}, "a part": {"other", 1, 2}} {
		a := newAccount(t)
		id := a.Place(wish("MUG", 2, 1580))
		a.BuyLabel(id, c.number, c.bought)
		p := connector.Parcel{Key: "019a-1", Carrier: "DHL", Number: "JD-1",
			Lines: []connector.ParcelLine{{ExternalLine: a.Lines(id)[0], Quantity: 2}}, Rest: true}
		ref := connector.OrderRef{ExternalID: id, Shipped: []connector.Parcel{p}}
		for range 2 {
			if err := a.session.PushShipment(t.Context(), ref, p); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			a.open()
		}
		if parcels, pieces, status := a.Order(id); parcels != c.parcels || pieces != 2 || status != "SHIPPED" {
			t.Errorf("%s: %d parcels of %d pieces, %s", name, parcels, pieces, status)
		}
	}
}

func TestWhatCannotBeShipped(t *testing.T) {
	a := newAccount(t)
	id := a.Place(wish("MUG", 2, 1580))
	ref, parcels := shipments(id, a.Lines(id)[0])
	parcels[0].Number = ""
	if err := a.session.PushShipment(t.Context(), ref, parcels[0]); !connector.Is(err, connector.Rejected) {
		t.Errorf("%v", err)
	}
	for _, status := range []orders.Status{orders.Delivered, orders.Returned} {
		if err := a.session.PushStatus(t.Context(), ref, status); !connector.Is(err, connector.Cannot) {
			t.Errorf("%s: %v", status, err)
		}
	}
	a.Cancel(id)
	a.open()
	if err := a.session.PushShipment(t.Context(), ref, parcels[1]); !connector.Is(err, connector.Rejected) {
		t.Errorf("%v", err)
	}
}

func TestOrdersAreCancelledByAFeed(t *testing.T) {
	for name, faults := range map[string]fakeshop.Faults{"a good day": {}, "answers are lost": {LoseAnswer: 4}, "broken": {Broken: 5}} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t)
			a.Faults, a.Working = faults, 10*time.Minute
			id := a.Place(wish("MUG", 2, 1580))
			ref := connector.OrderRef{ExternalID: id}
			a.again(t, func() error { return a.session.PushCancel(t.Context(), ref, "") })
			if _, _, status := a.Order(id); status != "CANCELLED" || len(a.Facts) != 0 {
				t.Errorf("%s, %v", status, a.Facts)
			}
			if calls := a.Calls(); faults == (fakeshop.Faults{}) && calls["createFeed"] != 1 {
				t.Errorf("%v", calls)
			}
			a.again(t, func() error { return a.session.PushStatus(t.Context(), ref, orders.Cancelled) })
		})
	}
	a := newAccount(t)
	id := a.Place(wish("MUG", 2, 1580))
	ref, parcels := shipments(id, a.Lines(id)[0])
	if err := a.session.PushShipment(t.Context(), ref, parcels[0]); err != nil {
		t.Fatal(err)
	}
	var err error
	for range 2 {
		if err = a.session.PushCancel(t.Context(), ref, ""); connector.Is(err, connector.Underway) {
			connectortest.Must(0, a.session.(connector.Collector).Send(t.Context()))(t)
		}
		a.Pass(time.Hour)
	}
	if !connector.Is(err, connector.Rejected) || len(a.Facts) != 0 {
		t.Errorf("%v, %v", err, a.Facts)
	}
}

// A report in the characters that Amazon's older feeds use is read; of one that cannot be read the order itself says what became of it.
func TestReportsOfCancellations(t *testing.T) {
	for name, faults := range map[string]fakeshop.Faults{"latin": {Latin: true}, "torn": {Torn: true}} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t)
			a.Faults = faults
			good, late := a.Place(wish("MUG", 1, 790)), a.Place(wish("MUG", 2, 1580))
			refs := []connector.OrderRef{{ExternalID: good}, {ExternalID: late}}
			ref, parcels := shipments(late, a.Lines(late)[0])
			if err := a.session.PushShipment(t.Context(), ref, parcels[0]); err != nil {
				t.Fatal(err)
			}
			var got [2]error
			for range 2 {
				for i, ref := range refs {
					got[i] = a.session.PushCancel(t.Context(), ref, "")
				}
				connectortest.Must(0, a.session.(connector.Collector).Send(t.Context()))(t)
				a.Pass(time.Hour)
			}
			if got[0] != nil || !connector.Is(got[1], connector.Rejected) || name == "latin" && !strings.Contains(got[1].Error(), "für Käufer") {
				t.Errorf("%v, %v", got[0], got[1])
			}
		})
	}
}

// All cancellations of a run are one feed, which is asked for the outcome of each order; the report is read once. A
// refused cancellation does not stop the others.
func TestCancellationsAreOneFeed(t *testing.T) {
	a := newAccount(t)
	a.Working = 10 * time.Minute
	var refs []connector.OrderRef
	for range 40 {
		refs = append(refs, connector.OrderRef{ExternalID: a.Place(wish("MUG", 1, 790))})
	}
	late, parcels := shipments(refs[7].ExternalID, a.Lines(refs[7].ExternalID)[0])
	run := func() (failed map[connector.Kind]int) {
		a.open()
		failed = map[connector.Kind]int{}
		for _, ref := range refs {
			kind := connector.Kind("")
			if f := connector.FailureOf(a.session.PushCancel(t.Context(), ref, "")); f != nil {
				kind = f.Kind
			}
			failed[kind]++
		}
		connectortest.Must(0, a.session.(connector.Collector).Send(t.Context()))(t)
		a.Pass(5 * time.Minute)
		return failed
	}
	if got := run(); got[connector.Underway] != 40 {
		t.Fatalf("%v", got)
	}
	if err := a.session.PushShipment(t.Context(), late, parcels[0]); err != nil { // it has left before Amazon reads the feed
		t.Fatal(err)
	}
	if got := run(); got[connector.Underway] != 40 {
		t.Errorf("while Amazon works: %v", got)
	}
	if got := run(); got[""] != 39 || got[connector.Rejected] != 1 || len(a.Facts) != 0 {
		t.Errorf("%v, %v", got, a.Facts)
	}
	calls := a.Calls()
	if calls["createFeed"] != 1 || calls["getFeed"] != 2 || calls["getFeedDocument"] != 1 {
		t.Errorf("%v", calls)
	}
	if _, _, status := a.Order(refs[39].ExternalID); status != "CANCELLED" {
		t.Errorf("the last one is %s", status)
	}
}
