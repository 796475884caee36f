package ebay_test

import (
	"strings"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
)

// When a day's quota is nearly spent, products and shipments wait for the next day, and say so; stock, prices and orders go on with the
// rest. Requests since eBay was asked count.
func TestWhatIsLeftOfAQuotaIsForStockAndOrders(t *testing.T) {
	a := newAccount(t)
	connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{mug()}))(t)
	item := connector.Item{SKU: "MUG", IDs: connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{mug()}))(t)[0].IDs}
	order, line := a.Buy("MUG", 1, 790)
	parcel := connector.Parcel{Key: "s1", Carrier: "DHL", Number: "JD1", Lines: []connector.ParcelLine{{ExternalLine: line, Quantity: 1}}}
	ref := connector.OrderRef{ExternalID: order, Shipped: []connector.Parcel{parcel}}

	a.Pass(2 * time.Hour)
	a.Spend("inventory", 200, 170)
	a.Spend("fulfillment", 100, 95)
	waits := func(what string, err error) {
		t.Helper()
		f := connector.FailureOf(err)
		if f == nil || f.Kind != connector.Throttled || !f.Share || f.After <= 0 || f.After > time.Hour {
			t.Errorf("%s: %+v", what, f)
		}
	}
	for spent := false; !spent; {
		_, err := a.session.Upsert(t.Context(), []connector.Product{mug()})
		if spent = err != nil; spent {
			waits("a product", err)
		}
	}
	if seen := connectortest.Must(a.session.(connector.Looker).Look(t.Context(), []connector.Item{item}))(t); len(seen) != 0 {
		t.Errorf("looked at %v", seen)
	}
	waits("a shipment", a.session.PushShipment(t.Context(), ref, parcel))
	r := connectortest.Must(a.session.SetStock(t.Context(), []connector.StockItem{{Item: item, Quantity: 3}}))(t)
	if r[0].State != connector.Live || a.Offers()["MUG"].Quantity != 3 {
		t.Errorf("stock: %+v", r)
	}
	if o := connectortest.Must(a.session.PullOrder(t.Context(), order))(t); o.ExternalID != order {
		t.Errorf("%+v", o)
	}

	a.Pass(24 * time.Hour)
	a.Spend("inventory", 200, 0)
	a.Spend("fulfillment", 100, 0)
	connectortest.Must(a.session.Upsert(t.Context(), []connector.Product{mug()}))(t)
	if err := a.session.PushShipment(t.Context(), ref, parcel); err != nil {
		t.Errorf("the next day: %v", err)
	}
}

// A refusal of an API whose quota is spent lasts until the quota begins anew, and says so; one for a moment does not.
func TestASpentQuotaIsWaitedFor(t *testing.T) {
	a := newAccount(t)
	order, _ := a.Buy("MUG", 1, 790)
	connectortest.Must(a.session.PullOrder(t.Context(), order))(t)
	a.Spend("fulfillment", 100, 100)
	_, err := a.session.PullOrder(t.Context(), order)
	f := connector.FailureOf(err)
	if f == nil || f.Kind != connector.Throttled || !f.Share || f.After != time.Hour || !strings.Contains(f.Message, "2026-11-23T00:00:00Z") {
		t.Errorf("%+v", f)
	}
	a.SetClock(time.Date(2026, 11, 22, 23, 59, 0, 0, time.UTC))
	_, err = a.session.PullOrder(t.Context(), order)
	if f := connector.FailureOf(err); f == nil || f.After != 57*time.Second { // after two rests within the call
		t.Errorf("a minute before: %+v", f)
	}
	a.Pass(time.Minute)
	a.Spend("fulfillment", 100, 0)
	connectortest.Must(a.session.PullOrder(t.Context(), order))(t)
}
