package api

import (
	"fmt"
	"net/url"
	"testing"
)

// stockUp makes products with stock in MAIN; -1 leaves the stock untold.
func (s *server) stockUp(t *testing.T, quantities map[string]int64) {
	t.Helper()
	var products []any
	for sku, n := range quantities {
		p := item{"sku": sku, "name": "Product " + sku, "price": 10}
		if n >= 0 {
			p["stock"] = item{"quantity": n}
		}
		products = append(products, p)
	}
	s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import?wait=true", importBody(nil, products...))
}

func (s *server) setStock(t *testing.T, updates ...item) any {
	t.Helper()
	return at(s.must(t, 200, "PATCH", "/api/v1/sdk/inventory/bulk-update", item{"updates": updates}), "data")
}

// level reads a level as "quantity/reserved/available threshold"; "" when there is none.
func (s *server) level(t *testing.T, sku, warehouse string) string {
	t.Helper()
	list := s.must(t, 200, "GET", "/api/v1/inventory?warehouseCode="+warehouse+"&sku="+url.QueryEscape(sku), nil)
	l := at(list, "data", 0)
	if l == nil {
		return ""
	}
	return fmt.Sprintf("%s/%s/%s %s", number(l, "quantity"), number(l, "reserved"), number(l, "available"), number(l, "threshold"))
}

// The stock of a SKU is that of all warehouses, however many have it.
func TestStockOfManyWarehouses(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.stockUp(t, map[string]int64{"A": -1})
		const warehouses = 1002
		updates := make([]item, 0, warehouses)
		for i := range warehouses {
			updates = append(updates, item{"sku": "A", "warehouseCode": fmt.Sprintf("W%04d", i), "quantity": 2})
		}
		s.setStock(t, updates...)
		got := s.must(t, 200, "GET", "/api/v1/inventory/A", nil)
		if sum := number(at(got, "data"), "quantity"); sum != fmt.Sprint(2*warehouses) {
			t.Errorf("the sum is %s", sum)
		}
		if last := at(got, "data", "levels", warehouses-1, "warehouseCode"); last != fmt.Sprintf("W%04d", warehouses-1) {
			t.Errorf("the last level is of %v", last)
		}
	})
}
