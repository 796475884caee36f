package api

import (
	"fmt"
	"sync"
	"testing"
)

const pricePath = "/api/v1/sdk/prices/bulk-update"

// prices reads the prices of a product and its variants: "9.9/- A-1=5/-".
func (s *server) prices(t *testing.T, sku string) string {
	t.Helper()
	p := at(s.must(t, 200, "GET", "/api/v1/products?sku="+sku, nil), "data", 0)
	compare := func(v any) string {
		if at(v, "compareAtPrice") == nil {
			return "-"
		}
		return number(v, "compareAtPrice")
	}
	out := number(p, "price") + "/" + compare(p)
	for _, v := range at(p, "variants").([]any) {
		out += " " + text(v, "sku") + "=" + number(v, "price") + "/" + compare(v)
	}
	return out
}

// Of many updates of the same products at once none is lost halfway: each product ends with the two prices of one request, and
// there is one event for each change.
func TestPriceUpdatesRace(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		var products []any
		for i := range 30 {
			products = append(products, item{"sku": fmt.Sprint("R", i), "name": "R", "price": 100000, "compareAtPrice": 100000})
		}
		s.must(t, 202, "POST", "/api/v1/sdk/products/bulk-import", importBody(nil, products...))
		_, from := s.eventsSince(0)
		const clients, rounds = 6, 5
		var wait sync.WaitGroup
		for c := range clients {
			wait.Go(func() {
				for round := range rounds {
					var updates []item
					for i := range 30 {
						n := (i*(c+1) + round) % 30 // every client in another order
						updates = append(updates, item{"sku": fmt.Sprint("R", n), "price": c*100 + round, "compareAtPrice": c*100 + round})
					}
					seen := map[string]bool{}
					distinct := updates[:0]
					for _, u := range updates {
						if sku := u["sku"].(string); !seen[sku] {
							seen[sku] = true
							distinct = append(distinct, u)
						}
					}
					if r := s.do(call{method: "PATCH", path: pricePath, body: item{"updates": distinct}}); r.status != 200 {
						t.Errorf("%d %s", r.status, r.body)
					}
				}
			})
		}
		wait.Wait()
		for i := range 30 {
			p := at(s.must(t, 200, "GET", fmt.Sprint("/api/v1/products?sku=R", i), nil), "data", 0)
			if number(p, "price") != number(p, "compareAtPrice") || number(p, "price") == "100000" {
				t.Errorf("%v", p)
			}
		}
		names, _ := s.eventsSince(from)
		if len(names) == 0 || len(s.walk(t, 1000, "")) != 30 {
			t.Errorf("%d events", len(names))
		}
	})
}

// A product whose SKUs stand far from each other in an update of prices is stored by one piece and has one event, however
// large the pieces are.
func TestPricesOfAProductAreOneChange(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		for round := range 2 {
			var products, updates []any
			name := func(i int) string { return fmt.Sprintf("R%d-%d", round, i) }
			for i := range 400 {
				products = append(products, item{"sku": name(i), "name": name(i), "price": 1,
					"variants": []any{item{"sku": name(i) + "-a"}, item{"sku": name(i) + "-b", "price": 2}}})
			}
			s.must(t, 202, "POST", importPath, importBody(nil, products...))
			for _, end := range []string{"", "-a", "-b"} {
				for i := range 400 {
					updates = append(updates, item{"sku": name(i) + end, "price": 5 + i})
				}
			}
			updates = append(updates, item{"sku": "nobody's", "price": 1}, item{"sku": name(3), "price": 9})
			if round == 0 {
				s.disturb(t)
			}
			_, from := s.eventsSince(0)
			out := s.must(t, 200, "PATCH", "/api/v1/sdk/prices/bulk-update", item{"updates": updates})
			if number(out, "data", "updated") != "1200" || number(out, "data", "notFound") != "1" ||
				number(out, "data", "errors", 0, "index") != "1200" || number(out, "data", "errors", 1, "index") != "1201" {
				t.Errorf("%v", out)
			}
			if names, _ := s.eventsSince(from); len(names) != 400 {
				t.Errorf("round %d: %d events about 400 products", round, len(names))
			}
		}
	})
}
