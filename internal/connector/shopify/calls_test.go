package shopify_test

import (
	"fmt"
	"slices"
	"testing"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/shopify"
	"entrepot/internal/connector/shopify/fakeshop"
)

// manyMugs are products that the shop does not have.
func manyMugs(n int) (list []connector.Product) {
	for i := range n {
		p := mug()
		p.ID, p.SKU, p.Slug = fmt.Sprintf("019a-mug-1%03d", i), fmt.Sprintf("MUG-%03d", i), fmt.Sprintf("mug-%d", i)
		list = append(list, p)
	}
	return list
}

// A new product takes one request, beside one search and one publication for twenty of them; prices take one for twenty products.
func TestCallsOfProducts(t *testing.T) {
	s := newShop(t)
	spent := func(what string, most int64, do func()) {
		t.Helper()
		before := s.Client.Calls()
		do()
		n := s.Client.Calls() - before
		t.Logf("%s: %d requests", what, n)
		if n > most {
			t.Errorf("%s: %d requests, at most %d", what, n, most)
		}
	}
	var prices []connector.PriceItem
	spent("100 products", 100+5+5+1, func() {
		for batch := range slices.Chunk(manyMugs(100), shopify.New().Capabilities().Batch.Products) {
			for _, r := range connectortest.Must(s.session.Upsert(t.Context(), batch))(t) {
				if v, _ := s.Variant(r.SKU); r.State != connector.Live || !v.Published {
					t.Fatalf("%+v, %+v", r, v)
				}
				prices = append(prices, connector.PriceItem{Item: connector.Item{SKU: r.SKU, IDs: r.IDs}, Price: 50000})
			}
		}
	})
	spent("their prices", 5, func() { connectortest.Must(s.session.SetPrices(t.Context(), prices))(t) })
	if v, _ := s.Variant("MUG-099"); v.Price != "5" {
		t.Errorf("%+v", v)
	}
}

// What an answer says nothing about has not happened: a product that is on no sales channel is not live, and prices are set again.
func TestPartsThatAnAnswerLeavesOut(t *testing.T) {
	s := newShop(t)
	s.Faults = fakeshop.Faults{Unsaid: 3}
	products := manyMugs(10)
	var failed []connector.Product
	var prices []connector.PriceItem
	for i, r := range connectortest.Must(s.session.Upsert(t.Context(), products))(t) {
		if v, _ := s.Variant(r.SKU); v.Published != (r.State == connector.Live) {
			t.Errorf("%s is %s, published %v", r.SKU, r.State, v.Published)
		}
		if r.State == connector.Failed && r.Again {
			failed = append(failed, products[i])
		}
		prices = append(prices, connector.PriceItem{Item: connector.Item{SKU: r.SKU, IDs: r.IDs}, Price: 50000})
	}
	if len(failed) != 3 {
		t.Fatalf("%d failed", len(failed))
	}
	live := slices.DeleteFunc(prices, func(p connector.PriceItem) bool { return p.IDs.Product == "" })
	if _, err := s.session.SetPrices(t.Context(), live); !connector.Is(err, connector.Temporary) {
		t.Errorf("%v", err)
	}
	s.Faults = fakeshop.Faults{}
	for _, r := range connectortest.Must(s.session.Upsert(t.Context(), failed))(t) {
		if v, _ := s.Variant(r.SKU); r.State != connector.Live || !v.Published {
			t.Errorf("%+v", r)
		}
	}
	if s.Products() != 10 {
		t.Errorf("%d products", s.Products())
	}
}

// What stands before a shop and knows no aliases gets one object at a time.
func TestAProxyWithoutAliases(t *testing.T) {
	s := newShop(t)
	s.Faults = fakeshop.Faults{NoAliases: true}
	var prices []connector.PriceItem
	for _, r := range connectortest.Must(s.session.Upsert(t.Context(), manyMugs(3)))(t) {
		if v, _ := s.Variant(r.SKU); r.State != connector.Live || !v.Published {
			t.Errorf("%+v, published %v", r, v.Published)
		}
		prices = append(prices, connector.PriceItem{Item: connector.Item{SKU: r.SKU, IDs: r.IDs}, Price: 50000})
	}
	for _, r := range connectortest.Must(s.session.SetPrices(t.Context(), prices))(t) {
		if v, _ := s.Variant(r.SKU); r.State != connector.Live || v.Price != "5" {
			t.Errorf("%+v, price %s", r, v.Price)
		}
	}
}
