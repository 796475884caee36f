package webhooks_test

import (
	"fmt"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/webhooks"
)

// Events are in the log in the order in which they were recorded, a step apart, whether or not many of a name follow one another.
func TestEventsKeepTheirOrder(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		var events []webhooks.Event
		for i := range 700 { // 256 of one name, of two names, of another, and some
			name := "product.updated"
			if i > 300 {
				name = "product.created"
			}
			events = append(events, webhooks.Event{Name: name, Resource: fmt.Sprint("R-", i), Body: func(event id.Event, at int64) string {
				return fmt.Sprintf(`{"id":"%s","at":%d,"n":%d}`, event, at, i)
			}})
		}
		var at int64
		err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
			at = tx.Micros()
			webhooks.Record(tx, events...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		n, last := 0, int64(0)
		err = store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			return tx.Each(func(r db.Rows) error {
				var event, name, resource, payload string
				var stamp, created int64
				if err := r.Scan(&event, &name, &resource, &payload, &stamp, &created); err != nil {
					return err
				}
				e := events[n]
				if name != e.Name || resource != e.Resource || payload != e.Body(id.Event(event), at) || created != at ||
					n > 0 && stamp != last+db.StampStep {
					t.Errorf("event %d: %s %s %s at %d, %d after the last", n, name, resource, payload, created, stamp-last)
				}
				n, last = n+1, stamp
				return nil
			}, "SELECT id, event, resource_id, payload, stamp, created_at FROM events WHERE tenant_id = $1 ORDER BY stamp", tx.Tenant)
		})
		if err != nil || n != len(events) {
			t.Errorf("%d events of %d: %v", n, len(events), err)
		}
	})
}
