package worker

import (
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// Endpoints that hang or are gone cost the others nothing.
func TestDeadEndpointsDelayNobody(t *testing.T) {
	dbtest.Long(t, "thousands of deliveries")
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		hang := make(chan struct{})
		var now, most atomic.Int64
		rc.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/hang" {
				if n := now.Add(1); n > most.Load() {
					most.Store(n)
				}
				defer now.Add(-1)
			}
			rc.ServeHTTP(w, r)
			if r.URL.Path == "/hang" {
				select {
				case <-hang:
				case <-r.Context().Done():
				}
			}
		})
		defer close(hang)
		hanging, _ := s.endpoint(rc.URL + "/hang")
		gone, _ := s.endpoint(closedPort(t))
		good, _ := s.endpoint(rc.URL + "/good")
		w := s.start()
		const n = 200
		s.emit(n, each)
		dbtest.Until(t, "the good one has everything", func() bool { return s.counts0(good).Delivered == n })
		if under := most.Load(); under > probes {
			t.Errorf("%d attempts at once to an endpoint that does not answer", under)
		}
		if c := s.counts(hanging); c.Pending != n {
			t.Errorf("hanging: %+v", c)
		}
		dbtest.Until(t, "the first attempts to the one that is gone", func() bool {
			list, _ := s.deliveries(gone)
			return len(list) == n && !slices.ContainsFunc(list, func(d webhooks.Delivery) bool { return d.Attempts == 0 })
		})
		w.abort() // do not wait for what hangs
	})
}

func TestPausedKeepsItsQueue(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		e, _ := s.endpoint(rc.URL+"/hook", func(e *webhooks.Endpoint) { e.Status = webhooks.Paused })
		set := func(status webhooks.Status) {
			s.write(func(tx *db.Tx) error {
				e.Status = status
				e.Save(tx)
				return nil
			})
		}
		w := s.start()
		looked := func() bool { // the queue was read, and has no due time
			var due int64
			s.read(func(tx *db.Tx) error {
				return tx.Row("SELECT due_at FROM queues WHERE tenant_id = $1 AND endpoint_id = $2", []any{tx.Tenant, e.ID}, db.Opt(&due))
			})
			return due == 0 && w.queue(webhooks.Queue{Tenant: s.tenant, Endpoint: e.ID}) == nil
		}
		s.emit(5, each)
		dbtest.Until(t, "five wait", func() bool { return s.counts0(e).Pending == 5 })
		dbtest.Until(t, "a node reads", looked)
		if n := len(rc.on("/hook")); n != 0 {
			t.Fatalf("%d attempts to a paused endpoint", n)
		}
		set(webhooks.Active)
		dbtest.Until(t, "five go out", func() bool { return s.counts0(e).Delivered == 5 })
		set(webhooks.Paused)
		s.emit(2, each)
		dbtest.Until(t, "two wait", func() bool { return s.counts0(e).Pending == 2 })
		dbtest.Until(t, "a node reads", looked)
		if n := len(rc.on("/hook")); n != 5 {
			t.Errorf("%d attempts", n)
		}
		set(webhooks.Active)
		dbtest.Until(t, "they go out", func() bool { return s.counts0(e).Delivered == 7 })
		s.counts(e)
	})
}

// A pause also holds for deliveries that were already read: only attempts under way end.
func TestPauseWhileItHangs(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		hang := make(chan struct{})
		rc.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rc.ServeHTTP(w, r)
			<-hang
		})
		e, _ := s.endpoint(rc.URL + "/hook")
		w := s.start()
		const n = 2 * maxPage
		s.emit(n, each)
		dbtest.Until(t, "some are under way", func() bool { return len(rc.on("/hook")) == probes })
		s.write(func(tx *db.Tx) error {
			e.Status = webhooks.Paused
			e.Save(tx)
			return nil
		})
		name := webhooks.Queue{Tenant: s.tenant, Endpoint: e.ID}
		dbtest.Until(t, "the pause is seen", func() bool { q := w.queue(name); return q == nil || q.live.Err() != nil })
		close(hang)
		dbtest.Until(t, "the queue is given back", func() bool { return w.queue(name) == nil })
		if got, c := len(rc.on("/hook")), s.counts(e); got != probes || c.Delivered != probes {
			t.Errorf("%d attempts, %+v", got, c)
		}
		s.write(func(tx *db.Tx) error {
			e.Status = webhooks.Active
			e.Save(tx)
			return nil
		})
		dbtest.Until(t, "the rest", func() bool { return s.counts0(e).Delivered == n })
		if got := len(rc.on("/hook")); got != n {
			t.Errorf("%d attempts in all", got)
		}
		s.counts(e)
	})
}

// An endpoint gets the events it wants, from its creation to its end.
func TestWhoGetsWhat(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		other := newShop(t, store)
		s.emit(3, each) // before any endpoint
		all, _ := s.endpoint(rc.URL + "/all")
		none, _ := s.endpoint(rc.URL+"/none", func(e *webhooks.Endpoint) { e.Events = []string{"stock.low"} })
		one, _ := s.endpoint(rc.URL+"/one", func(e *webhooks.Endpoint) { e.Events = []string{"stock.low", "order.updated"} })
		foreign, _ := other.endpoint(rc.URL + "/foreign")
		s.emit(4, each)
		late, _ := s.endpoint(rc.URL + "/late")
		w := s.start()
		s.emit(2, each)
		other.emit(1, each)
		for e, n := range map[*webhooks.Endpoint]int64{all: 6, one: 6, late: 2} {
			dbtest.Until(t, e.URL, func() bool { return s.counts0(e).Delivered == n })
		}
		dbtest.Until(t, "the other account's", func() bool { return other.counts0(foreign).Delivered == 1 })
		if c := s.counts(none); c.Of("") != 0 {
			t.Errorf("got what it did not ask for: %+v", c)
		}
		s.write(func(tx *db.Tx) error { one.Delete(tx); return nil })
		s.emit(5, each)
		dbtest.Until(t, "the rest", func() bool { return s.counts0(all).Delivered == 11 })
		dbtest.Until(t, "the deleted one is let go", func() bool { return w.queue(webhooks.Queue{Tenant: s.tenant, Endpoint: one.ID}) == nil })
		if n := len(rc.on("/one")); n != 6 {
			t.Errorf("%d deliveries to the deleted endpoint", n)
		}
		s.counts(all)
	})
}

func TestReplays(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		const n = 600 // more than a page
		for range 2 {
			s.emit(n/2, func(i int) string { return fmt.Sprint("r", i%100) })
		}
		e, _ := s.endpoint(rc.URL+"/hook", ordered)
		start := func(c *Config) {
			c.Retries = webhooks.Schedule{}
			c.Poll = 20 * time.Millisecond
		}
		s.start(start)
		s.emit(1, func(int) string { return "r0" }) // live, not replayed twice over
		dbtest.Until(t, "the live one", func() bool { return s.counts0(e).Delivered == 1 })
		s.write(func(tx *db.Tx) error {
			r, err := webhooks.NewReplay(tx, webhooks.Replay{Endpoint: e.ID, To: tx.Micros()})
			if err != nil {
				return err
			}
			if size, err := r.Size(tx); size != n+1 {
				t.Errorf("%d to replay, %v", size, err)
			}
			queued, done, err := r.Run(tx)
			if queued != 512 || done {
				t.Errorf("first page: %d, done %v", queued, done)
			}
			r.Keep(tx)
			return err
		})
		dbtest.Until(t, "everything again", func() bool { return s.counts0(e).Delivered == n+2 })
		s.counts(e)
		place := s.places()
		last := map[string]int{}
		for _, got := range rc.on("/hook")[1:] {
			resource, _ := numberOf(t, got.body)
			if at := place[got.header.Get("webhook-id")]; at < last[resource] {
				t.Errorf("%s: event %d after %d", resource, at, last[resource])
			} else {
				last[resource] = at
			}
		}
		var left int
		s.read(func(tx *db.Tx) error {
			return tx.Row("SELECT count(*) FROM replays WHERE tenant_id = $1", []any{tx.Tenant}, &left)
		})
		if left != 0 {
			t.Errorf("%d replays left", left)
		}
	})
}

// A replay that was created before the newest event of its resource was dispatched comes after that event in the
// queue: neither waits for the other forever.
func TestReplayBeforeDispatch(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		e, _ := s.endpoint(rc.URL+"/hook", ordered)
		same := func(int) string { return "r" }
		w := s.start()
		s.emit(1, same)
		dbtest.Until(t, "the first event", func() bool { return s.counts0(e).Delivered == 1 })
		s.stop(w)
		s.emit(1, same) // no node dispatches it
		s.write(func(tx *db.Tx) error {
			r, err := webhooks.NewReplay(tx, webhooks.Replay{Endpoint: e.ID, To: tx.Micros()})
			if err == nil {
				_, _, err = r.Run(tx)
			}
			return err
		})
		s.start()
		dbtest.Until(t, "the second event, and the first again", func() bool { return s.counts0(e).Delivered == 3 })
	})
}

func TestTestEvent(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		e, _ := s.endpoint(rc.URL+"/hook", func(e *webhooks.Endpoint) { e.Events = []string{"stock.low"} })
		other, _ := s.endpoint(rc.URL + "/other")
		s.start()
		var d *webhooks.Delivery
		s.write(func(tx *db.Tx) error {
			d = webhooks.Test(tx, e, records.EventOf("order.received", "r", []byte("{}")))
			return nil
		})
		dbtest.Until(t, "it arrives", func() bool { return s.counts0(e).Delivered == 1 })
		s.emit(1, each)
		dbtest.Until(t, "a real one arrives elsewhere", func() bool { return s.counts0(other).Delivered == 1 })
		if got := rc.on("/hook"); len(got) != 1 || got[0].header.Get("webhook-id") != string(d.Event) {
			t.Errorf("got %+v", got)
		}
		s.read(func(tx *db.Tx) error {
			log, err := webhooks.Log(tx, webhooks.LogFilter{Limit: 10})
			if err != nil || len(log.Events) != 1 || log.Events[0].ID == d.Event {
				t.Errorf("the log has %d events, %v", len(log.Events), err)
			}
			if _, err := webhooks.Log(tx, webhooks.LogFilter{After: d.Event, Limit: 10}); err == nil {
				t.Error("the test event is part of the log")
			}
			stored, err := webhooks.DeliveryByID(tx, d.ID)
			if err == nil && stored.State != webhooks.Delivered {
				t.Errorf("%+v", stored)
			}
			return err
		})
		s.counts(e)
		s.counts(other)
	})
}
