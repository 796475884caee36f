package api

import (
	"testing"
	"time"
)

// What happens to an order is read in the order in which it happened, also when a later writer has an earlier clock: on PostgreSQL a
// transaction reads the clock before it waits for the order, and nodes have clocks of their own.
func TestStoryOfAnOrderIsInOrder(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.must(t, 201, "POST", "/api/v1/products", map[string]any{"sku": "A", "name": "A", "price": 1})
		made := s.must(t, 201, "POST", "/api/v1/orders", map[string]any{"customerName": "Ada",
			"items": []any{map[string]any{"sku": "A", "quantity": 3, "unitPrice": 5}}})
		path := "/api/v1/orders/" + text(made, "data", "id")
		line := text(s.must(t, 200, "GET", path, nil), "data", "items", 0, "id")
		step := func(want int, method, at string, body map[string]any) map[string]any {
			s.now.move(-time.Minute)
			return s.must(t, want, method, path+at, body)
		}
		ship := func(tracking string) string {
			return text(step(201, "POST", "/shipments", map[string]any{"trackingNumber": tracking,
				"items": []any{map[string]any{"orderItemId": line, "quantity": 1}}}), "data", "id")
		}
		step(200, "PATCH", "", map[string]any{"notes": "first"})
		step(200, "PATCH", "/status", map[string]any{"status": "PROCESSING"})
		ship("T1")
		ship("T2")
		third := ship("T3")
		check := func(tracking string, want ...string) {
			t.Helper()
			o := s.must(t, 200, "GET", path, nil)
			for i, status := range want {
				if got := text(o, "data", "statusHistory", i, "status"); got != status {
					t.Errorf("step %d leads to %q, not %s", i, got, status)
				}
			}
			parcels, _ := at(o, "data", "shipments").([]any)
			if last := text(parcels[len(parcels)-1], "trackingNumber"); last != tracking || text(o, "data", "trackingNumber") != tracking {
				t.Errorf("the last parcel has %s, the order %s, not %s", last, text(o, "data", "trackingNumber"), tracking)
			}
		}
		check("T3", "PENDING", "PROCESSING", "PARTIALLY_SHIPPED", "SHIPPED")
		step(200, "DELETE", "/shipments/"+third, nil)
		check("T2", "PENDING", "PROCESSING", "PARTIALLY_SHIPPED", "SHIPPED", "PARTIALLY_SHIPPED")
		step(200, "PATCH", "", map[string]any{"notes": "second"})
		edits := s.must(t, 200, "GET", path+"/edits", nil)
		for i, field := range []string{"notes", "shipment", "notes"} {
			if got := text(edits, "data", i, "changes", 0, "field"); got != field {
				t.Errorf("edit %d changed %q, not %s", i, got, field)
			}
		}
		step(200, "PATCH", "/status", map[string]any{"status": "SHIPPED", "trackingNumber": "T4"})
		check("T4", "PENDING", "PROCESSING", "PARTIALLY_SHIPPED", "SHIPPED", "PARTIALLY_SHIPPED", "SHIPPED")
		s.sound(t)
	})
}
