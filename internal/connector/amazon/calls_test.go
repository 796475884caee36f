package amazon_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/amazon"
	"entrepot/internal/connector/connectortest"
)

// What a merchant's day costs in requests and, by Amazon's limits, in time: no request is one too many, and a wave is a handful.
func TestCallsOfADay(t *testing.T) {
	s := newShop(t)
	spent := func(what string, most int, longest time.Duration, do func()) {
		t.Helper()
		before, began := s.Calls(), s.Now()
		do()
		calls, refused := 0, s.Calls()["429"]-before["429"]
		for name, n := range s.Calls() {
			if name != "429" {
				calls += n - before[name]
			}
		}
		took := s.Now().Sub(began)
		t.Logf("%s: %d requests in %s", what, calls, took.Round(time.Second))
		if calls > most || took > longest || refused > 0 {
			t.Errorf("%s: %d requests in %s, %d refused", what, calls, took, refused)
		}
	}
	products := mugs(500)
	spent("500 products", 76, 4*time.Minute, func() {
		for batch := range slices.Chunk(products, amazon.New().Capabilities().Batch.Products) {
			s.upsert(t, slices.Clone(batch)...)
		}
	})
	spent("20 quantities", 1, time.Second, func() {
		var items []connector.Item
		for _, p := range products[:20] {
			items = append(items, s.item(p.SKU))
		}
		if shown := connectortest.Must(s.session.ReadStock(t.Context(), items))(t); len(shown) != 20 {
			t.Errorf("%d are shown", len(shown))
		}
	})
	spent("a wave over their stock and prices", 20, 2*time.Minute, func() {
		var stocks []connector.StockItem
		var prices []connector.PriceItem
		for _, p := range products {
			stocks = append(stocks, connector.StockItem{Item: s.item(p.SKU), Quantity: 5})
			prices = append(prices, connector.PriceItem{Item: s.item(p.SKU), Price: 81000})
		}
		s.take(connectortest.Must(s.session.(connector.LevelSetter).SetLevels(t.Context(), stocks, prices))(t))
		s.poll(t)
	})
	s.offers(t, "SKU-499", "8.10", 5)
	began := s.Now()
	var ids []string
	for i := range 200 {
		ids = append(ids, s.Place(wish(fmt.Sprintf("SKU-%03d", i), 1, 810)))
	}
	s.Pass(5 * time.Minute)
	spent("200 orders", 4, time.Minute, func() {
		if list, _ := s.pull(t, began); len(list) != 200 {
			t.Errorf("%d orders", len(list))
		}
	})
	spent("200 parcels", 400, 6*time.Minute, func() {
		for i, id := range ids {
			parcel := connector.Parcel{Key: id, Carrier: "DHL", Number: fmt.Sprint("JD", i), Rest: true,
				Lines: []connector.ParcelLine{{ExternalLine: s.Lines(id)[0], Quantity: 1}}}
			ref := connector.OrderRef{ExternalID: id, Shipped: []connector.Parcel{parcel}}
			s.again(t, func() error { return s.session.PushShipment(t.Context(), ref, parcel) })
		}
	})
}
