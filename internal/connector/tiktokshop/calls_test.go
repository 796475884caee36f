package tiktokshop_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/tiktokshop"
	"entrepot/internal/connector/tiktokshop/fakeshop"
	"entrepot/internal/orders"
)

// What a large catalog costs in requests, and in time by the platform's limit: a product is three requests beside those for its batch, an
// audit of fifty one, a wave of stock or prices one for each product, a hundred orders three, and a parcel two.
func TestCalls(t *testing.T) {
	s := newShop(t, nil)
	var products []connector.Product
	for i := range 500 {
		p := s.mug()
		p.ID, p.SKU = fmt.Sprintf("p%d", i), fmt.Sprintf("MUG-%03d", i)
		p.Images = []connector.Image{{ID: fmt.Sprint(i), URL: s.pictures + "/1.png"}}
		if i%2 == 1 {
			for _, size := range []string{"S", "M", "L"} {
				p.Variants = append(p.Variants, connector.Variant{SKU: p.SKU + "-" + size, Price: p.Price, Quantity: 50,
					Attributes: []connector.Attribute{{Name: "Size", Value: size}}})
			}
		}
		products = append(products, p)
	}
	count := s.counter(t)
	var operations []string
	var stocks []connector.StockItem
	var prices []connector.PriceItem
	for batch := range slices.Chunk(products, tiktokshop.New().Capabilities().Batch.Products) {
		for _, r := range connectortest.Must(s.session.Upsert(t.Context(), batch))(t) {
			if r.State != connector.Waiting {
				t.Fatalf("%+v", r)
			}
			if !slices.Contains(operations, r.Operation) {
				operations = append(operations, r.Operation)
			}
			if r.IDs.Variant != "" {
				item := connector.Item{SKU: r.SKU, IDs: r.IDs}
				stocks = append(stocks, connector.StockItem{Item: item, Quantity: 7})
				prices = append(prices, connector.PriceItem{Item: item, Price: 100000, Currency: "EUR"})
			}
		}
	}
	count("500 products, half of them with three variants", 3*500+21+2+2) // the category demands what two requests say
	for batch := range slices.Chunk(operations, 100) {
		connectortest.Must(s.session.Poll(t.Context(), batch))(t)
	}
	count("their audits", 10)
	for batch := range slices.Chunk(stocks, 250) {
		connectortest.Must(s.session.SetStock(t.Context(), batch))(t)
	}
	count("a wave of stock over 1,000 SKUs", 500+4+4) // a product on the edge of two batches is two requests
	for batch := range slices.Chunk(prices, 250) {
		connectortest.Must(s.session.SetPrices(t.Context(), batch))(t)
	}
	count("a wave of prices", 500+4)
	for i := range 200 {
		s.Buy(fakeshop.Wish{SKUs: map[string]int64{fmt.Sprintf("MUG-%03d", 2*i%500): 2}, Cents: 1000, Shipping: 490})
	}
	s.Pass(2 * time.Minute)
	count("", 0)
	found, _ := s.pull(t, time.Time{})
	if len(found) != 200 {
		t.Errorf("%d orders", len(found))
	}
	count("200 orders", 2*(1+2+2)+2)
	n := 0
	for _, o := range found {
		n++
		parcel := connector.Parcel{Key: "s1", Carrier: "DHL", Number: fmt.Sprint("JD", n),
			Lines: []connector.ParcelLine{{ExternalLine: o.Lines[0].ExternalID, Quantity: 2}}}
		ref := connector.OrderRef{ExternalID: o.ExternalID, Shipped: []connector.Parcel{parcel}}
		if err := s.session.PushShipment(t.Context(), ref, parcel); err != nil {
			t.Fatal(err)
		}
		if err := s.session.PushStatus(t.Context(), ref, orders.Shipped); err != nil {
			t.Fatal(err)
		}
	}
	count("200 parcels", 2*200+1)
}

// counter says what was sent since the last time, at most a number of requests.
func (s *shop) counter(t *testing.T) func(what string, most int) {
	calls, at := s.Calls(""), s.Clock()
	return func(what string, most int) {
		t.Helper()
		if n := s.Calls("") - calls; what != "" {
			t.Logf("%s: %d requests in %s", what, n, s.Clock().Sub(at).Round(time.Second))
			if n > most {
				t.Errorf("%s: %d requests, at most %d", what, n, most)
			}
		}
		calls, at = s.Calls(""), s.Clock()
	}
}
