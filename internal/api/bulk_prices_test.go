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

func TestPriceUpdate(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.must(t, 202, "POST", "/api/v1/sdk/products/bulk-import", importBody(nil, item{"sku": "A", "name": "A", "price": 1, "compareAtPrice": 2},
			item{"sku": "B", "name": "B", "price": 1, "variants": []item{{"sku": "B-1", "price": 5}, {"sku": "B-2"}}}))
		_, from := s.eventsSince(0)
		out := s.must(t, 200, "PATCH", pricePath,
			item{"updates": []any{item{"sku": "A", "price": 3}, item{"sku": "NO", "price": 1}, item{"sku": "B-1", "price": 6, "compareAtPrice": 7},
				item{"sku": "A", "price": 9},
				item{"sku": "B", "price": 1}, item{"sku": "B-2", "price": "2.50"}, item{"price": 1}, "text",
				item{"sku": "C", "price": -1, "compareAtPrice": "x"}}})
		data := at(out, "data")
		if number(data, "updated") != "4" || number(data, "notFound") != "1" {
			t.Errorf("counts: %v", data)
		}
		codes := []string{}
		for _, e := range at(data, "errors").([]any) {
			codes = append(codes, number(e, "index")+text(e, "code"))
		}
		if fmt.Sprint(codes) != "[1unknown_sku 3duplicate_sku 6required 7invalid 8invalid]" ||
			text(data, "errors", 4, "error") != "price must not be negative; compareAtPrice must be a decimal number" {
			t.Errorf("errors: %v", data)
		}
		if a, b := s.prices(t, "A"), s.prices(t, "B"); a != "3/2" || b != "1/- B-1=6/7 B-2=2.5/-" {
			t.Errorf("prices: %s, %s", a, b)
		}
		names, from := s.eventsSince(from)
		if fmt.Sprint(names) != "[product.updated product.updated]" { // one for A, one for B with its two variants
			t.Errorf("events: %v", names)
		}
		s.must(t, 200, "PATCH", pricePath,
			item{"updates": []any{item{"sku": "A", "price": 3, "compareAtPrice": nil}, item{"sku": "B-1", "price": 6}}})
		if a := s.prices(t, "A"); a != "3/-" {
			t.Errorf("null clears: %s", a)
		}
		if names, _ = s.eventsSince(from); len(names) != 1 {
			t.Errorf("events of a change and of none: %v", names)
		}
	})
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
