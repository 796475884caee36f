package api

import (
	"fmt"
	"net/url"
	"testing"
)

// Pages of products never overlap or skip, in whatever order and half of the list they are: together they are the list (interface §4.5.1).
func TestPagesOfProducts(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.Commerce.Connectors = everyPlatform(t)
		category := text(s.must(t, 201, "POST", "/api/v1/categories", item{"name": "Cups", "externalId": "cups"}), "data", "id")
		channel := text(s.must(t, 201, "POST", "/api/v1/channels", item{"name": "Shop", "platform": "CUSTOM"}), "data", "channel", "id")
		var members, others []item
		for i := range 61 {
			p := item{"sku": fmt.Sprintf("SKU-%02d", i), "name": fmt.Sprintf("Cup %02d", i*37%61), "price": i * 7 % 11, "status": "ACTIVE"}
			switch {
			case i%10 == 3:
				p["status"] = "DRAFT"
			case i%20 == 7:
				p["status"] = "ARCHIVED"
			}
			if i%3 == 0 {
				others = append(others, p)
				continue
			}
			p["categoryIds"] = []string{"cups"}
			members = append(members, p)
		}
		s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import?wait=true", item{"products": members, "options": item{"channelId": channel}})
		s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import?wait=true", item{"products": others})
		gone := text(s.must(t, 200, "GET", "/api/v1/products?sku=SKU-40", nil), "data", 0, "id")
		s.must(t, 200, "DELETE", "/api/v1/products/"+gone, nil)
		for _, filter := range []url.Values{{}, {"status": {"ACTIVE"}}, {"status": {"DRAFT,ARCHIVED"}}, {"categoryId": {category}},
			{"channelId": {channel}}, {"channelId": {channel}, "categoryId": {category}, "status": {"ACTIVE,DRAFT"}}} {
			for _, sort := range []string{"createdAt", "updatedAt", "name", "sku", "price"} {
				for _, order := range []string{"asc", "desc"} {
					filter.Set("sort", sort+":"+order)
					s.pagesAreTheList(t, filter)
				}
			}
		}
	})
}

// pagesAreTheList compares the pages of a list of products with the whole list on one page, and the total with both.
func (s *server) pagesAreTheList(t *testing.T, filter url.Values) {
	t.Helper()
	page := func(limit, which int) (skus []string, total string) {
		answer := s.must(t, 200, "GET", fmt.Sprintf("/api/v1/products?%s&limit=%d&page=%d", filter.Encode(), limit, which), nil)
		for _, p := range at(answer, "data").([]any) {
			skus = append(skus, text(p, "sku"))
		}
		return skus, number(answer, "meta", "total")
	}
	want, total := page(250, 1)
	var got []string
	for which := 1; ; which++ {
		part, of := page(7, which)
		if of != total {
			t.Fatalf("%v: %s in all on page %d, %s before", filter, of, which, total)
		}
		if len(part) == 0 {
			break
		}
		got = append(got, part...)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || fmt.Sprint(len(want)) != total || len(want) < 2 {
		t.Errorf("%v: %s in all\n%v\n%v", filter, total, got, want)
	}
}
