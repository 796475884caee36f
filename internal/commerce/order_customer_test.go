package commerce_test

import (
	"sync"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/dbtest"
	"entrepot/internal/id"
)

// An order finds its customer merged into another one, who is erased before the order has read that far: the e-mail is free again, so the
// order has a new customer.
func TestOrderWhileItsCustomerIsErased(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store, 1)
		lines := map[int]int64{0: 1}
		first := s.create(t, s.draft("first@merge.example", lines)).Customer
		second := s.create(t, s.draft("second@merge.example", lines)).Customer
		if err := s.write(t, func(tx *db.Tx) error {
			_, err := s.do.MergeCustomers(tx, s.who, first, []id.Customer{second})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		var between sync.Once
		var customer id.Customer
		draft := s.draft("second@merge.example", lines)
		err := store.OptimisticWrite(t.Context(), s.who.Tenant, func(r db.Reader) (func(db.GuardedWriter), error) {
			pending := s.do.PrefetchOrder(r, draft)
			if err := r.Prefetch(func(db.Rows) error { return nil }, "SELECT 1 WHERE $1::BIGINT > 0", r.TenantID()).Wait(); err != nil {
				return nil, err
			}
			between.Do(func() {
				if err := s.do.EraseCustomer(t.Context(), store, s.who, first, nil); err != nil {
					t.Error(err)
				}
			})
			plan, err := pending.Plan(r, s.who)
			if err != nil {
				return nil, err
			}
			customer = plan.Order.Customer
			return plan.Store, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if customer == "" || customer == first || customer == second {
			t.Errorf("the order has the customer %q, of %q and %q", customer, first, second)
		}
	})
}
