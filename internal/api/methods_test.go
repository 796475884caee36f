package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// A path without parameters takes the methods that the table has for it, and no others, although another route would take its last word for
// an id: 405, and Allow says which. A SKU may be any word.
func TestMethodsOfFixedPaths(t *testing.T) {
	s := newServer(t, "sqlite", nil)
	takes := map[string][]string{}
	for _, r := range routes() {
		if !strings.Contains(r.path, "{") {
			takes[r.path] = append(takes[r.path], r.method)
			if r.method == http.MethodGet {
				takes[r.path] = append(takes[r.path], http.MethodHead)
			}
		}
	}
	for path, methods := range takes {
		if strings.HasPrefix(path, "/api/v1/inventory/") {
			methods = append(methods, http.MethodGet, http.MethodHead)
		}
		slices.Sort(methods)
		for _, method := range []string{"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"} {
			if slices.Contains(methods, method) {
				continue
			}
			got := s.do(call{method: method, path: path})
			allowed := strings.Split(got.header.Get("Allow"), ", ")
			slices.Sort(allowed)
			if got.status != http.StatusMethodNotAllowed || !slices.Equal(allowed, methods) {
				t.Errorf("%s %s: %d, Allow %v; it takes %v", method, path, got.status, allowed, methods)
			}
		}
	}
	s.must(t, 201, "POST", "/api/v1/products", member{"sku": "movements", "name": "Clockwork", "price": 1, "stock": member{"quantity": 3}})
	if got := text(s.must(t, 200, "GET", "/api/v1/inventory/movements", nil), "data", "sku"); got != "movements" {
		t.Errorf("the levels of %q", got)
	}
}
