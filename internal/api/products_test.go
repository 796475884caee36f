package api

import (
	"fmt"
	"maps"
	"testing"

	"entrepot/internal/base/id"
)

// A product is created, read, changed and deleted; each step emits its event, and one that changes nothing emits none.
func TestProductLife(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		made := s.must(t, 201, "POST", "/api/v1/products",
			item{"sku": "P-1", "name": "Teapot", "price": 25, "compareAtPrice": "30", "categoryIds": []string{"not-here"},
				"images":   []item{{"url": "https://x.example/2.png", "position": 2}, {"url": "https://x.example/1.png"}},
				"variants": []item{{"sku": "P-1-R", "name": "Red", "price": 26, "stock": 3, "attributes": item{"colour": "red"}}},
				"stock":    item{"quantity": 4}})
		product := at(made, "data")
		path := "/api/v1/products/" + text(product, "id")
		if text(product, "slug") != "teapot" || number(product, "compareAtPrice") != "30" || number(product, "variants", 0, "stock") != "3" ||
			number(product, "stock", 0, "onHand") != "4" || text(product, "media", 0, "url") != "https://x.example/1.png" ||
			fmt.Sprint(at(product, "categoryIds")) != "[]" {
			t.Errorf("created: %v", product)
		}
		read := s.must(t, 200, "GET", path, nil)
		if fmt.Sprint(read) != fmt.Sprint(made) {
			t.Errorf("read\n%v\nis not what was created\n%v", read, made)
		}
		names, from := s.eventsSince(0)
		if fmt.Sprint(names) != "[product.created stock.updated stock.updated]" {
			t.Errorf("events of the creation: %v", names)
		}
		changed := s.must(t, 200, "PATCH", path,
			item{"name": "Tea pot", "compareAtPrice": nil, "status": "INACTIVE", "images": []item{{"url": "https://x.example/1.png"}}})
		if text(changed, "data", "name") != "Tea pot" || at(changed, "data", "compareAtPrice") != nil ||
			text(changed, "data", "slug") != "teapot" {
			t.Errorf("changed: %v", changed)
		}
		if kept := text(changed, "data", "media", 0, "id"); kept == "" || kept != text(product, "media", 0, "id") {
			t.Errorf("the image that stays has another id: %v", changed)
		}
		s.must(t, 200, "PUT", path, item{"name": "Tea pot", "variants": []item{{"sku": "P-1-R", "price": 26}}})
		names, from = s.eventsSince(from)
		if fmt.Sprint(names) != "[product.updated]" {
			t.Errorf("events of a change and of none: %v", names)
		}
		s.must(t, 409, "POST", "/api/v1/products", item{"sku": "P-1", "name": "Again", "price": 1})
		s.must(t, 409, "POST", "/api/v1/products", item{"sku": "P-1-R", "name": "Again", "price": 1})
		taken := s.must(t, 409, "POST", "/api/v1/products", item{"sku": "P-2", "name": "Again", "price": 1, "slug": "teapot"})
		if text(taken, "code") != "slug_taken" || text(taken, "details", 0, "path") != "slug" {
			t.Errorf("a slug that is taken: %v", taken)
		}
		document := s.must(t, 200, "GET", "/api/v1/openapi.json", nil)
		for member := range taken {
			if at(document, "components", "schemas", "ConflictError", "properties", member) == nil {
				t.Errorf("the document's ConflictError has no %s", member)
			}
		}
		s.must(t, 400, "PATCH", path, item{"sku": "OTHER"})
		s.must(t, 400, "PATCH", path, item{"name": nil})
		s.must(t, 404, "GET", "/api/v1/products/nonsense", nil)
		s.stranger().must(t, 404, "GET", path, nil)
		s.stranger().must(t, 404, "PATCH", path, item{"price": 1})
		s.must(t, 200, "DELETE", path, nil)
		s.must(t, 404, "DELETE", path, nil)
		s.must(t, 404, "PATCH", path, item{"price": 1})
		if names, _ = s.eventsSince(from); fmt.Sprint(names) != "[product.deleted]" {
			t.Errorf("events of the deletion: %v", names)
		}
		again := s.must(t, 201, "POST", "/api/v1/products", item{"sku": "P-1", "name": "Teapot", "price": 1})
		if text(again, "data", "id") == text(product, "id") || text(again, "data", "slug") != "teapot" {
			t.Errorf("the SKU of a deleted product makes a new one: %v", again)
		}
	})
}

// If-Match names the version that may be changed or deleted.
func TestProductIfMatch(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		made := s.must(t, 201, "POST", "/api/v1/products", item{"sku": "P-1", "name": "Teapot", "price": 25})
		path := "/api/v1/products/" + text(made, "data", "id")
		tag := s.do(call{method: "GET", path: path}).header.Get("ETag")
		change := func(price int) int {
			return s.do(call{method: "PATCH", path: path, body: item{"price": price}, header: map[string]string{"If-Match": tag}}).status
		}
		if first, second := change(1), change(2); first != 200 || second != 412 {
			t.Errorf("with one tag twice: %d, %d", first, second)
		}
		if status := s.do(call{method: "DELETE", path: path, header: map[string]string{"If-Match": tag}}).status; status != 412 {
			t.Errorf("deleted with an old tag: %d", status)
		}
	})
}

func TestProductList(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import?wait=true", importBody(nil,
			item{"sku": "L-2", "name": "Alpha lamp", "price": 3, "variants": []item{{"sku": "L-2-V"}}},
			item{"sku": "L-1", "name": "beta LAMP", "price": 1, "status": "DRAFT"},
			item{"sku": "M_3", "name": "100% Gamma", "price": 2}))
		var ids []string
		for _, p := range s.must(t, 200, "GET", "/api/v1/products?sort=createdAt:asc", nil)["data"].([]any) {
			ids = append(ids, text(p, "id"))
		}
		for query, want := range map[string]string{
			"":                                       "[M_3 L-1 L-2] 3",
			"?sort=name:asc":                         "[M_3 L-2 L-1] 3",
			"?sort=name:desc":                        "[L-1 L-2 M_3] 3",
			"?sort=sku":                              "[L-1 L-2 M_3] 3",
			"?sort=sku&order=desc":                   "[M_3 L-2 L-1] 3",
			"?sort=price:asc":                        "[L-1 M_3 L-2] 3",
			"?sort=updatedAt:desc":                   "[M_3 L-1 L-2] 3",
			"?sort=sku:asc&search=lamp":              "[L-1 L-2] 2",
			"?search=%25":                            "[M_3] 1",
			"?search=_":                              "[M_3] 1",
			"?search=l-1":                            "[L-1] 1",
			"?sku=L-2-V":                             "[L-2] 1",
			"?status=DRAFT":                          "[L-1] 1",
			"?status=DRAFT,ACTIVE&sort=sku&limit=2":  "[L-1 L-2] 3",
			"?sort=sku&perPage=2&page=2":             "[M_3] 3",
			"?page=9":                                "[] 3",
			"?sort=sku&ids=" + ids[0] + "," + ids[1]: "[L-1 L-2] 2",
			"?ids=" + id.New[string]():               "[] 0",
			"?channelId=" + ids[0]:                   "[] 0",
			"?categoryId=" + ids[0]:                  "[] 0",
		} {
			answer := s.must(t, 200, "GET", "/api/v1/products"+query, nil)
			skus := []string{}
			for _, p := range answer["data"].([]any) {
				skus = append(skus, text(p, "sku"))
			}
			if got := fmt.Sprint(skus, " ", number(answer, "meta", "total")); got != want {
				t.Errorf("%s: %s, not %s", query, got, want)
			}
		}
		for _, query := range []string{"perPage=0", "limit=x", "page=0", "status=NEW", "ids=nonsense", "ids=" + ids[0] + ",nonsense",
			"sort=colour:asc", "sort=name:up", "categoryId=x"} {
			s.must(t, 400, "GET", "/api/v1/products?"+query, nil)
		}
		if answer := s.must(t, 400, "GET", "/api/v1/products?sort=colour:up", nil); len(answer["details"].([]any)) != 1 {
			t.Errorf("one wrong sort has the errors %v", answer["details"])
		}
		if answer := s.must(t, 200, "GET", "/api/v1/products?limit=1000", nil); number(answer, "meta", "limit") != "250" {
			t.Errorf("limit: %v", answer["meta"])
		}
	})
}

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
