package api

import (
	"fmt"
	"net/url"
	"slices"
	"testing"
)

// walk follows nextSince until hasMore is false; it returns the SKUs in the order of the feed.
func (s *server) walk(t *testing.T, limit int, more string) (skus []string) {
	t.Helper()
	since, last := "", ""
	for pages := 0; ; pages++ {
		path := fmt.Sprintf("/api/v1/sdk/products/changes?limit=%d%s", limit, more)
		if since != "" {
			path += "&since=" + url.QueryEscape(since)
		}
		page := s.must(t, 200, "GET", path, nil)
		for _, p := range page["data"].([]any) {
			if at := text(p, "changedAt"); at <= last {
				t.Errorf("changedAt %s after %s", at, last)
			} else {
				last = at
			}
			skus = append(skus, text(p, "sku"))
		}
		if want := fmt.Sprint(len(page["data"].([]any))); number(page, "meta", "count") != want {
			t.Errorf("count %s of %s items", number(page, "meta", "count"), want)
		}
		left := s.must(t, 200, "GET", "/api/v1/sdk/products/changes?limit=1000"+more+"&since="+url.QueryEscape(text(page, "meta", "nextSince")),
			nil)
		if have := fmt.Sprint(len(left["data"].([]any)) + len(page["data"].([]any))); number(page, "meta", "total") != have {
			t.Errorf("page %d: total %s, there are %s", pages, number(page, "meta", "total"), have)
		}
		since = text(page, "meta", "nextSince")
		if at(page, "meta", "hasMore") != true {
			return skus
		}
	}
}

// Products with variants or categories are read in several steps, others in one: a page that mixes them has each in its
// place, with its own values.
func TestProductFeedOfMixedProducts(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		var products []any
		for i := range 40 {
			p := item{"sku": fmt.Sprintf("M-%02d", i), "name": fmt.Sprintf("Name %d", i), "price": i + 1}
			if i%3 == 1 {
				p["compareAtPrice"] = i + 2
			}
			if i%7 == 4 {
				p["variants"] = []item{{"sku": fmt.Sprintf("M-%02d-V", i), "name": "V", "stock": i}}
			}
			if i%7 == 5 {
				p["images"] = []item{{"url": fmt.Sprintf("https://images.example/%d.jpg", i)}}
			}
			products = append(products, p)
		}
		s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import?wait=true", importBody(nil, products...))
		for _, limit := range []int{1, 5, 16, 17, 40} {
			if skus := s.walk(t, limit, ""); len(skus) != 40 || skus[0] != "M-00" || skus[39] != "M-39" {
				t.Errorf("limit %d: %v", limit, skus)
			}
		}
		page := s.must(t, 200, "GET", "/api/v1/sdk/products/changes", nil)
		for i, p := range page["data"].([]any) {
			compare, variant, stocked, image := "<nil>", "", "", ""
			if i%3 == 1 {
				compare = fmt.Sprint(i + 2)
			}
			if i%7 == 4 {
				variant, stocked = fmt.Sprintf("M-%02d-V", i), fmt.Sprint(i)
			}
			if i%7 == 5 {
				image = fmt.Sprintf("https://images.example/%d.jpg", i)
			}
			got := []string{text(p, "name"), fmt.Sprint(at(p, "compareAtPrice")), text(p, "variants", 0, "sku"), number(p, "variants", 0, "stock"),
				text(p, "media", 0, "url")}
			if want := []string{fmt.Sprintf("Name %d", i), compare, variant, stocked, image}; !slices.Equal(got, want) {
				t.Errorf("product %d: %q, want %q", i, got, want)
			}
		}
	})
}
