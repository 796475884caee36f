package platforms

import (
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest/story"
	"entrepot/internal/orders"
)

// parcelOf is a parcel with all lines of an order that have a SKU.
func (o *opened) parcelOf(t *testing.T, id, number string) connector.OrderRef {
	t.Helper()
	in, err := o.PullOrder(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	parcel := connector.Parcel{Key: "parcel " + number, Carrier: "DHL", Number: number, ShippedAt: o.Clock(), Rest: true}
	for _, l := range in.Lines {
		if l.SKU != "" {
			parcel.Lines = append(parcel.Lines, connector.ParcelLine{ExternalLine: l.ExternalID, SKU: l.SKU, Quantity: l.Quantity})
		}
	}
	return connector.OrderRef{ExternalID: id, Number: "ORD-" + number, Currency: in.Currency, Shipped: []connector.Parcel{parcel}}
}

// pushShipped pushes an order that was shipped, as the service does.
func (o *opened) pushShipped(t *testing.T, ref connector.OrderRef) error {
	for _, parcel := range ref.Shipped {
		if err := o.PushShipment(t.Context(), ref, parcel); err != nil {
			return err
		}
	}
	return o.PushStatus(t.Context(), ref, orders.Shipped)
}

// Orders that are pushed one after the other are read together where the platform can. Each is shown once; one that is
// cancelled there after it was read does not become shipped.
func TestOrdersReadAhead(t *testing.T) {
	most := map[string]int64{"PRESTASHOP": 2 + 3 + 3*10, "SHOPIFY": 1 + 10, "TIKTOK_SHOP": 1 + 3 + 10}
	for _, shop := range shops() {
		shop.Faults = nil
		t.Run(shop.Platform, func(t *testing.T) {
			var calls atomic.Int64
			o := open(t, shop, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				shop.Handler.ServeHTTP(w, r)
			}))
			ahead, can := o.Session.(connector.AheadReader)
			if _, expected := most[shop.Platform]; can != expected {
				t.Fatalf("it reads ahead: %t", can)
			}
			item := o.publish(t)[0]
			var refs []connector.OrderRef
			var ids []string
			for i := range 11 {
				ids = append(ids, shop.Buy(story.Wish{Email: "ada@shop.example", Lines: []story.Line{{SKU: item.SKU, Quantity: 2, Cents: 1000}}}))
				refs = append(refs, o.parcelOf(t, ids[i], fmt.Sprint("JD", i)))
			}
			o.Pass(time.Minute)
			before := calls.Load()
			readAhead := func(ids []string) {
				if can {
					if err := ahead.ReadAhead(t.Context(), ids); err != nil {
						t.Fatal(err)
					}
				}
			}
			readAhead(ids)
			for _, ref := range refs[:10] {
				if err := o.pushShipped(t, ref); err != nil {
					t.Fatal(err)
				}
			}
			n := calls.Load() - before
			t.Logf("%d requests for 10 parcels", n)
			if can && n > most[shop.Platform] {
				t.Errorf("%d requests, at most %d", n, most[shop.Platform])
			}
			shop.Cancel(ids[10])
			err := o.pushShipped(t, refs[10])
			if can && connector.Is(err, connector.Rejected) { // as the service does
				readAhead(ids[10:])
				err = o.pushShipped(t, refs[10])
			}
			if there := shop.Order(ids[10]); there.Shipped || there.Pieces > 0 || !connector.Is(err, connector.Rejected) {
				t.Errorf("cancelled there, shipped here: %+v, %v", there, err)
			}
			for range 2 { // as after a lost answer, by a session that knows nothing, and by one that has read ahead
				for i, id := range ids[:10] {
					if err := o.pushShipped(t, refs[i]); err != nil {
						t.Error(err)
					}
					there := shop.Order(id)
					if !there.Shipped || len(slices.DeleteFunc(there.Numbers, func(n string) bool { return n == "" })) > 2 ||
						shop.Cannot[story.Pieces] == "" && there.Pieces != 2 {
						t.Errorf("%+v", there)
					}
				}
				readAhead(ids[:10])
			}
		})
	}
}
