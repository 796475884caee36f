package api

import (
	"slices"
	"testing"
)

// What one request changes of several records is in one order on both engines, that of their SKUs, in the feeds and the
// events (interface §4.3): the levels of variants that are removed, and the products whose category comes or goes.
func TestOneRequestsChangesAreInOrder(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		for _, warehouse := range []string{"PARIS", "LYON"} {
			s.must(t, 201, "POST", "/api/v1/warehouses", map[string]any{"code": warehouse, "name": warehouse})
		}
		skus := []string{"T-9", "T-3", "T-7", "T-1", "T-5"} // not in their order
		var variants []any
		for _, sku := range skus {
			variants = append(variants, map[string]any{"sku": sku, "name": sku, "stock": 2})
		}
		s.must(t, 201, "POST", "/api/v1/products", map[string]any{"sku": "T", "name": "T", "price": 1, "variants": variants})
		for _, sku := range skus {
			for _, warehouse := range []string{"PARIS", "LYON"} {
				s.must(t, 201, "POST", "/api/v1/inventory/movements", map[string]any{"sku": sku, "warehouseCode": warehouse,
					"type": "receive", "quantity": 1})
			}
		}
		for _, sku := range []string{"P-4", "P-2", "P-6"} {
			s.must(t, 201, "POST", "/api/v1/products", map[string]any{"sku": sku, "name": sku, "price": 1, "categoryIds": []any{"later"}})
		}
		last := func() string {
			events := listed(s.must(t, 200, "GET", "/api/v1/developer/events?limit=100", nil))
			return text(events[len(events)-1], "id")
		}
		after := func(from, event string, way ...any) (found []string) {
			for _, e := range listed(s.must(t, 200, "GET", "/api/v1/developer/events?limit=100&after="+from, nil)) {
				if text(e, "event") == event {
					found = append(found, text(at(e, way...)))
				}
			}
			return found
		}
		from := last()
		category := text(s.must(t, 201, "POST", "/api/v1/categories", map[string]any{"name": "Later", "externalId": "later"}), "data", "id")
		if got := after(from, "product.updated", "data", "sku"); !slices.Equal(got, []string{"P-2", "P-4", "P-6"}) {
			t.Errorf("the category comes: %v", got)
		}
		from = last()
		s.must(t, 200, "DELETE", "/api/v1/categories/"+category, nil)
		if got := after(from, "product.updated", "data", "sku"); !slices.Equal(got, []string{"P-2", "P-4", "P-6"}) {
			t.Errorf("the category goes: %v", got)
		}
		from = last()
		s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import?wait=true", importBody(item{"replaceVariants": true},
			item{"sku": "T", "name": "T", "price": 1, "variants": []any{}}))
		if got := after(from, "stock.updated", "data", "sku"); len(got) != 15 || !slices.IsSorted(got) {
			t.Errorf("events of levels: %v", got)
		}
		var feed []string
		for _, item := range listed(s.must(t, 200, "GET", "/api/v1/sdk/inventory/changes?includeDeleted=true&limit=100", nil)) {
			if text(item, "deletedAt") != "" {
				feed = append(feed, text(item, "sku")+" "+text(item, "warehouseCode"))
			}
		}
		if len(feed) != 15 || !slices.IsSorted(feed) {
			t.Errorf("the feed: %v", feed)
		}
	})
}

// listed is the data of a list.
func listed(answer any) []any {
	data, _ := at(answer, "data").([]any)
	return data
}
