package woocommerce_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/woocommerce/fakeshop"
)

// A shop whose host gives up waiting for large batches gets smaller ones, of products, stock and prices, until it takes them.
func TestSlowShopsGetSmallerBatches(t *testing.T) {
	most := 6
	s := newShopAt(t, "", func(shop http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			var batch map[string][]any
			if strings.HasSuffix(r.URL.Path, "/products/batch") && json.Unmarshal(body, &batch) == nil &&
				len(batch["create"])+len(batch["update"]) > most {
				w.WriteHeader(http.StatusGatewayTimeout)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			shop.ServeHTTP(w, r)
		})
	})
	var products []connector.Product
	for i := range 20 {
		sku := fmt.Sprintf("MUG-%02d", i)
		products = append(products, connector.Product{ID: sku, SKU: sku, Name: "Mug", Slug: sku, OnSale: true, Price: 90000, Currency: "EUR"})
	}
	again := func(call func() ([]connector.Result, error)) (results []connector.Result, tries int) {
		t.Helper()
		for ; tries < 5; tries++ {
			results, err := call()
			if err == nil {
				return results, tries
			}
			if !connector.Is(err, connector.Temporary) {
				t.Fatal(err)
			}
		}
		t.Fatal("it is never done")
		return nil, 0
	}
	results, tries := again(func() ([]connector.Result, error) { return s.session.Upsert(t.Context(), products) })
	if tries != 2 || len(results) != 20 {
		t.Errorf("products: %d results after %d failures", len(results), tries)
	}
	most = 12
	var stocks []connector.StockItem
	for range 2 {
		for _, r := range results {
			stocks = append(stocks, connector.StockItem{Item: connector.Item{SKU: r.SKU, IDs: r.IDs}, Quantity: 7})
		}
	}
	set, tries := again(func() ([]connector.Result, error) { return s.session.SetStock(t.Context(), stocks) })
	if tries != 2 || len(set) != 40 { // of 40, 20, and 10
		t.Errorf("stock: %d results after %d failures", len(set), tries)
	}
	shown := connectortest.Must(s.session.ReadStock(t.Context(), []connector.Item{stocks[0].Item}))(t)
	if items, doubled := s.Items(); len(items) != 20 || len(doubled) != 0 || shown["MUG-00"] != 7 {
		t.Errorf("%d products, twice %v; %v", len(items), doubled, shown)
	}
}

// A shop whose host gives up waiting for the variations of a product gets fewer at once, until it takes them; none is made twice.
func TestSlowShopsGetFewerVariations(t *testing.T) {
	s := newShopAt(t, "", func(shop http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			var batch map[string][]any
			if strings.HasSuffix(r.URL.Path, "/variations/batch") && json.Unmarshal(body, &batch) == nil &&
				len(batch["create"])+len(batch["update"])+len(batch["delete"]) > 10 {
				w.WriteHeader(http.StatusGatewayTimeout)
				return
			}
			shop.ServeHTTP(w, r)
		})
	})
	p := connector.Product{ID: "p", SKU: "SHIRT", Name: "Shirt", Slug: "shirt", OnSale: true, Price: 90000, Currency: "EUR"}
	for i := range 60 {
		p.Variants = append(p.Variants, connector.Variant{SKU: fmt.Sprint("SHIRT-", i), Price: 90000, Quantity: 2,
			Attributes: []connector.Attribute{{Name: "Size", Value: fmt.Sprint(i)}}})
	}
	push := func() {
		t.Helper()
		for tries := 0; ; tries++ {
			results := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{p}))(t)
			if results[0].State == connector.Live && len(results) == 1+len(p.Variants) {
				p.Known = results[0].IDs
				return
			}
			if !results[0].Again || tries == 5 {
				t.Fatalf("%+v", results[0])
			}
		}
	}
	push()
	p.Variants = p.Variants[:40]
	push()
	if _, doubled := s.Items(); len(doubled) != 0 {
		t.Errorf("twice: %v", doubled)
	}
}

// Orders with so many lines that a page of them is larger than the client takes come in smaller pages.
func TestPagesThatAreTooLarge(t *testing.T) {
	page := bytes.Repeat([]byte(" "), 17<<20)
	s := newShopAt(t, "", func(shop http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n, _ := strconv.Atoi(r.URL.Query().Get("per_page")); strings.HasSuffix(r.URL.Path, "/orders") && n > 50 {
				_, _ = w.Write(page)
				return
			}
			shop.ServeHTTP(w, r)
		})
	})
	s.Place(fakeshop.Wish{Unknown: 1})
	if _, err := s.session.PullOrders(t.Context(), connector.Cursor{}); !connector.Is(err, connector.Temporary) {
		t.Fatal(err) // a job would end with it otherwise
	}
	if found := s.pull(t); len(found) != 1 {
		t.Errorf("%v", found)
	}
}
