package api

import (
	"fmt"
	"testing"
)

// The totals of a category, of a channel and of its publications follow each change of who belongs to them.
func TestTotalsFollowTheirMembers(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.Commerce.Connectors = everyPlatform(t)
		category := func() string {
			return text(s.must(t, 201, "POST", "/api/v1/categories", item{"name": "Cups", "externalId": "cups"}), "data", "id")
		}
		cups := category()
		channel := text(s.must(t, 201, "POST", "/api/v1/channels", item{"name": "Shop", "platform": "CUSTOM"}), "data", "channel", "id")
		ids := map[string]string{}
		for _, sku := range []string{"A", "B", "C"} {
			p := item{"sku": sku, "name": sku, "price": 1, "categoryIds": []string{"cups"}}
			ids[sku] = text(s.must(t, 201, "POST", "/api/v1/products", p), "data", "id")
		}
		publications := "/api/v1/channels/" + channel + "/publications"
		totals := func(what string, inCategory, onChannel int) {
			t.Helper()
			for path, want := range map[string]int{"/api/v1/products?categoryId=" + cups: inCategory,
				"/api/v1/products?channelId=" + channel: onChannel, publications: onChannel} {
				answer := s.must(t, 200, "GET", path, nil)
				if got := number(answer, "meta", "total"); got != fmt.Sprint(want) || len(at(answer, "data").([]any)) != want {
					t.Errorf("%s: %s has %s in all, want %d", what, path, got, want)
				}
			}
		}
		totals("created", 3, 0)
		s.must(t, 200, "POST", publications, item{"skus": []string{"A", "B", "C", "A"}})
		s.must(t, 200, "POST", publications, item{"skus": []string{"B"}})
		totals("published, one of them twice", 3, 3)
		s.must(t, 200, "DELETE", publications+"/"+ids["B"], nil)
		s.must(t, 404, "DELETE", publications+"/"+ids["B"], nil)
		totals("one taken off", 3, 2)
		s.must(t, 200, "PATCH", "/api/v1/products/"+ids["C"], item{"categoryIds": []string{}})
		totals("one out of the category", 2, 2)
		s.must(t, 200, "DELETE", "/api/v1/products/"+ids["A"], nil)
		totals("one deleted", 1, 1)
		s.must(t, 200, "DELETE", "/api/v1/categories/"+cups, nil)
		totals("the category deleted", 0, 1)
		cups = category()
		totals("a category with its externalId", 1, 1)
	})
}

// Deep pages of the inventory, which are read in two steps while all levels are in one warehouse, are the list.
func TestDeepPagesOfTheInventory(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		const levels = 2300
		var products []item
		for i := range levels {
			products = append(products, item{"sku": fmt.Sprintf("SKU-%04d", i*7%levels), "name": "Cup", "price": 1, "stock": item{"quantity": i}})
		}
		for from := 0; from < levels; from += 1000 {
			s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import?wait=true", item{"products": products[from:min(from+1000, levels)]})
		}
		pages := func(more int) {
			t.Helper()
			for which, next := 1, 0; next < levels+more; which++ {
				answer := s.must(t, 200, "GET", fmt.Sprintf("/api/v1/inventory?limit=250&page=%d", which), nil)
				list := at(answer, "data").([]any)
				if number(answer, "meta", "total") != fmt.Sprint(levels+more) || len(list) != min(250, levels+more-next) {
					t.Fatalf("page %d: %d levels of %s", which, len(list), number(answer, "meta", "total"))
				}
				for _, l := range list {
					if want := fmt.Sprintf("SKU-%04d", next-min(more, next)); text(l, "sku") != want {
						t.Fatalf("page %d: %s in the place of %s", which, text(l, "sku"), want)
					}
					next++
				}
			}
		}
		pages(0)
		s.must(t, 201, "POST", "/api/v1/warehouses", item{"code": "LYON", "name": "Lyon"})
		s.must(t, 200, "PATCH", "/api/v1/sdk/inventory/bulk-update",
			item{"updates": []item{{"sku": "SKU-0000", "quantity": 1, "warehouseCode": "LYON"}}})
		pages(1)
	})
}
