package verify_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
	"entrepot/internal/search"
	"entrepot/internal/verify"
)

// another makes a customer with n orders, all with one name.
func (s *shop) another(email, name string, n int) (customer id.Customer) {
	s.Helper()
	for range n {
		d := draft(email, orders.Pending, "SKU-1")
		d.CustomerName = name
		if _, err := s.order(d); err != nil {
			s.Fatal(err)
		}
	}
	s.must(func(tx *db.Tx) error {
		c, err := customers.ByEmail(tx, email)
		if err == nil {
			customer = c.ID
		}
		return err
	})
	return customer
}

// forgot expects that none of some texts is in the store's tables any more.
func (s *shop) forgot(texts ...string) {
	s.Helper()
	p := &verify.Proof{}
	if err := verify.FindTexts(s.Context(), s.store, p, texts...); err != nil {
		s.Fatal(err)
	}
	for _, f := range p.Findings {
		if !strings.HasPrefix(f.Where, "file ") { // of those that an erasure does not wait for
			s.Errorf("%s: %s", f.Where, f.What)
		}
	}
}

// diesErasing begins to erase a customer and dies between the first two transactions that write; meanwhile is called before the first.
func (s *shop) diesErasing(customer id.Customer, meanwhile func()) {
	s.Helper()
	for n := int64(1); ; n++ {
		ctx := dbtest.BeforeWrite(dbtest.Dying(s.Context(), n), meanwhile)
		if err := s.do.EraseCustomer(ctx, s.store, s.who, customer, nil); !errors.Is(err, context.Canceled) {
			s.Fatal(err)
		}
		if _, c := s.erased(customer); c.Status == customers.Erased {
			return
		}
	}
}

// What happens to a person between the search on a snapshot and the transaction with which the erasure begins is seen by that transaction.
func TestErasureBeginsWithWhatIsTrueThen(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		const many = 5
		for n, c := range []struct {
			what      string
			meanwhile func(customer, other id.Customer)
			refused   bool
			orders    int
		}{
			{what: "erased by another request", orders: many, meanwhile: func(customer, _ id.Customer) {
				if err := s.do.EraseCustomer(t.Context(), store, s.who, customer, nil); err != nil {
					t.Fatal(err)
				}
			}},
			{what: "another request has begun", orders: many, meanwhile: func(customer, _ id.Customer) { s.diesErasing(customer, func() {}) }},
			{what: "merged with older orders, and another request has begun", orders: 2 * many, meanwhile: func(customer, other id.Customer) {
				if _, err := s.join(customer, other); err != nil {
					t.Fatal(err)
				}
				s.diesErasing(customer, func() {})
			}},
			{what: "merged into another one", refused: true, meanwhile: func(customer, other id.Customer) {
				if _, err := s.join(other, customer); err != nil {
					t.Fatal(err)
				}
			}},
			{what: "another one is merged into it", orders: 2 * many, meanwhile: func(customer, other id.Customer) {
				if _, err := s.join(customer, other); err != nil {
					t.Fatal(err)
				}
			}},
		} {
			t.Run(c.what, func(t *testing.T) {
				s := &shop{T: t, store: s.store, do: s.do, who: s.who}
				texts := []string{fmt.Sprintf("Other Person%d", n), fmt.Sprintf("other%d@begins.example", n),
					fmt.Sprintf("Mary Shelley%d", n), fmt.Sprintf("mary%d@begins.example", n)}
				other := s.another(texts[1], texts[0], many)
				customer := s.another(texts[3], texts[2], many)
				if err := search.Blocks[search.Customers].FollowTenant(t.Context(), store, s.who.Tenant); err != nil {
					t.Fatal(err)
				}
				err := s.do.EraseCustomer(dbtest.BeforeWrite(t.Context(), func() { c.meanwhile(customer, other) }), store, s.who, customer, nil)
				events, now := s.erased(customer)
				if c.refused {
					if !apperr.Is(err, apperr.Conflict) || now.Status != customers.Secondary || events != 0 {
						t.Errorf("%v; it is %s, %d events", err, now.Status, events)
					}
					return
				}
				if err != nil || events != 1 || now.ErasedOrders != int64(c.orders) {
					t.Errorf("%v; %d events, %d orders", err, events, now.ErasedOrders)
				}
				if n := s.count("SELECT count(*) FROM audit_log WHERE tenant_id = $1 AND action = 'customer.erased' AND resource_id = $2",
					string(customer)); n != 1 {
					t.Errorf("%d lines in the audit log", n)
				}
				if p := s.proof(); p.Underway != 0 {
					t.Errorf("%d are under way", p.Underway)
				}
				if c.orders == many {
					texts = texts[2:]
				}
				s.forgot(texts...)
				s.holds(-1)
			})
		}
	})
}

// A customer who gets another name or address just before the erasure begins is looked for by these as well, whoever continues it.
func TestErasureKeepsTheNewestName(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		changes := 0
		name := func() string { return fmt.Sprintf("Countess%d", changes) }
		var address customers.Address
		for n, change := range []func(tx *db.Tx, customer id.Customer) error{
			func(tx *db.Tx, customer id.Customer) error {
				_, err := s.do.UpdateCustomer(tx, customer, commerce.Expected{}, customers.Change{LastName: patch.To(name())})
				return err
			},
			func(tx *db.Tx, customer id.Customer) (err error) {
				address, err = s.do.CreateAddress(tx, customer, commerce.Expected{}, customers.AddressChange{Line1: patch.To("5 Hidden Lane"),
					City: patch.To("Rouen"), Zip: patch.To("76000"), Country: patch.To("FR")})
				return err
			},
		} {
			customer := s.another(fmt.Sprintf("ada%d@begins.example", n), "Ada Lovelace", 5)
			s.diesErasing(customer, func() {
				changes++
				s.must(func(tx *db.Tx) error { return change(tx, customer) })
			})
			var sought string
			s.must(func(tx *db.Tx) error {
				job, err := jobs.Operation(tx, jobs.CustomerErasure, string(customer))
				sought = job.Input
				return err
			})
			if n == 0 && !strings.Contains(sought, name()) || n == 1 && !strings.Contains(sought, string(address.ID)) {
				t.Errorf("it looks for %s", sought)
			}
		}
	})
}

// After a restart everything that was in the middle is ended, however much that was.
func TestAllThatWasInterruptedIsContinued(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		for i := range 3 {
			s.diesErasing(s.another(fmt.Sprintf("ada%d@begins.example", i), fmt.Sprintf("Ada Lovelace%d", i), 3), func() {})
			from, into := s.two(i, 3)
			if _, err := s.join(into, from); err != nil {
				t.Fatal(err)
			}
			channel := s.corner()
			s.trade(channel, 3)
			if err := s.close(channel); err != nil {
				t.Fatal(err)
			}
		}
		left := func() int {
			return s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND subject IS NOT NULL")
		}
		if n := left(); n != 9 {
			t.Fatalf("%d are unfinished", n)
		}
		if err := resume(t.Context(), store, s.do); err != nil || left() != 0 {
			t.Errorf("%d are unfinished, %v", left(), err)
		}
		s.holds(-1)
	})
}

// Nobody is erased under an id that is no customer's, however much there is about it.
func TestErasureOfAnOrder(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		order, err := s.order(draft("ada@begins.example", orders.Processing, "SKU-1"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			if err := s.change(order, func(tx *db.Tx, o *orders.Order) error {
				_, err := s.do.EditOrder(tx, s.who, o.ID, commerce.Expected{},
					commerce.Edit{Lines: []orders.LineDraft{{ID: o.Lines[0].ID, SKU: "SKU-1", Quantity: int64(3 + i), UnitPrice: 10_000}}})
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.do.EraseCustomer(t.Context(), store, s.who, id.Customer(order), nil); !apperr.Is(err, apperr.NotFound) {
			t.Errorf("an order is erased as a customer: %v", err)
		}
	})
}
