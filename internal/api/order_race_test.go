package api

import (
	"sync"
	"testing"
)

// Orders that take the same goods out of stock at once, so that each changes what all others have read: every one is created, and
// what is left is right. A transaction that keeps losing such races to others must still come to its end.
func TestDeliveredOrdersOfOneSKUAtOnce(t *testing.T) {
	const clients, each = 4, 100
	engines(t, func(t *testing.T, s *server) {
		s.must(t, 201, "POST", "/api/v1/products", map[string]any{"sku": "MUG", "name": "Mug", "price": 1,
			"stock": map[string]any{"quantity": 1000}})
		var all sync.WaitGroup
		for range clients {
			all.Go(func() {
				for range each {
					s.answered(t, call{method: "POST", path: "/api/v1/orders", body: map[string]any{"customerName": "Ada",
						"initialStatus": "DELIVERED", "items": []any{map[string]any{"sku": "MUG", "quantity": 1, "unitPrice": 1}}}}, 201)
				}
			})
		}
		all.Wait()
		level := s.must(t, 200, "GET", "/api/v1/inventory?sku=MUG", nil)
		if left := number(level, "data", 0, "quantity"); left != "600" {
			t.Errorf("%s are left of 1,000", left)
		}
		s.sound(t)
	})
}
