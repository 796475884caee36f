package api

import (
	"fmt"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// What is done in steps is done when the answer comes: products have left a deleted category, and are in one that came, nothing is left of
// a deleted warehouse, and a customer's many orders are found by the address that they had.
func TestAnswersComeAfterTheSteps(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		const products, orders = 600, 80 // more than one transaction takes
		var list []any
		for i := range products {
			list = append(list, member{"sku": fmt.Sprint("P", i), "name": "Product", "price": 1, "categoryIds": []any{"hats"}})
		}
		s.must(t, 202, "POST", "/api/v1/sdk/products/bulk-import", member{"products": list})
		members := func(want int, category string) {
			t.Helper()
			n := 0
			for _, item := range s.must(t, 200, "GET", "/api/v1/sdk/products/changes", nil)["data"].([]any) {
				for _, in := range item.(map[string]any)["categoryIds"].([]any) {
					if in != category {
						t.Errorf("a product is in %v", in)
					}
					n++
				}
			}
			if n != want {
				t.Errorf("%d products are in the category, not %d", n, want)
			}
		}
		for range 2 {
			made := text(s.must(t, 201, "POST", "/api/v1/categories", member{"externalId": "hats", "name": "Hats"}), "data", "id")
			members(products, made)
			s.must(t, 200, "DELETE", "/api/v1/categories/"+made, nil)
			members(0, "")
		}
		var bounds []any
		for i := range products {
			bounds = append(bounds, member{"sku": fmt.Sprint("P", i), "warehouseCode": "DEPOT", "threshold": 5})
		}
		s.must(t, 200, "PATCH", "/api/v1/inventory/thresholds", member{"updates": bounds})
		depot := at(s.must(t, 200, "GET", "/api/v1/warehouses", nil), "data").([]any)[1]
		s.must(t, 200, "DELETE", "/api/v1/warehouses/"+text(depot, "id"), nil)
		if n := number(s.must(t, 200, "GET", "/api/v1/inventory?warehouseCode=DEPOT", nil), "meta", "total"); n != "0" {
			t.Errorf("%s levels are in a deleted warehouse", n)
		}
		s.write(s.tenant, func(tx *db.Tx) error {
			begun, err := jobs.Operation(tx, jobs.WarehouseEmptied, text(depot, "id"))
			if begun != nil {
				t.Error("its deletion is unfinished")
			}
			return err
		})
		customer := text(s.must(t, 201, "POST", "/api/v1/customers", member{"email": "old@buyer.example"}), "data", "id")
		for range orders {
			s.must(t, 201, "POST", "/api/v1/orders", member{"customerName": "Ada", "customerEmail": "old@buyer.example",
				"items": []any{member{"sku": "P1", "quantity": 1, "unitPrice": 1}}})
		}
		s.must(t, 200, "PATCH", "/api/v1/customers/"+customer, member{"email": "new@buyer.example"})
		for address, want := range map[string]int{"old@buyer.example": orders, "new@buyer.example": 0} {
			got := s.must(t, 200, "GET", "/api/v1/orders?customerEmail="+address, nil)["meta"].(map[string]any)["total"]
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s finds %v orders, not %v", address, got, want)
			}
		}
	})
}
