package ebay_test

import (
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
