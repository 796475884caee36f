package customers_test

import (
	"slices"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/dbtest"
	"entrepot/internal/webhooks"
)

// orderOf is an order of a known customer, created at a time.
func (p *people) orderOf(customer id.Customer, at int64) {
	p.Helper()
	d := p.draft()
	d.CustomerEmail, d.CustomerID, d.CreatedAt = "", customer, at
	p.create(d)
}

// A turn takes only so many new orders; those behind it are for the next one, and until then a page looks at them itself.
func TestMoreOrdersThanOneTurnTakes(t *testing.T) {
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
		if more, _, err := customers.FollowTurn(t.Context(), store, p.who.Tenant, 2); err != nil || !more {
			t.Fatal(more, err)
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

// A list grows by some customers at a time. Those whom it has passed are put into it as they change, the last one of a turn, too; a list
// that nobody is in becomes whole as others do.
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
		for range 3 { // the account gets lists, the lists begin, they grow
			if more, _, err := customers.FollowTurn(t.Context(), store, p.who.Tenant, 2); err != nil || !more {
				t.Fatal(more, err)
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

// An order that is sent elsewhere moves its customer, who has no other address, into the segment of that country, and out of it.
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

// However the customers have changed, the lists of an account are brought up to date as soon as enough of them have, and not for fewer.
// So they are after orders of nobody, such as those of a till: pages would have to pass all of these otherwise.
func TestListsAreFollowedAfterEnoughChanges(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPeople(t, store, 1)
		steps[0].do(p)
		p.must(func(tx *db.Tx) error { p.do.CreateSegment(tx, p.who, "s", customers.Rules{}); return nil })
		follower := customers.SegmentFollower{}
		followed := func() (stamp int64) {
			t.Helper()
			err := follower.All(t.Context(), store)
			if err == nil {
				err = store.Read(t.Context(), p.who.Tenant, func(tx *db.Tx) error {
					return tx.Row("SELECT stamp FROM segment_lists_until WHERE tenant_id = $1", []any{tx.Tenant}, &stamp)
				})
			}
			if err != nil {
				t.Fatal(err)
			}
			return stamp
		}
		event := func(name string) func(tx *db.Tx) {
			return func(tx *db.Tx) {
				webhooks.Record(tx, webhooks.Event{Name: name, Resource: id.New[string](), Body: func(id.Event, int64) string { return "{}" }})
			}
		}
		for what, change := range map[string]func(tx *db.Tx){
			"noted changes":    func(tx *db.Tx) { customers.NoteChange(tx, p.known[0]) },
			"new customers":    event(webhooks.CustomerCreated),
			"orders of nobody": event(webhooks.OrderReceived),
		} {
			changes := func(n int) {
				p.must(func(tx *db.Tx) error {
					for range n {
						change(tx)
					}
					return nil
				})
			}
			before := followed()
			changes(customers.FollowAt - 1)
			if now := followed(); now != before {
				t.Errorf("the lists were changed for %d %s", customers.FollowAt-1, what)
			}
			changes(1)
			if now := followed(); now == before {
				t.Errorf("the lists were not changed for %d %s", customers.FollowAt, what)
			}
		}
	})
}
