package commerce_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/orders"
)

// byEmail are the numbers of the orders that a list by an e-mail address shows, the oldest first.
func (s *shop) byEmail(t testing.TB, f orders.RowFilter) (numbers []int64) {
	t.Helper()
	err := s.store.Read(context.Background(), s.who.Tenant, func(tx *db.Tx) error {
		numbers = nil
		list, total, err := orders.List(tx, orders.Filter{RowFilter: f, Sort: orders.ByNumber, Ascending: true, Limit: 1000}, nil)
		for _, o := range list {
			numbers = append(numbers, o.Number)
		}
		if int(total) != len(list) {
			t.Errorf("%+v: a total of %d over %d orders", f, total, len(list))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return numbers
}

// rename gives a customer another e-mail address.
func (s *shop) rename(t testing.TB, customer id.Customer, email string) error {
	change := customers.Change{Email: patch.To(email)}
	if err := s.do.LeaveEmail(t.Context(), s.store, s.who.Tenant, customer, commerce.Expected{}, change); err != nil {
		return err
	}
	return s.write(t, func(tx *db.Tx) error {
		_, err := s.do.UpdateCustomer(tx, customer, commerce.Expected{}, change)
		return err
	})
}

// Orders are found by the address that they have, whatever becomes of their customer's.
func TestOrdersAreFoundByTheirEmail(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store, 1)
		lines := map[int]int64{0: 1}
		want := func(when, email string, numbers ...int64) {
			t.Helper()
			if got := s.byEmail(t, orders.RowFilter{Email: email}); !slices.Equal(got, numbers) {
				t.Errorf("%s: %s has the orders %d, not %d", when, email, got, numbers)
			}
		}
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		a := s.create(t, s.draft("a@post.example", lines)).Customer // 1
		s.create(t, s.draft("A@Post.example", lines))               // 2
		byID := s.draft("", lines)                                  // 3
		byID.CustomerID = a
		s.create(t, byID)
		want("created", "A@POST.example", 1, 2, 3)

		must(s.rename(t, a, "b@post.example"))
		want("renamed", "a@post.example", 1, 2, 3)
		want("renamed", "b@post.example")
		s.create(t, s.draft("b@post.example", lines)) // 4
		want("the new address", "b@post.example", 4)
		want("the new address", "a@post.example", 1, 2, 3)
		second := s.create(t, s.draft("a@post.example", lines)).Customer // 5
		if second == a {
			t.Fatal("the old address leads to the customer who had it")
		}
		want("somebody else has the old address", "a@post.example", 1, 2, 3, 5)
		if got := s.byEmail(t, orders.RowFilter{Email: "a@post.example", Customer: a}); !slices.Equal(got, []int64{1, 2, 3}) {
			t.Errorf("the customer's orders of the old address are %d", got)
		}
		if got := s.byEmail(t, orders.RowFilter{Email: "a@post.example", Customer: second}); !slices.Equal(got, []int64{5}) {
			t.Errorf("the other customer's orders of that address are %d", got)
		}

		must(s.write(t, func(tx *db.Tx) error {
			_, err := s.do.MergeCustomers(tx, s.who, a, []id.Customer{second})
			return err
		}))
		want("merged", "a@post.example", 1, 2, 3, 5)
		if o := s.create(t, s.draft("a@post.example", lines)); o.Customer != a { // 6
			t.Fatalf("the merged customer's address leads to %q", o.Customer)
		}
		want("ordered with the merged one's address", "a@post.example", 1, 2, 3, 5, 6)
		want("ordered with the merged one's address", "b@post.example", 4)
		must(s.rename(t, a, "a@post.example")) // the two records exchange theirs
		want("exchanged", "a@post.example", 1, 2, 3, 5, 6)
		want("exchanged", "b@post.example", 4)
		s.create(t, s.draft("a@post.example", lines)) // 7
		s.create(t, s.draft("b@post.example", lines)) // 8
		want("after the exchange", "a@post.example", 1, 2, 3, 5, 6, 7)
		want("after the exchange", "b@post.example", 4, 8)

		must(s.do.EraseCustomer(t.Context(), store, s.who, a, nil))
		want("erased", "a@post.example")
		want("erased", "b@post.example")
		s.create(t, s.draft("a@post.example", lines)) // 9
		want("a new customer", "a@post.example", 9)
	})
}

// Callers order by address and by customer while others give the customers new addresses and merge them: every order is found by its
// address, and once.
func TestOrdersAreFoundByTheirEmailInParallel(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store, 1)
		s.do.AtOnce = 1
		lines := map[int]int64{0: 1}
		const callers, each = 8, 12
		address := func(n int) string { return fmt.Sprintf("%d@post.example", n%5) }
		var customer [callers]id.Customer
		for i := range customer {
			customer[i] = s.create(t, s.draft(fmt.Sprintf("own-%d@post.example", i), lines)).Customer
		}
		var all sync.WaitGroup
		for i := range callers {
			all.Go(func() {
				for n := range each {
					if i%2 == 0 {
						_ = s.rename(t, customer[(i+n)%callers], address(i+n)) // another one may have it
						continue
					}
					d := s.draft(address(n), lines)
					if n%3 == 0 {
						d.CustomerID = customer[(i+n)%callers]
					}
					s.create(t, d)
				}
			})
		}
		all.Wait()
		has := map[string][]int64{}
		for n := int64(1); n <= s.number.Load(); n++ {
			err := store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
				var email string
				err := tx.Row("SELECT customer_email FROM orders WHERE tenant_id = $1 AND number = $2", []any{tx.Tenant, n}, &email)
				has[orders.EmailKey(email)] = append(has[orders.EmailKey(email)], n)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for email, numbers := range has {
			if got := s.byEmail(t, orders.RowFilter{Email: email}); !slices.Equal(got, numbers) {
				t.Errorf("%s has the orders %d, not %d", email, got, numbers)
			}
		}
	})
}

// A customer gets another address after an order with the old one has found the customer and before it is stored: the order runs again.
func TestOrderWhileItsCustomerIsRenamed(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store, 1)
		lines := map[int]int64{0: 1}
		first := s.create(t, s.draft("old@post.example", lines)).Customer
		draft := s.draft("old@post.example", lines)
		var customer id.Customer
		err := dbtest.Overtaken(t, store, s.who.Tenant, func(tx *db.Tx) error {
			o, err := s.do.CreateOrder(tx, s.who, draft)
			if err == nil {
				customer = o.Customer
			}
			return err
		}, func() error { return s.rename(t, first, "new@post.example") })
		if err != nil {
			t.Fatal(err)
		}
		if customer == first {
			t.Error("the order went to a customer with another address")
		}
		if got := s.byEmail(t, orders.RowFilter{Email: "old@post.example"}); !slices.Equal(got, []int64{1, 2}) {
			t.Errorf("the orders %d are found by the old address", got)
		}
		if got := s.byEmail(t, orders.RowFilter{Email: "new@post.example"}); len(got) > 0 {
			t.Errorf("the orders %d are found by the new address", got)
		}
	})
}

// Orders that a merge in steps has not moved yet are found by their address, also when the two records have exchanged theirs meanwhile.
func TestOrdersOfAMergeAreFoundByTheirEmail(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store, 1)
		s.do.AtOnce = 2
		lines := map[int]int64{0: 1}
		primary := s.create(t, s.draft("a@post.example", lines)).Customer
		var second id.Customer
		for range 5 {
			second = s.create(t, s.draft("b@post.example", lines)).Customer
		}
		want := func(when string) {
			t.Helper()
			for email, numbers := range map[string][]int64{"a@post.example": {1}, "b@post.example": {2, 3, 4, 5, 6}} {
				if got := s.byEmail(t, orders.RowFilter{Email: email}); !slices.Equal(got, numbers) {
					t.Errorf("%s: %s has the orders %d, not %d", when, email, got, numbers)
				}
			}
		}
		err := s.write(t, func(tx *db.Tx) error {
			_, err := s.do.MergeCustomers(tx, s.who, primary, []id.Customer{second})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		want("begun")
		if err := s.rename(t, primary, "b@post.example"); err != nil {
			t.Fatal(err)
		}
		want("exchanged")
		if err := s.do.FinishMerges(t.Context(), store, s.who.Tenant, primary); err != nil {
			t.Fatal(err)
		}
		want("ended")
		if n := len(s.byEmail(t, orders.RowFilter{Customer: primary})); n != 6 {
			t.Errorf("the primary has %d orders", n)
		}
	})
}
