package api

import (
	"fmt"
	"sync"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/verify"
)

// Orders placed, moved and edited while their customers are merged and erased: totals are those of the orders, no secondary keeps an
// order, and nothing of an erased person comes back.
func TestRacesAroundCustomers(t *testing.T) {
	dbtest.Long(t, "races are repeated")
	engines(t, func(t *testing.T, s *server) {
		order := s.shop(t)
		var all sync.WaitGroup
		for n := range 4 {
			first := s.customer(t, map[string]any{"email": fmt.Sprintf("first%d@race.example", n), "firstName": "Race",
				"lastName": fmt.Sprint("Runner", n)})
			second := s.customer(t, map[string]any{"email": fmt.Sprintf("second%d@race.example", n)})
			var underWay sync.WaitGroup
			underWay.Add(2)
			for _, email := range []string{"first", "second"} {
				all.Go(func() {
					for i := range 12 {
						if i == 3 {
							underWay.Done()
						}
						status, made := s.call(t, "POST", "/api/v1/orders",
							order(map[string]any{"customerName": fmt.Sprint("Race Runner", n), "customerEmail": fmt.Sprintf("%s%d@race.example", email, n),
								"notes": "a note of the runner"}))
						if status != 201 {
							t.Errorf("an order: %d %v", status, made)
							continue
						}
						path := "/api/v1/orders/" + text(made, "data", "id")
						if i%3 == 0 {
							s.call(t, "PATCH", path+"/status", map[string]any{"status": "CANCELLED", "note": "a note of the runner"})
						} else if i%3 == 1 {
							s.call(t, "PUT", path+"/items", `{"items":[{"sku":"A-1","quantity":2,"unitPrice":10}]}`)
						}
					}
				})
			}
			all.Go(func() {
				underWay.Wait()
				if status, answer := s.call(t, "POST", "/api/v1/customers/merge",
					map[string]any{"primaryId": first, "secondaryIds": []string{second}}); status != 200 {
					t.Errorf("a merge: %d %v", status, answer)
				}
				if n%2 == 0 {
					return
				}
				if status, answer := s.call(t, "POST", "/api/v1/customers/"+first+"/erase", nil); status != 200 {
					t.Errorf("an erasure: %d %v", status, answer)
				}
			})
		}
		all.Wait()
		proof := &verify.Proof{}
		if err := verify.CheckRecords(t.Context(), s.DB, proof, ""); err != nil || proof.Customers != 4 || proof.Orders == 0 {
			t.Errorf("%+v, %v", proof, err)
		}
		for _, f := range proof.Findings {
			t.Errorf("%s: %s", f.Where, f.What)
		}
		err := s.DB.Read(t.Context(), s.tenant, func(tx *db.Tx) error {
			return tx.Each(func(r db.Rows) error {
				var customer id.Customer
				var status string
				var count, spent, orders, total int64
				err := r.Scan(&customer, &status, &count, &spent, &orders, &total)
				if count != orders || spent != total || status == "secondary" && orders > 0 {
					t.Errorf("the %s customer %s counts %d orders of %d, and has %d of %d", status, customer, count, spent, orders, total)
				}
				return err
			}, `SELECT c.id, c.status, c.orders_count, c.total_spent, (SELECT count(*) FROM orders o WHERE o.tenant_id = $1
				AND o.customer_id = c.id),
				(SELECT coalesce(sum(CASE WHEN o.status = 'CANCELLED' THEN 0 ELSE o.total END), 0)::BIGINT FROM orders o
					WHERE o.tenant_id = $1 AND o.customer_id = c.id)
				FROM customers c WHERE c.tenant_id = $1`, s.tenant)
		})
		if err != nil {
			t.Error(err)
		}
	})
}
