package customers_test

import (
	"slices"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// orderOf is an order of a known customer, created at a time.
func (p *people) orderOf(customer id.Customer, at int64) {
	p.Helper()
	d := p.draft()
	d.CustomerEmail, d.CustomerID, d.CreatedAt = "", customer, at
	p.create(d)
}

// A batch takes only so many new orders; those behind it are for the next one, and until then a page looks at them
// itself.
func TestMoreOrdersThanOneBatchTakes(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPeople(t, store, 1)
		for range 6 {
			steps[0].do(p)
		}
		one := int64(1)
		p.must(func(tx *db.Tx) error {
			p.do.CreateSegment(tx, p.who, "s", customers.Rules{MinOrders: &one})
			return nil
		})
		p.follow()
		for i, c := range p.known {
			p.orderOf(c, int64(1000*(i+1)))
		}
		if !p.batch(2) {
			t.Fatal("6 orders are applied as 2")
		}
		want := slices.Clone(p.known)
		slices.Reverse(want)
		p.hasMembers(want)
		p.follow()
		p.hasMembers(want)
		p.sound()
	})
}

// A customer's last order is the newest one, in whatever order they came.
func TestTheLastOrderIsTheNewest(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPeople(t, store, 1)
		for range 3 {
			steps[0].do(p)
		}
		const early, late = 1_700_000_000_000_000, 1_700_000_009_000_000
		at := int64(1_700_000_005_000_000)
		after := customers.Rules{LastOrderAfter: &at}
		p.must(func(tx *db.Tx) error { p.do.CreateSegment(tx, p.who, "s", after); return nil })
		p.follow()
		p.orderOf(p.known[0], early)
		p.orderOf(p.known[0], late)
		p.orderOf(p.known[1], late)
		p.orderOf(p.known[1], early)
		p.orderOf(p.known[2], early)
		want := []id.Customer{p.known[1], p.known[0]}
		p.hasMembers(want)
		p.follow()
		p.hasMembers(want)
		p.sound()
	})
}

// A list grows by some customers at a time. Those whom it has passed are put into it as they change, the last one of
// a batch, too; a list that nobody is in becomes whole as others do.
func TestChangesBehindAListThatGrows(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPeople(t, store, 1)
		for range 7 {
			steps[0].do(p)
		}
		p.must(func(tx *db.Tx) error {
			p.do.CreateSegment(tx, p.who, "s", customers.Rules{TagsAny: []string{"green"}})
			p.do.CreateSegment(tx, p.who, "s", customers.Rules{TagsAny: []string{"nobody's"}})
			return nil
		})
		grown := func() (n int) {
			p.must(func(tx *db.Tx) error {
				return tx.Row("SELECT count(*) FROM segment_lists WHERE tenant_id = $1 AND done_to IS NOT NULL", []any{tx.Tenant}, &n)
			})
			return n
		}
		for grown() == 0 {
			if !p.batch(2) {
				t.Fatal("the lists do not grow")
			}
		}
		for _, c := range p.known[:3] {
			change := customers.Change{Tags: patch.To([]string{"green"})}
			p.must(func(tx *db.Tx) error { _, err := p.do.UpdateCustomer(tx, c, commerce.Expected{}, change); return err })
		}
		p.follow()
		p.hasMembers([]id.Customer{p.known[2], p.known[1], p.known[0]})
		p.sound()
		var whole int64
		err := store.Read(t.Context(), p.who.Tenant, func(tx *db.Tx) error {
			return tx.Row("SELECT count(*) FROM segment_lists WHERE tenant_id = $1 AND whole", []any{tx.Tenant}, &whole)
		})
		if err != nil || whole != 2 {
			t.Errorf("%d of 2 lists are whole: %v", whole, err)
		}
	})
}

// An order that is sent elsewhere moves its customer, who has no other address, into the segment of that country, and
// out of it.
func TestSegmentsFollowTheAddressOfAnOrder(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPeople(t, store, 1)
		steps[0].do(p)
		p.must(func(tx *db.Tx) error { p.do.CreateSegment(tx, p.who, "s", customers.Rules{Country: "FR"}); return nil })
		p.orderOf(p.known[0], 1_700_000_000_000_000)
		for _, to := range []string{`{"country":"DE"}`, `{"country":"FR"}`, ``} {
			p.follow()
			p.must(func(tx *db.Tx) error {
				_, err := p.do.UpdateOrder(tx, p.who, p.orders[0], commerce.Expected{},
					commerce.OrderUpdate{ShippingAddress: patch.Field[string]{Set: true, Value: to}})
				return err
			})
			var want []id.Customer
			if to == `{"country":"FR"}` {
				want = p.known
			}
			p.hasMembers(want)
			p.follow()
			p.hasMembers(want)
		}
		p.sound()
	})
}

// hasMembers compares the list of the account's first segment.
func (p *people) hasMembers(want []id.Customer) {
	p.Helper()
	err := p.store.Read(p.Context(), p.who.Tenant, func(tx *db.Tx) error {
		segments, err := customers.Segments(tx)
		if err == nil {
			p.listed(tx, customers.Filter{Segment: &segments[0], Limit: 100}, want, len(want))
		}
		return err
	})
	if err != nil {
		p.Fatal(err)
	}
}
