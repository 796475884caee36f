package api

import (
	"maps"
	"testing"
)

// A product that is deleted and created again has what open orders reserve of its SKUs, and what was shipped meanwhile:
// its levels return as they are, also without a quantity in the request.
func TestProductsThatReturnHaveTheirLevels(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.must(t, 201, "POST", "/api/v1/warehouses", item{"code": "W2", "name": "Two"})
		products := []item{{"sku": "R", "name": "R", "price": 1, "stock": item{"quantity": 5},
			"variants": []item{{"sku": "R-1", "name": "One", "price": 1, "stock": 5}, {"sku": "R-2", "name": "Two", "price": 1, "stock": 5}}}}
		s.must(t, 202, "POST", "/api/v1/sdk/products/bulk-import", item{"products": products})
		s.must(t, 200, "PATCH", "/api/v1/sdk/inventory/bulk-update",
			item{"updates": []item{{"sku": "R-1", "quantity": 9, "warehouseCode": "W2"}, {"sku": "R-2", "quantity": 0}}})
		order := func(sku string, quantity int) string {
			return "/api/v1/orders/" + text(s.must(t, 201, "POST", "/api/v1/orders", item{"customerName": "Ada",
				"items": []item{{"sku": sku, "quantity": quantity, "unitPrice": 1}}}), "data", "id")
		}
		whole, one, two := order("R", 2), order("R-1", 7), order("R-2", 1)
		s.must(t, 200, "PATCH", whole+"/status", item{"status": "PROCESSING"})
		s.must(t, 200, "PATCH", one+"/status", item{"status": "PROCESSING"})
		remove := func() {
			list := s.must(t, 200, "GET", "/api/v1/products?sku=R", nil)
			s.must(t, 200, "DELETE", "/api/v1/products/"+text(list, "data", 0, "id"), nil)
		}
		levels := func(step string, want map[string]string) {
			t.Helper()
			got := map[string]string{}
			page := s.must(t, 200, "GET", "/api/v1/inventory?limit=100", nil)
			feed := s.must(t, 200, "GET", "/api/v1/sdk/inventory/changes", nil)
			if number(page, "meta", "total") != number(feed, "meta", "total") {
				t.Errorf("%s: %s levels, %s in the feed", step, number(page, "meta", "total"), number(feed, "meta", "total"))
			}
			for i := 0; text(page, "data", i, "id") != ""; i++ {
				got[text(page, "data", i, "sku")+" "+text(page, "data", i, "warehouseCode")] =
					number(page, "data", i, "quantity") + " " + number(page, "data", i, "reserved")
			}
			if !maps.Equal(got, want) {
				t.Errorf("%s: %v, not %v", step, got, want)
			}
			s.sound(t)
		}
		levels("at first", map[string]string{"R MAIN": "5 2", "R-1 MAIN": "5 0", "R-1 W2": "9 7", "R-2 MAIN": "0 1"})
		remove()
		levels("deleted", map[string]string{})
		s.must(t, 200, "PATCH", one+"/status", item{"status": "SHIPPED"})
		levels("shipped", map[string]string{})
		again := item{"sku": "R", "name": "R", "price": 1, "variants": []item{{"sku": "R-1", "name": "One", "price": 1}}}
		s.must(t, 201, "POST", "/api/v1/products", again)
		levels("created again", map[string]string{"R MAIN": "0 2", "R-1 W2": "-7 0"})
		updated := map[string]string{}
		events := s.must(t, 200, "GET", "/api/v1/developer/events?limit=500", nil)
		for i := 0; text(events, "data", i, "id") != ""; i++ {
			if text(events, "data", i, "event") == "stock.updated" {
				data := at(events, "data", i, "data")
				updated[text(data, "sku")+" "+text(data, "warehouseCode")] = number(data, "quantity")
			}
		}
		if updated["R MAIN"] != "0" || updated["R-1 W2"] != "-7" {
			t.Errorf("copies that follow the events have %v", updated)
		}
		product := text(s.must(t, 200, "GET", "/api/v1/products?sku=R", nil), "data", 0, "id")
		s.must(t, 200, "PATCH", "/api/v1/products/"+product, item{"variants": []item{{"sku": "R-2", "name": "Two", "price": 1}}})
		levels("with the other variant", map[string]string{"R MAIN": "0 2", "R-1 W2": "-7 0", "R-2 MAIN": "0 1"})
		s.must(t, 200, "PATCH", whole+"/status", item{"status": "CANCELLED"})
		levels("cancelled", map[string]string{"R MAIN": "0 0", "R-1 W2": "-7 0", "R-2 MAIN": "0 1"})
		remove()
		s.must(t, 202, "POST", "/api/v1/sdk/products/bulk-import", item{"products": products})
		levels("imported", map[string]string{"R MAIN": "5 0", "R-1 MAIN": "5 0", "R-2 MAIN": "5 1"})
		s.must(t, 200, "PATCH", two+"/status", item{"status": "CANCELLED"})
		levels("all cancelled", map[string]string{"R MAIN": "5 0", "R-1 MAIN": "5 0", "R-2 MAIN": "5 0"})
	})
}
