package api

import (
	"slices"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/verify"
)

// sound fails the test unless the whole store holds together.
func (s *server) sound(t testing.TB) {
	t.Helper()
	results, err := verify.Run(t.Context(), s.DB, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Wrong > 0 {
			t.Errorf("%s: %d wrong: %v", r.Name, r.Wrong, r.Examples)
		}
	}
}

// Order numbers that were issued twice, by whatever error, block no order: the next ones continue above all that exist.
func TestNumbersAreTaken(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.must(t, 201, "POST", "/api/v1/products", map[string]any{"sku": "A", "name": "A", "price": 1})
		order := func() string {
			t.Helper()
			return text(s.must(t, 201, "POST", "/api/v1/orders",
				map[string]any{"customerName": "Ada", "items": []any{map[string]any{"sku": "A", "quantity": 1, "unitPrice": 5}}}), "data", "id")
		}
		for range 4 { // ORD-000001, 2 to 5, and the block of 4 goes on
			order()
		}
		s.write(s.tenant, func(tx *db.Tx) error { // what comes next in the block is taken, as after a block that two nodes had
			tx.Queue(
				"UPDATE orders SET number = number + 1 WHERE tenant_id = $1 AND number = (SELECT max(number) FROM orders WHERE tenant_id = $1)",
				tx.Tenant)
			tx.Queue("UPDATE order_numbers SET next = 2 WHERE tenant_id = $1", tx.Tenant)
			return nil
		})
		results, err := verify.Run(t.Context(), s.DB, "")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(results, func(r verify.Result) bool { return r.Name == "order numbers" && r.Wrong == 1 }) {
			t.Error("verify does not see that numbers will be handed out twice")
		}
		for range 10 {
			order()
		}
		s.sound(t)
	})
}
