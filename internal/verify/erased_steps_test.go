package verify_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/verify"
)

// regular makes a customer with orders, a merged record and an address.
func (s *shop) regular(email string, n int) (customer id.Customer) {
	s.Helper()
	for range n {
		if _, err := s.order(draft(email, orders.Pending, "SKU-1", "SKU-2-V")); err != nil {
			s.Fatal(err)
		}
	}
	s.must(func(tx *db.Tx) error {
		other, err := s.do.CreateCustomer(tx, customers.Change{Email: patch.To("second-" + email), FirstName: patch.To("Augusta"),
			LastName: patch.To("Byron")})
		if err != nil {
			return err
		}
		c, err := customers.ByEmail(tx, email)
		if err == nil {
			customer = c.ID
			_, err = s.do.MergeCustomers(tx, s.who, customer, []id.Customer{other.ID})
		}
		return err
	})
	return customer
}

// erased counts the events customer.erased about a customer, and reads its record.
func (s *shop) erased(customer id.Customer) (events int, c *customers.Customer) {
	s.Helper()
	s.must(func(tx *db.Tx) (err error) {
		if c, err = customers.Read(tx, customer); err != nil {
			return err
		}
		return tx.Row("SELECT count(*) FROM events WHERE tenant_id = $1 AND event = 'customer.erased' AND resource_id = $2",
			[]any{tx.Tenant, string(customer)}, &events)
	})
	return events, c
}

// proof returns what verify-erasure says of all erased customers.
func (s *shop) proof() *verify.Proof {
	s.Helper()
	p := &verify.Proof{}
	if err := verify.CheckRecords(s.Context(), s.store, p, ""); err != nil {
		s.Fatal(err)
	}
	for _, f := range p.Findings {
		s.Errorf("%s: %s", f.Where, f.What)
	}
	return p
}

// holds expects all checks to hold.
func (s *shop) holds(transactions int64) {
	s.Helper()
	s.dispatch()
	if wrong := s.wrong(); len(wrong) > 0 {
		s.Fatalf("died after %d transactions: %v", transactions, wrong)
	}
}

// An erasure in steps may die before any of its transactions. Nothing is wrong then: either it has not begun, or nothing can be
// written to the person any more and the proof knows that it is under way. It is continued by any process
// and ends with one event and one answer.
func TestErasureDiesAtEveryStep(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		began := 0
		dbtest.DiesAtEveryStep(t, 3, func(ctx context.Context, n int64) error {
			email := fmt.Sprintf("ada%d@steps.example", n)
			const many = 12
			customer := s.regular(email, many)
			err := s.do.EraseCustomer(ctx, store, s.who, customer, nil)
			events, c := s.erased(customer)
			p := s.proof()
			s.holds(n)
			switch begun := c.Status == customers.Erased; {
			case err == nil:
				if events != 1 || !begun || p.Underway != 0 {
					t.Fatalf("ended with %d events, %s, %d under way", events, c.Status, p.Underway)
				}
			case !errors.Is(err, context.Canceled):
				t.Fatal(err)
			case begun && (p.Underway != 1 || events != 0) || !begun && p.Underway != 0:
				t.Fatalf("died as %s with %d under way and %d events", c.Status, p.Underway, events)
			case !begun:
				if err := s.do.EraseCustomer(t.Context(), store, s.who, customer, nil); err != nil {
					t.Fatal(err)
				}
			default:
				began++
				d := draft("", orders.Pending, "SKU-1")
				d.CustomerID = customer
				if _, err := s.order(d); !apperr.Is(err, apperr.Conflict) {
					t.Fatalf("an order for a person who is being erased: %v", err)
				}
				if _, err := s.order(draft(email, orders.Pending, "SKU-1")); err != nil { // the e-mail is free
					t.Fatal(err)
				}
				if err := resume(t.Context(), store, s.do); err != nil {
					t.Fatal(err)
				}
				if events, again := s.erased(customer); events != 1 || again.ErasedAt != c.ErasedAt || again.ErasedOrders != many {
					t.Fatalf("continued: %d events, %+v", events, again)
				}
				if p := s.proof(); p.Underway != 0 {
					t.Fatalf("%d are under way", p.Underway)
				}
			}
			s.holds(n)
			return err
		})
		if began < 3 {
			t.Errorf("it died %d times between two steps", began)
		}
		s.forgot("Augusta Byron", "second-ada")
	})
}

// Orders of a channel that is deleted between two steps leave their events, which are erased, too.
func TestErasureWithoutOrdersThatWentMeanwhile(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		var made channels.Channel
		name := "Corner"
		s.must(func(tx *db.Tx) (err error) {
			made, _, _, err = s.do.CreateChannel(tx, s.who, commerce.ChannelDraft{Name: &name, Platform: channels.Custom})
			return err
		})
		d := draft("grace@gone.example", orders.Pending, "SKU-1")
		d.CustomerName, d.Channel = "Grace Hopper", made.ID
		for range 4 {
			if _, err := s.order(d); err != nil {
				t.Fatal(err)
			}
		}
		var customer id.Customer
		s.must(func(tx *db.Tx) error {
			c, err := customers.ByEmail(tx, d.CustomerEmail)
			customer = c.ID
			return err
		})
		s.diesErasing(customer, func() {})
		s.must(func(tx *db.Tx) error {
			_, err := s.do.DeleteChannel(tx, s.who, made.ID, commerce.Expected{}, false, nil)
			return err
		})
		if err := resume(t.Context(), store, s.do); err != nil {
			t.Fatal(err)
		}
		s.forgot("Grace Hopper", "grace@gone")
		s.holds(2)
	})
}

// Several erasures of one person at once, beside orders and merges, have one effect and one answer; orders that come for the
// person's e-mail are either erased or go to a new record.
func TestErasuresOfOnePersonBesideOrders(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		const email = "ada@crowd.example"
		customer := s.regular(email, 30)
		answers := make([]records.Erasure, 4)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() {
				err := s.do.EraseCustomer(t.Context(), store, s.who, customer, func(erase func(tx *db.Tx) (records.Erasure, error)) error {
					return s.write(func(tx *db.Tx) (err error) {
						answers[i], err = erase(tx)
						return err
					})
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		for range 12 {
			all.Go(func() {
				for range 4 {
					if _, err := s.order(draft(email, orders.Pending, "SKU-3")); err != nil {
						t.Error(err)
					}
					var other records.Customer
					err := s.write(func(tx *db.Tx) (err error) {
						other, err = s.do.CreateCustomer(tx, customers.Change{Email: patch.To(id.New[string]() + "@crowd.example")})
						return err
					})
					if err == nil { // by itself, as its callers have it: one transaction with both would lock the record behind the clock
						err = s.write(func(tx *db.Tx) error {
							_, err := s.do.MergeCustomers(tx, s.who, customer, []id.Customer{other.ID})
							return err
						})
					}
					if err != nil && !apperr.Is(err, apperr.Conflict) {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		events, c := s.erased(customer)
		for _, a := range answers {
			if a != (records.Erasure{ID: customer, ErasedAt: c.ErasedAt, Orders: c.ErasedOrders}) {
				t.Errorf("%+v, and the record %+v", a, c)
			}
		}
		if events != 1 || c.ErasedOrders != c.OrdersCount {
			t.Errorf("%d events, %+v", events, c)
		}
		if p := s.proof(); p.Underway != 0 {
			t.Errorf("%d are under way", p.Underway)
		}
		s.dispatch()
		if wrong := s.wrong(); len(wrong) > 0 {
			t.Error(wrong)
		}
	})
}
