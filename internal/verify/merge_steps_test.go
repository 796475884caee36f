package verify_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/orders"
)

// two makes a customer with n orders and another one with 2.
func (s *shop) two(round, n int) (from, into id.Customer) {
	s.Helper()
	for i, email := range []string{fmt.Sprintf("from%d@merge.example", round), fmt.Sprintf("into%d@merge.example", round)} {
		for range []int{n, 2}[i] {
			if _, err := s.order(draft(email, orders.Pending, "SKU-1", "SKU-2-V")); err != nil {
				s.Fatal(err)
			}
		}
		s.must(func(tx *db.Tx) error {
			c, err := customers.ByEmail(tx, email)
			if i == 0 {
				from = c.ID
			} else {
				into = c.ID
			}
			return err
		})
	}
	return from, into
}

func (s *shop) join(into, from id.Customer) (merged commerce.Merged, err error) {
	return merged, s.write(func(tx *db.Tx) (err error) {
		merged, err = s.do.MergeCustomers(tx, s.who, into, []id.Customer{from})
		return err
	})
}

// has expects a customer's count to be that of its orders.
func (s *shop) has(customer id.Customer, n int) {
	s.Helper()
	kept := s.count("SELECT orders_count FROM customers WHERE tenant_id = $1 AND id = $2::UUID", customer)
	if found := s.count("SELECT count(*) FROM orders WHERE tenant_id = $1 AND customer_id = $2::UUID", customer); kept != n || found != n {
		s.Errorf("%s has %d orders, kept as %d; want %d", customer, found, kept, n)
	}
}

// A merge of a customer with many orders may die before any of its transactions. The secondary is merged then, whose orders follow.
func TestMergeDiesAtEveryStep(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		dbtest.DiesAtEveryStep(t, 4, func(ctx context.Context, n int64) error {
			from, into := s.two(int(n), 9)
			merged, err := s.join(into, from)
			if err != nil || merged.OrdersMoved != 9 || merged.Primary.OrdersCount != 11 {
				t.Fatalf("%+v, %v", merged, err)
			}
			err = s.do.FinishMerges(ctx, store, s.who.Tenant, into)
			s.holds(n)
			if _, err := s.join(into, from); !apperr.Is(err, apperr.Conflict) {
				t.Fatalf("merged twice: %v", err)
			}
			order, errOrder := s.order(draft(fmt.Sprintf("from%d@merge.example", n), orders.Pending, "SKU-1"))
			if errOrder != nil {
				t.Fatal(errOrder)
			}
			if s.count("SELECT count(*) FROM orders WHERE tenant_id = $1 AND id = $2::UUID AND customer_id = $3::UUID", order, into) != 1 {
				t.Error("an order is not the primary's")
			}
			if err != nil {
				if err := resume(t.Context(), store, s.do); err != nil {
					t.Fatal(err)
				}
				s.holds(n)
			}
			s.has(into, 12)
			s.has(from, 0)
			if n := s.count("SELECT count(*) FROM events WHERE tenant_id = $1 AND event = 'customer.merged' AND resource_id = $2",
				string(into)); n != 1 {
				t.Errorf("%d events", n)
			}
			return err
		})
		if n := s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND subject IS NOT NULL"); n > 0 {
			t.Errorf("%d operations are unfinished", n)
		}
	})
}

// While the orders of a merged customer move, by several processes, they change, others come for either, and the primary is itself merged
// into another one, which is erased.
func TestMergesBesideOthers(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		for _, erase := range []bool{false, true} {
			s := newShop(t, store)
			s.do.AtOnce = 1
			from, into := s.two(0, 24)
			_, last := s.two(1, 1)
			if _, err := s.join(into, from); err != nil {
				t.Fatal(err)
			}
			var made []id.Order
			s.must(func(tx *db.Tx) (err error) {
				made, err = orders.Of(tx, []id.Customer{from})
				return err
			})
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() {
					if err := s.do.FinishMerges(t.Context(), store, s.who.Tenant, into); err != nil {
						t.Error(err)
					}
				})
			}
			for w := range 4 {
				all.Go(func() {
					for i := w; i < len(made); i += 4 {
						if err := s.change(made[i], func(tx *db.Tx, o *orders.Order) error {
							_, err := s.do.EditOrder(tx, s.who, o.ID, commerce.Expected{},
								commerce.Edit{Lines: []orders.LineDraft{{ID: o.Lines[0].ID, SKU: o.Lines[0].SKU, Quantity: 9, UnitPrice: 10_000}}})
							return err
						}); err != nil {
							t.Error(err)
						}
						for _, email := range []string{"from0@merge.example", "into0@merge.example"} {
							if _, err := s.order(draft(email, orders.Pending, "SKU-3")); err != nil {
								t.Error(err)
							}
						}
					}
				})
			}
			all.Go(func() {
				_, err := s.join(last, into)
				if err == nil && erase {
					err = s.do.EraseCustomer(t.Context(), store, s.who, last, nil)
				} else if err == nil {
					err = s.do.FinishMerges(t.Context(), store, s.who.Tenant, last)
				}
				if err != nil {
					t.Error(err)
				}
			})
			all.Wait()
			if err := resume(t.Context(), store, s.do); err != nil {
				t.Fatal(err)
			}
			s.has(from, 0)
			s.has(into, 0)
			if !erase {
				s.has(last, 24+2+2+2*24)
			}
			if n := s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND subject IS NOT NULL"); n > 0 {
				t.Errorf("%d operations are unfinished", n)
			}
			s.holds(-1)
			s.proof()
		}
	})
}
