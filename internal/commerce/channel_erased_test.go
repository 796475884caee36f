package commerce_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
)

// ada makes a customer whom a platform's messages name.
func (s *synced) ada() (ada id.Customer) {
	s.t.Helper()
	s.must(s.write(s.t, func(tx *db.Tx) error {
		made, err := s.do.CreateCustomer(tx, customers.Change{Email: patch.To("ada@erased.example"), FirstName: patch.To("Ada"),
			LastName: patch.To("Lovelace")})
		ada = made.ID
		return err
	}))
	return ada
}

// erase erases a customer.
func (s *synced) erase(customer id.Customer) {
	s.t.Helper()
	s.must(s.do.EraseCustomer(s.t.Context(), s.store, s.who, customer, nil))
}

// forgot expects that no table has anything of the person, and that errors are left nevertheless.
func (s *synced) forgot() {
	s.t.Helper()
	for _, table := range []string{"jobs", "events", "channel_syncs", "orders", "customers", "attempts"} {
		rows := strings.ToLower(dbtest.RowsOf(s.t, s.store, s.who.Tenant, table))
		for _, text := range []string{"ada@erased.example", "ada lovelace"} {
			if at := strings.Index(rows, text); at >= 0 {
				s.t.Errorf("%s names the person: %s", table, rows[max(0, at-200):min(len(rows), at+100)])
			}
		}
	}
}

// refuseOrders has n orders of the platform moved on here, of which it refuses the first with a message that names the person.
func (s *synced) refuseOrders(n int) {
	s.t.Helper()
	s.platform.does.Statuses = []orders.Status{orders.Shipped}
	for i := range n {
		s.place(fmt.Sprintf("O-%d", i))
	}
	s.platform.orders[0].Name, s.platform.orders[0].Email = "Ada Lovelace", "ada@erased.example"
	*s.clock = s.clock.Add(2 * time.Minute)
	s.work()
	s.platform.refused = map[string]string{"O-0": "Ada Lovelace <ada@erased.example> does not live there"}
	s.shipAll()
}

// What a job has in memory of a person is not stored any more after the person was erased, whether the store had it by then or not; what
// else it reports stays. The platform is asked twice about the order that it refuses.
func TestAJobDoesNotStoreAnErasedPerson(t *testing.T) {
	atOnce := map[string]int{"after the job, in steps": 1}
	for name, at := range map[string]int{"before it is stored": 3, "after it is stored": 4, "after the job": 0, "after the job, in steps": 0} {
		t.Run(name, func(t *testing.T) {
			syncedEngines(t, 1, func(t *testing.T, s *synced) {
				ada, pushes := s.ada(), 0
				s.refuseOrders(4)
				var onPush func()
				onPush = func() {
					s.platform.whilePut = onPush
					if pushes++; pushes == at {
						s.erase(ada)
					}
				}
				s.platform.whilePut = onPush
				s.work()
				if at == 0 {
					s.do.AtOnce = atOnce[name]
					s.erase(ada)
				}
				s.forgot()
				rows := dbtest.RowsOf(t, s.store, s.who.Tenant, "jobs")
				if pushes != 5 || !strings.Contains(rows, string(jobs.CompletedWithErrors)) || !strings.Contains(rows, `"externalId":"O-0"`) {
					t.Errorf("%d pushes; the refusal is not reported: %s", pushes, rows)
				}
			})
		})
	}
}
