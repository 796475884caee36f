package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// deadlocks counts the transactions of a store that PostgreSQL ended as the victim of a deadlock, and the transactions
// that inserted deliveries a second time.
type deadlocks struct {
	n     atomic.Int64
	first atomic.Value // text of the first one in the log
}

func (d *deadlocks) Enabled(context.Context, slog.Level) bool { return true }
func (d *deadlocks) WithAttrs([]slog.Attr) slog.Handler       { return d }
func (d *deadlocks) WithGroup(string) slog.Handler            { return d }
func (d *deadlocks) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if text := a.Value.String(); strings.Contains(text, "40P01") || strings.Contains(text, "deliveries_pkey") ||
			strings.Contains(text, "failed: deliveries") {
			d.n.Add(1)
			d.first.CompareAndSwap(nil, text)
		}
		return true
	})
	return nil
}

// watched runs a test on each engine and fails it if a transaction was the victim of a deadlock.
func watched(t *testing.T, test func(t *testing.T, store *db.DB)) {
	run := func(t *testing.T, c db.Config) {
		seen := &deadlocks{}
		c.Log = slog.New(seen)
		test(t, dbtest.Open(t, c))
		if n := seen.n.Load(); n > 0 {
			t.Errorf("%d deadlocks or clashes, the first: %v", n, seen.first.Load())
		}
	}
	t.Run("sqlite", func(t *testing.T) { run(t, db.Config{Dir: t.TempDir(), Unsafe: true}) })
	t.Run("postgres", func(t *testing.T) { run(t, db.Config{URL: dbtest.StoreURL(t), Pool: 24}) })
}

// An ordered endpoint among plain ones causes no deadlocks: dispatch, settling and takeover lock queues in one order.
func TestOrderedBesidePlain(t *testing.T) {
	dbtest.Long(t, "thousands of deliveries")
	const writers, each = 8, 60
	watched(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		var mu sync.Mutex
		sent, got := map[string]time.Time{}, map[string]time.Time{}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var envelope struct{ Data struct{ Key string } }
			err := json.NewDecoder(r.Body).Decode(&envelope)
			mu.Lock()
			defer mu.Unlock()
			if key := r.URL.Path + envelope.Data.Key; err == nil && got[key].IsZero() {
				got[key] = time.Now()
			}
		}))
		defer server.Close()
		paths := []string{"/a", "/b", "/c", "/d"}
		for i, path := range paths {
			s.endpoint(server.URL+path, func(e *webhooks.Endpoint) { e.Ordered = i%2 == 1 })
		}
		for range 2 { // nodes
			s.start(func(c *Config) { c.Poll = time.Second })
		}
		var all sync.WaitGroup
		for writer := range writers {
			all.Go(func() {
				for n := range each {
					key := fmt.Sprint(writer, ":", n)
					s.write(func(tx *db.Tx) error {
						webhooks.Record(tx, records.NewEvent("order.updated", fmt.Sprint("r", n%5), func(w *apijson.Writer) {
							w.Object("")
							w.Text("key", key)
							w.End()
						}))
						return nil
					})
					mu.Lock()
					sent[key] = time.Now()
					mu.Unlock()
				}
			})
		}
		all.Wait()
		dbtest.Until(t, "everything is delivered", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(got) == len(paths)*writers*each
		})
		var took []time.Duration
		for key, at := range sent {
			for _, path := range paths {
				took = append(took, got[path+key].Sub(at))
			}
		}
		slices.Sort(took)
		t.Logf("from commit to delivery: half within %s, all within %s", took[len(took)/2], took[len(took)-1])
	})
}

// No two transactions wait for each other, whatever is done to endpoints while events are dispatched, settled and
// replayed.
func TestEndpointsChangeWhileEventsFlow(t *testing.T) {
	dbtest.Long(t, "thousands of deliveries")
	watched(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		var fail atomic.Int64
		rc.answer = func(int, *http.Request) int {
			if fail.Add(1)%7 == 0 {
				return 500
			}
			return 200
		}
		var kept []id.Endpoint
		for i := range 4 {
			e, _ := s.endpoint(fmt.Sprint(rc.URL, "/", i), func(e *webhooks.Endpoint) { e.Ordered = i%2 == 0 })
			kept = append(kept, e.ID)
		}
		start := func(c *Config) { c.Retries = webhooks.Schedule{5 * time.Millisecond} }
		s.start(start)
		s.start(start)
		stop := time.Now().Add(3 * time.Second)
		var all sync.WaitGroup
		loop := func(operation func(n int) error) {
			all.Go(func() {
				for n := 0; time.Now().Before(stop); n++ {
					if err := operation(n); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		write := func(run func(tx *db.Tx) error) error { return store.Write(t.Context(), s.tenant, run) }
		for range 3 {
			loop(func(n int) error {
				return write(func(tx *db.Tx) error {
					for i := range 3 {
						webhooks.Record(tx, records.EventOf("order.updated", fmt.Sprint("r", (n+i)%9), []byte(`{}`)))
					}
					return nil
				})
			})
		}
		loop(func(n int) error { // new endpoints, and their end
			endpoint := id.New[id.Endpoint]()
			e := &webhooks.Endpoint{ID: endpoint, URL: rc.URL + "/new", Secret: s.svc.Key.Encrypt(webhooks.NewSecret(),
				webhooks.Place(s.tenant, endpoint)), Events: []string{webhooks.All},
				Status: webhooks.Active, Ordered: n%2 == 0}
			if err := write(func(tx *db.Tx) error { e.Insert(tx); return nil }); err != nil {
				return err
			}
			return write(func(tx *db.Tx) error {
				e, err := webhooks.Lock(tx, e.ID)
				if err == nil {
					e.Delete(tx)
				}
				return err
			})
		})
		loop(func(n int) error { // rotation, and a test event
			return write(func(tx *db.Tx) error {
				e, err := webhooks.Lock(tx, kept[n%len(kept)])
				if err == nil {
					e.Save(tx)
					webhooks.Test(tx, e, records.EventOf("order.updated", "", []byte(`{}`)))
				}
				return err
			})
		})
		loop(func(n int) error { // replays and bulk retries
			return write(func(tx *db.Tx) error {
				for _, e := range kept {
					r, err := webhooks.NewReplay(tx, webhooks.Replay{Endpoint: e, OnlyFailed: n%3 > 0, From: tx.Micros() - 20_000, To: tx.Micros()})
					if err != nil {
						return err
					}
					if _, _, err := r.Run(tx); err != nil {
						return err
					}
					if n%3 == 0 {
						return nil
					}
				}
				return nil
			})
		})
		loop(func(int) error { return write(func(tx *db.Tx) error { return webhooks.Advance(tx, time.Microsecond) }) })
		loop(func(n int) error { // an erasure, and the log's end
			return write(func(tx *db.Tx) error {
				if n%2 == 0 {
					return webhooks.ForgetAnswers(tx, []string{"r1", "r2"})
				}
				_, err := webhooks.DeleteOldDeliveries(tx, kept[n%len(kept)], tx.Micros()-time.Second.Microseconds(), 64)
				return err
			})
		})
		all.Wait()
	})
}

// The log is maintained while an erasure rewrites the same events: both lock them in the order of their stamps.
func TestMaintenanceDuringAnErasure(t *testing.T) {
	const events, rounds = 400, 15
	watched(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		for range rounds {
			s.emit(events, each)
			var stamps []int64
			s.read(func(tx *db.Tx) (err error) {
				stamps, err = db.List(tx, func(r db.Rows) (stamp int64, err error) { return stamp, r.Scan(&stamp) },
					"SELECT stamp FROM events WHERE tenant_id = $1 ORDER BY stamp", tx.Tenant)
				return err
			})
			var both sync.WaitGroup
			both.Go(func() {
				s.write(func(tx *db.Tx) error {
					list, err := webhooks.LoadEvents(tx, stamps)
					for _, e := range list {
						e.Payload = "{}"
						webhooks.Rewrite(tx, []webhooks.LoggedEvent{e})
					}
					return err
				})
			})
			both.Go(func() {
				s.write(func(tx *db.Tx) error {
					_, err := webhooks.DeleteOldEvents(tx, stamps[len(stamps)-1]+1, len(stamps))
					return err
				})
			})
			both.Wait()
		}
	})
}
