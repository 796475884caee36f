package commerce_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/orders"
	"entrepot/internal/search"
	"entrepot/internal/verify"
)

// asking is a platform whose notifications ask to erase a person.
type asking struct{ connector.Person }

func (asking) Profile() connector.Profile { return connector.Profile{} }

func (asking) Verify(context.Context, connector.Channel, connector.Notification) error { return nil }

func (a asking) Read(connector.Channel, connector.Notification) (connector.Outcome, error) {
	return connector.About("erase", "").EraseCustomer(a.Person), nil
}

// A platform asks to erase a buyer whose many orders have no customer. This may die before any of its transactions; when the platform asks
// again, all of the person is erased, and only once if it did not die between two steps.
func TestABuyerWithoutRecordIsErasedInSteps(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPlatform(t, store, 1)
		p.do.AtOnce = 1
		cut := 0
		for n := int64(0); ; n += 3 {
			buyer := fmt.Sprintf("buyer-%d", n)
			const many = 8
			for i := range many {
				in := p.order("UNSHIPPED", orders.Processing)
				in.ExternalID, in.Number, in.Buyer, in.Email = fmt.Sprintf("%d-%d", n, i), fmt.Sprintf("%d-%d", n, i), buyer, ""
				if o, _ := p.receive(t, in); o.Customer != "" || o.CustomerName == "" {
					t.Fatalf("%q of %q", o.CustomerName, o.Customer)
				}
			}
			ask := func(ctx context.Context) error {
				_, err := p.do.ReceiveNotification(ctx, store, p.channel, asking{connector.Person{Username: buyer}}, connector.Notification{})
				return err
			}
			err := ask(dbtest.Dying(t.Context(), n))
			p.sound(t)
			if err != nil {
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				cut++
				if err := ask(t.Context()); err != nil {
					t.Fatal(err)
				}
				if err := resume(t.Context(), store, p.do); err != nil { // its orders name the buyer no more
					t.Fatal(err)
				}
				p.sound(t)
			}
			var theirs, named, people, events int
			read := func(into *int, sql string) {
				if err := store.Read(t.Context(), p.who.Tenant, func(tx *db.Tx) error {
					return tx.Row(sql, []any{tx.Tenant, fmt.Sprintf("%d-%%", n)}, into)
				}); err != nil {
					t.Fatal(err)
				}
			}
			const of = " FROM orders WHERE tenant_id = $1 AND platform_id LIKE $2"
			read(&theirs, "SELECT count(customer_id)"+of)
			read(&named, "SELECT count(*)"+of+" AND customer_name <> ''")
			read(&people, "SELECT count(DISTINCT customer_id)"+of)
			read(&events, "SELECT count(*) FROM events WHERE tenant_id = $1 AND event = 'customer.erased' AND resource_id IN "+
				"(SELECT customer_id::TEXT"+of+")")
			if theirs != many || named != 0 || people != events || err == nil && people != 1 {
				t.Fatalf("%d: %d orders of %d customers, %d with a name, %d events; %v", n, theirs, people, named, events, err)
			}
			if err == nil {
				break
			}
			if n > 200 {
				t.Fatal("it never ended")
			}
		}
		if cut < 4 {
			t.Errorf("it died %d times", cut)
		}
	})
}

// sound expects the checks of the store to hold.
func (s *shop) sound(t *testing.T) {
	t.Helper()
	results, err := verify.Run(t.Context(), s.store, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Wrong > 0 && r.Name != "kept counts" && r.Name != "searches" { // of which the products of these tests are no part
			t.Errorf("%s: %v", r.Name, r.Examples)
		}
	}
}

// What is packed for searches has nothing of an erased person left when the answer comes, also while the erasure goes on in steps.
func TestErasedPeopleLeaveTheIndexOfSearches(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		for _, atOnce := range []int{0, 1} { // in one transaction, and in steps
			s := newShop(t, store, 1)
			s.do.AtOnce = atOnce
			var customer id.Customer
			for range 3 {
				customer = s.create(t, s.draft("lovelace@post.example", map[int]int64{0: 1})).Customer
			}
			for _, kind := range []search.Kind{search.Customers, search.Orders} {
				if err := search.Blocks[kind].FollowTenant(t.Context(), store, s.who.Tenant); err != nil {
					t.Fatal(err)
				}
			}
			packed := func() (n int) {
				t.Helper()
				err := store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
					return tx.Each(func(r db.Rows) error {
						var body string
						err := r.Scan(&body)
						n += strings.Count(body, "lovelace")
						return err
					}, "SELECT body FROM search_blocks WHERE tenant_id = $1", tx.Tenant)
				})
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
			if n := packed(); n < 4 {
				t.Fatalf("packed %d times before", n)
			}
			if err := s.do.EraseCustomer(t.Context(), store, s.who, customer, nil); err != nil {
				t.Fatal(err)
			}
			if n := packed(); n > 0 {
				t.Errorf("steps of %d orders: packed %d times", atOnce, n)
			}
		}
	})
}
