package commerce_test

import (
	"fmt"
	"slices"
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

// A pull that the platform broke off goes on at the page at which it was.
func TestAPullGoesOnWhereItWas(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.platform.away = 2 // the first page is there, the second is not
		s.work()
		*s.clock = s.clock.Add(time.Minute)
		s.work()
		if p := s.platform.pages; len(p) != 3 || p[0] != "" || p[1] == "" || p[2] != p[1] {
			t.Errorf("pages %q", p)
		}
	})
}

// A page that the platform does not know any more when a pull goes on there, as it does some time after an outage, has the pull begin anew.
func TestAPullWhosePageHasEnded(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.platform.away = 2 // the first page is there, the second is not
		s.work()
		*s.clock = s.clock.Add(time.Minute)
		s.place("young")
		*s.clock = s.clock.Add(2 * time.Minute)
		s.platform.ended = true
		s.work()
		if n := s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND status = 'FAILED'"); n != 0 || s.count(ordersHere) != 1 {
			t.Errorf("%d jobs failed, %d orders, pages %q", n, s.count(ordersHere), s.platform.pages)
		}
	})
}

// A pull of more pages than the platform gives at once goes on page by page, however often it has to wait, and no push begins it anew. The
// pushes of stock go on after it.
func TestALongPullComesToItsEnd(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.publish()
		s.work()
		p := s.platform
		p.pages, p.many, p.setStock = nil, 12, nil
		s.must(s.write(t, func(tx *db.Tx) error {
			_, err := tx.Exec("UPDATE channel_items SET stock_due = TRUE, quantity = NULL WHERE tenant_id = $1", tx.Tenant)
			return err
		}))
		*s.clock = s.clock.Add(time.Hour)
		for i := range 12 {
			if len(p.setStock) > 0 {
				t.Fatalf("stock was pushed after %d pages", len(p.pages))
			}
			if i == 5 || i == 7 { // what is notified of meanwhile need not wait for the last page, and is read once until then
				name := fmt.Sprint("meanwhile ", i)
				s.place(name)
				s.notify(name, name)
			}
			s.work()
			if want := map[int]string{5: "meanwhile 5", 6: "meanwhile 5", 7: "meanwhile 5meanwhile 7"}[i]; s.taken() != want && i < 8 {
				t.Errorf("after %d pages: %s", i, s.taken())
			}
			if i == 8 && len(p.named) != 2 {
				t.Errorf("read by name: %v", p.named)
			}
			*s.clock = s.clock.Add(3 * time.Minute)
		}
		p.many, p.stock["SKU-0"] = 0, -7 // not what is to be there
		s.work()
		want := []string{"", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"}
		if !slices.Equal(p.pages[:min(len(p.pages), 12)], want) || len(p.setStock) == 0 {
			t.Errorf("pages %q, stock %v", p.pages, p.setStock)
		}
		if n := s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND status = 'FAILED'"); n != 0 {
			t.Errorf("%d jobs failed", n)
		}
	})
}
