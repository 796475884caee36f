package webhooks

import (
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// Deliveries whose endpoint was deleted, and its queue with it, are written to by nobody but who deletes them: he waits for no queue, so
// that who writes to them beside others could wait for him while he waits for these.
func TestDeliveriesOfADeletedEndpointAreLeftAlone(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant, there, gone := dbtest.Account(t, store), id.New[id.Endpoint](), id.New[id.Endpoint]()
		const due = 3_600_000_000
		run := func(tenant id.Tenant, run func(tx *db.Tx) error) {
			t.Helper()
			if err := store.Write(t.Context(), tenant, run); err != nil {
				t.Fatal(err)
			}
		}
		run(tenant, func(tx *db.Tx) error {
			putTried(tx, there, due, 1000, 1010)
			putTried(tx, gone, due, 1000, 1010)
			tx.Queue(newQueue, tx.Tenant, there, 2, 0, 0)
			return nil
		})
		run(db.Across, func(tx *db.Tx) error {
			var outcomes []Outcome
			for _, endpoint := range []id.Endpoint{there, gone} {
				outcomes = append(outcomes, Outcome{Queue: Queue{tenant, endpoint}, Position: 1000, Event: 1000, Name: OrderReceived, Resource: "r",
					State: Delivered, Attempt: Attempt{Number: 2, At: 5, StatusCode: 200}})
			}
			return Settle(tx, outcomes)
		})
		run(tenant, func(tx *db.Tx) error { return Advance(tx, time.Second) })
		err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			for endpoint, want := range map[id.Endpoint][2]int64{there: {1, due - 1_000_000}, gone: {2, due}} {
				var pending, at, attempts int64
				if err := tx.Row("SELECT count(*), min(due_at) FROM deliveries WHERE tenant_id = $1 AND endpoint_id = $2 AND state = 'pending'",
					[]any{tenant, endpoint}, &pending, &at); err != nil {
					return err
				}
				if err := tx.Row("SELECT count(*) FROM attempts WHERE tenant_id = $1 AND endpoint_id = $2", []any{tenant, endpoint},
					&attempts); err != nil {
					return err
				}
				if pending != want[0] || at != want[1] || attempts != 2-pending {
					t.Errorf("%d are pending, due at %d, after %d attempts more; want %v (the endpoint is there: %t)", pending, at, attempts, want,
						endpoint == there)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}
