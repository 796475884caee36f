package api

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/db/dbtest"
)

// A feed's page ends early when its items are large; who follows nextSince gets all of them, each once.
func TestFeedOfLargeItems(t *testing.T) {
	dbtest.Long(t, "a large document")
	engines(t, func(t *testing.T, s *server) {
		const products, variants = 60, 50
		attributes := item{"text": strings.Repeat("x", 4000)}
		for from := 0; from < products; from += 20 {
			var list []any
			for i := from; i < from+20; i++ {
				var of []item
				for v := range variants {
					of = append(of, item{"sku": fmt.Sprintf("L-%02d-%02d", i, v), "attributes": attributes})
				}
				list = append(list, item{"sku": fmt.Sprintf("L-%02d", i), "name": "L", "price": 1, "variants": of})
			}
			s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import?wait=true", importBody(nil, list...))
		}
		var skus []string
		since, pages := "1970-01-01T00:00:00Z", 0
		for more := true; more; pages++ {
			path := "/api/v1/sdk/products/changes?since=" + url.QueryEscape(since)
			page := s.do(call{method: "GET", path: path})
			if page.status != 200 || len(page.body) > feedBytes+2*pieceBytes {
				t.Fatalf("page %d: status %d, %d bytes", pages, page.status, len(page.body))
			}
			body := page.json(t)
			for _, p := range body["data"].([]any) {
				skus = append(skus, text(p, "sku"))
			}
			if want := fmt.Sprint(products - len(skus) + len(body["data"].([]any))); number(body, "meta", "total") != want {
				t.Errorf("page %d: total %s, want %s", pages, number(body, "meta", "total"), want)
			}
			since, more = text(body, "meta", "nextSince"), at(body, "meta", "hasMore") == true
			if same := s.do(call{method: "GET", path: path,
				header: map[string]string{"If-None-Match": page.header.Get("ETag")}}); same.status != 304 {
				t.Errorf("page %d again: status %d, want 304", pages, same.status)
			}
		}
		want := slices.Compact(slices.Sorted(slices.Values(skus)))
		if len(skus) != products || len(want) != products || pages < 2 {
			t.Errorf("%d items in %d pages, %d of them different", len(skus), pages, len(want))
		}
	})
}
