package commerce_test

import (
	"strings"
	"testing"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// An order that the store refuses for a reason that nobody thought of is an entry of the job's errors; the others are stored, and the next
// pull continues behind it.
func TestOrderThatCannotBeStored(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.place("before", "refused", "long", "after")
		for i := range s.platform.orders {
			switch o := &s.platform.orders[i]; o.ExternalID {
			case "refused":
				o.Status = "LOST"
			case "long": // PostgreSQL's indexes do not take it
				o.Email = strings.Repeat("0123456789abcdefghijklmnopqrstuvwxyz.", 500) + "@example.com"
				o.Lines[0].SKU = o.Email
			}
		}
		*s.clock = s.clock.Add(2 * time.Minute)
		s.work()
		var pulled jobs.Job
		s.must(s.store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
			list, _, err := jobs.List(tx, jobs.Filter{Types: []jobs.Type{jobs.OrderPull}, Limit: 1})
			if err == nil && len(list) > 0 {
				pulled = list[0]
			}
			return err
		}))
		stored := s.count(ordersHere)
		if pulled.Status != jobs.CompletedWithErrors || pulled.Failed < 1 || stored+pulled.Failed != 4 ||
			!strings.Contains(pulled.Errors, `"externalId":"refused"`) || strings.Contains(pulled.Errors, "CHECK") {
			t.Errorf("%d orders, job %+v", stored, pulled)
		}
		s.place("later")
		*s.clock = s.clock.Add(10 * time.Minute)
		s.work()
		if n := s.count(ordersHere); n != stored+1 {
			t.Errorf("%d orders after the next pull", n)
		}
	})
}
