package worker

import (
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/webhooks"
)

// The worker maintains the list of a segment, and of one with other rules. It brings the lists up to date before it
// deletes the events that say who has changed; without segments nothing is left.
func TestListsOfSegments(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		running := s.start()
		w := &Worker{Config: running.Config, stopping: running.stopping}
		w.Keep = time.Millisecond
		one := int64(1)
		segment := customers.Segment{ID: id.New[id.Segment](), Name: "Red", Rules: customers.Rules{TagsAny: []string{"red"}}}
		customer := func(email string, tags ...string) customers.Customer {
			c := customers.Customer{ID: id.New[id.Customer](), Email: email, Metadata: "{}", Status: customers.Active, Tags: tags}
			s.write(func(tx *db.Tx) error {
				customers.Insert(tx, c)
				webhooks.Record(tx, webhooks.Event{Name: webhooks.CustomerCreated, Resource: string(c.ID),
					Body: func(id.Event, int64) string { return "{}" }})
				return nil
			})
			return c
		}
		kept := func(members int64) func() bool {
			return func() bool {
				var lists, whole, rows int64
				s.read(func(tx *db.Tx) error {
					return tx.Row(`SELECT count(*), coalesce(sum(CASE WHEN whole THEN 1 ELSE 0 END), 0)::BIGINT,
						(SELECT count(*) FROM segment_members WHERE tenant_id = $1) FROM segment_lists WHERE tenant_id = $1`,
						[]any{tx.Tenant}, &lists, &whole, &rows)
				})
				return lists == 1 && whole == 1 && rows == members
			}
		}
		listed := func(want ...customers.Customer) {
			t.Helper()
			s.read(func(tx *db.Tx) error {
				found, err := customers.SegmentByID(tx, segment.ID)
				if err != nil {
					return err
				}
				list, total, err := customers.List(tx, customers.Filter{Segment: found, Limit: 10})
				if total != int64(len(want)) || len(list) != len(want) {
					t.Errorf("%d listed of %d, want %d", len(list), total, len(want))
				}
				for i := range list {
					if list[i].ID != want[i].ID {
						t.Errorf("the customer at %d is %s", i, list[i].Email)
					}
				}
				return err
			})
		}
		ada, bob := customer("ada@x.example", "red"), customer("bob@x.example")
		s.write(func(tx *db.Tx) error { segment.Insert(tx); return nil })
		listed(ada)
		dbtest.Until(t, "the list is whole", kept(1))
		listed(ada)
		carol := customer("carol@x.example", "red") // the list is not updated for a single change
		listed(carol, ada)
		var newest int64
		s.read(func(tx *db.Tx) (err error) {
			newest, err = webhooks.Newest(tx)
			return err
		})
		dbtest.Until(t, "the events are past their time", func() bool { return store.Now().UnixMicro() > newest+w.Keep.Microseconds() })
		dbtest.Until(t, "the events are gone", func() bool {
			var left int
			if err := w.deleteAllExpired(); err != nil {
				t.Fatal(err)
			}
			s.read(func(tx *db.Tx) error {
				return tx.Row("SELECT count(*) FROM events WHERE tenant_id = $1", []any{tx.Tenant}, &left)
			})
			return left == 0
		})
		listed(carol, ada)
		segment.Rules, segment.UpdatedAt = customers.Rules{}, one
		s.write(func(tx *db.Tx) error { segment.Save(tx); return nil })
		listed(carol, bob, ada)
		dbtest.Until(t, "there is another list alone", kept(3))
		listed(carol, bob, ada)
		s.write(func(tx *db.Tx) error { segment.Delete(tx); return nil })
		dbtest.Until(t, "nothing is kept", func() bool {
			return dbtest.RowsOf(t, store, s.tenant, "segment_lists", "segment_members", "segment_changes") ==
				dbtest.RowsOf(t, store, s.tenant+1000, "segment_lists", "segment_members", "segment_changes")
		})
	})
}
