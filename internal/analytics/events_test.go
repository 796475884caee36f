package analytics_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"entrepot/internal/analytics"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// addEvent adds an event with a stamp, or the test of an endpoint.
func addEvent(tx *db.Tx, stamp int64, test bool) {
	var endpoint any
	if test {
		endpoint = id.New[id.Endpoint]()
	}
	tx.Queue(`INSERT INTO events (tenant_id, id, stamp, event, resource_id, payload, endpoint_id, created_at)
		VALUES ($1,$2,$3,'order.updated','1','{}',$4,$3)`, tx.Tenant, id.New[id.Event](), stamp, endpoint)
}

// The events of any span are counted as they are in the log, while it grows at its end and is taken away at its beginning.
func TestEventsAreCounted(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB, now *time.Time) {
		tenant, other := dbtest.Account(t, store), dbtest.Account(t, store)
		start := time.Date(2026, 3, 2, 7, 20, 0, 0, time.UTC).UnixMicro()
		write(t, store, other, func(tx *db.Tx) error { addEvent(tx, start, false); return nil })
		var log []int64 // stamps of events that are no tests
		at := start
		for range 60 {
			write(t, store, tenant, func(tx *db.Tx) error {
				for range rand.IntN(4) {
					at += 1 + rand.Int64N(1_500_000_000) // up to 25 minutes
					if rand.IntN(5) == 0 {
						at = (at/3_600_000_000 + 1) * 3_600_000_000 // the first moment of an hour
					}
					test := rand.IntN(4) == 0
					if addEvent(tx, at, test); !test {
						log = append(log, at)
					}
				}
				return nil
			})
			if len(log) > 0 && rand.IntN(6) == 0 { // old events are taken away
				gone := log[rand.IntN((len(log)+2)/3)]
				write(t, store, tenant, func(tx *db.Tx) error {
					tx.Queue("DELETE FROM events WHERE tenant_id = $1 AND stamp < $2", tx.Tenant, gone)
					return nil
				})
				for log[0] < gone {
					log = log[1:]
				}
			}
			for range 5 {
				s := analytics.Span{From: start + rand.Int64N(at-start+10) - 5, To: at + 5}
				if rand.IntN(2) == 0 {
					s.To = s.From + rand.Int64N(at-s.From+10)
				}
				want := int64(0)
				for _, stamp := range log {
					if stamp >= s.From && stamp <= s.To {
						want++
					}
				}
				got := read(t, store, tenant, func(tx *db.Tx) (analytics.Webhooks, error) { return analytics.ReadWebhooks(tx, s) })
				if got.Events != want {
					t.Fatalf("%d to %d: %d events, not %d", s.From, s.To, got.Events, want)
				}
			}
		}
	})
}
