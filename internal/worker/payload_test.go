package worker

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/webhooks"
)

// Payloads that must be read again are read once for all endpoints that are to get them, many at once.
func TestAPayloadIsReadOnceForAllEndpoints(t *testing.T) {
	var reads atomic.Int64
	store := dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true, Trace: func(sql string, _ []any) {
		if strings.HasPrefix(sql, "SELECT stamp, payload FROM events") {
			reads.Add(1)
		}
	}})
	s := newShop(t, store)
	w := s.start()
	const events, endpoints, tries = 20, 5, 20
	s.emit(events, func(i int) string { return fmt.Sprint(i) })
	payloads := map[int64]string{}
	s.read(func(tx *db.Tx) error {
		return tx.Each(func(r db.Rows) error {
			var stamp int64
			var payload string
			err := r.Scan(&stamp, &payload)
			payloads[stamp] = payload
			return err
		}, "SELECT stamp, payload FROM events WHERE tenant_id = $1", tx.Tenant)
	})
	if len(payloads) != events {
		t.Fatalf("%d events of %d", len(payloads), events)
	}
	for try := range tries { // a payload is cached for a moment, which a slow machine may exceed
		reads.Store(0)
		clear(w.payloads.of)
		for range endpoints {
			q := &queue{Queue: webhooks.Queue{Tenant: s.tenant, Endpoint: id.New[id.Endpoint]()}, w: w}
			q.live, q.end = context.WithCancel(t.Context())
			for stamp, payload := range payloads {
				q.ready = append(q.ready, waiting{Ready: webhooks.Ready{Delivery: webhooks.Delivery{EventStamp: stamp}, Size: int64(len(payload))}})
			}
			for len(q.ready) > 0 {
				d := q.ready[0]
				q.ready = q.ready[1:]
				if err := q.load(&d); err != nil || d.Text != payloads[d.EventStamp] {
					t.Fatalf("%v, and the payload is %q", err, d.Text)
				}
			}
			q.end()
		}
		if n := reads.Load(); n <= 1+events/along {
			return
		} else if try == tries-1 {
			t.Errorf("%d reads of %d payloads for %d endpoints", n, events, endpoints)
		}
	}
}

// A payload that was read before payloads of the log were rewritten is read again.
func TestARewrittenPayloadIsReadAgain(t *testing.T) {
	of := payloads{of: map[eventKey]*payload{}}
	usable := true
	check := func(time.Time) bool { return usable }
	key := eventKey{1, 5}
	p, mine := of.claim(key, check)
	if again, also := of.claim(key, check); !mine || also || again != p {
		t.Error("a payload that is being read is read by another caller, too")
	}
	p.finish(webhooks.Payload{Text: "text"}, time.Now(), nil)
	if again, also := of.claim(key, check); also || again.sent.Text != "text" {
		t.Error("a payload that was read just now is read again")
	}
	usable = false
	if again, also := of.claim(key, check); !also || again == p {
		t.Error("a payload that is not usable any more is used")
	}
}
