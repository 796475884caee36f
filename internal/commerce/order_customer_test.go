package commerce_test

import (
	"errors"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
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
		var found *customers.Customer
		if err := store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) (err error) {
			found, err = customers.ByEmail(tx, "second@merge.example")
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if err := s.do.EraseCustomer(t.Context(), store, s.who, first, nil); err != nil {
			t.Fatal(err)
		}
		if err := store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
			_, err := customers.Primary(tx, found)
			return err
		}); !errors.Is(err, db.ErrRetry) {
			t.Errorf("the customer whose primary was erased meanwhile: %v", err)
		}
		customer := s.create(t, s.draft("second@merge.example", lines)).Customer
		if customer == "" || customer == first || customer == second {
			t.Errorf("the order has the customer %q, of %q and %q", customer, first, second)
		}
	})
}
