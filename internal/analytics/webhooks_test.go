package analytics_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"entrepot/internal/analytics"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

func TestDeliveriesAreCountedByEndpoint(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB, now *time.Time) {
		tenant := dbtest.Account(t, store)
		good, bad := webhooks.Endpoint{ID: id.New[id.Endpoint](), URL: "https://good.example", Events: []string{"*"}, Status: webhooks.Active},
			webhooks.Endpoint{ID: id.New[id.Endpoint](), URL: "https://bad.example", Events: []string{"*"}, Status: webhooks.Paused}
		write(t, store, tenant, func(tx *db.Tx) error { good.Insert(tx); return nil })
		*now = now.Add(time.Second)
		var outcomes []webhooks.Outcome
		write(t, store, tenant, func(tx *db.Tx) error {
			outcomes = nil
			bad.Insert(tx)
			webhooks.Record(tx, records.EventOf("order.received", "1", []byte("{}")),
				records.EventOf("order.updated", "1", []byte("{}")))
			for i, d := range []struct {
				endpoint id.Endpoint
				event    string
				state    webhooks.State
				at       int64
			}{{good.ID, "order.received", webhooks.Delivered, day(0)}, {good.ID, "order.updated", webhooks.Delivered, day(1)},
				{bad.ID, "order.received", webhooks.Failed, day(0)}, {bad.ID, "order.received", webhooks.Delivered, day(-20)},
				{bad.ID, "order.updated", webhooks.Pending, day(1)}} {
				o := webhooks.Outcome{Queue: webhooks.Queue{Tenant: tenant, Endpoint: d.endpoint}, Position: d.at + int64(i), Name: d.event,
					State: d.state, Attempt: webhooks.Attempt{Number: 1, At: d.at + int64(i), Duration: int64(20 * (i + 1))}}
				if o.StatusCode = 200; d.state != webhooks.Delivered {
					o.StatusCode, o.Error = 500, string(d.state)
				}
				if d.state == webhooks.Pending {
					o.DueAt = day(2)
				}
				outcomes = append(outcomes, o)
				tx.Queue(`INSERT INTO deliveries (tenant_id, endpoint_id, position, id, event_id, event_stamp, event, resource_id, ordered, by_hand,
					state, attempts, due_at) VALUES ($1,$2,$3,$4,$5,$3,$6,'1',FALSE,FALSE,'pending',0,$3)`, tenant, d.endpoint, o.Position,
					id.New[id.Delivery](), id.New[id.Event](), d.event)
				tx.Change("UPDATE queues SET pending = pending + 1 WHERE tenant_id = $1 AND endpoint_id = $2", tenant, d.endpoint)
			}
			countPending(tx)
			return nil
		})
		write(t, store, db.Across, func(tx *db.Tx) error { return webhooks.Settle(tx, outcomes) })
		got := read(t, store, tenant, func(tx *db.Tx) (analytics.Webhooks, error) { return analytics.ReadWebhooks(tx, week) })
		want := analytics.Webhooks{Span: week, Events: 2,
			Endpoints: []analytics.Endpoint{{ID: good.ID, URL: good.URL, Status: "active", Delivered: 2, Attempts: 2, Answered: 2, Duration: 60,
				LastAttempt: day(1) + 1},
				{ID: bad.ID, URL: bad.URL, Status: "paused", Pending: 1, Failed: 1, Attempts: 2, Duration: 160, LastAttempt: day(1) + 4,
					LastError: "pending"}}, // that of the newest attempt, though its delivery is still tried
			ByEvent: []analytics.EventCount{{"order.received", 2, 1}, {"order.updated", 2, 0}}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
