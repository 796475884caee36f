package api

import (
	"fmt"
	"strconv"
	"sync"
	"testing"
)

// item is one product of an import.
type item = map[string]any

func importBody(options item, products ...any) item {
	body := item{"products": products}
	if options != nil {
		body["options"] = options
	}
	return body
}

// Two imports of the same new SKUs at the same time make each product once.
func TestImportsRace(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		var wait sync.WaitGroup
		created := make([]int, 6)
		for c := range created {
			wait.Go(func() {
				for round := range 4 {
					var products []any
					for i := range 20 {
						n := (i*(2*c+1) + c) % 20 // in another order each
						products = append(products, item{"sku": fmt.Sprintf("S-%d-%d", round, n), "name": "Same name", "price": c,
							"categoryIds": []string{fmt.Sprint("cat-", round)}})
					}
					r := s.do(call{method: "POST", path: "/api/v1/sdk/products/bulk-import?wait=true", body: importBody(nil, products...)})
					if r.status != 200 {
						t.Errorf("%d %s", r.status, r.body)
						return
					}
					n, _ := strconv.Atoi(number(r.json(t), "created"))
					created[c] += n
					s.do(call{method: "POST", path: "/api/v1/sdk/categories/bulk-import",
						body: item{"categories": []item{{"externalId": fmt.Sprint("cat-", round), "name": "C"}}}})
				}
			})
		}
		wait.Wait()
		sum := 0
		for _, n := range created {
			sum += n
		}
		list := s.must(t, 200, "GET", "/api/v1/products?limit=250", nil)
		if sum != 80 || number(list, "meta", "total") != "80" {
			t.Errorf("%d created, %s there", sum, number(list, "meta", "total"))
		}
		for _, p := range list["data"].([]any) {
			if len(at(p, "categoryIds").([]any)) != 1 {
				t.Errorf("a link still waits for what is there: %v", p)
			}
		}
		names, _ := s.eventsSince(0)
		made := 0
		for _, name := range names {
			if name == "product.created" {
				made++
			}
		}
		if made != 80 {
			t.Errorf("%d events of creation", made)
		}
	})
}
