package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/webhooks"
)

func ordered(e *webhooks.Endpoint) { e.Ordered = true }

// numberOf returns the n that emit put into an event.
func numberOf(t *testing.T, body string) (resource string, n int) {
	t.Helper()
	var envelope struct {
		Data struct {
			ID string
			N  int
		}
	}
	if err := json.Unmarshal([]byte(body), &envelope); err != nil {
		t.Fatal(err)
	}
	return envelope.Data.ID, envelope.Data.N
}

// An ordered endpoint gets the events of one resource in commit order, whatever fails: a later event is sent only when
// the earlier one is delivered or has failed for good. Two nodes serve the endpoint, and a few deliveries are retried
// by hand.
func TestOrdered(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		rnd := rand.New(rand.NewPCG(1, 2))
		var mu sync.Mutex
		var requests atomic.Int64
		rc.answer = func(int, *http.Request) int {
			requests.Add(1)
			mu.Lock()
			defer mu.Unlock()
			return []int{200, 200, 500}[rnd.IntN(3)]
		}
		e, _ := s.endpoint(rc.URL+"/hook", ordered)
		start := func(c *Config) { c.Retries = webhooks.Schedule{5 * time.Millisecond, 20 * time.Millisecond} }
		s.start(start)
		s.start(start)
		const resources, each, commits = 7, 6, 5
		for range commits {
			before := requests.Load()
			s.emit(resources*each, func(i int) string { return fmt.Sprint("r", i%resources) })
			dbtest.Until(t, "deliveries are under way when the next come", func() bool { return requests.Load() > before })
		}
		dbtest.Until(t, "all settled", func() bool {
			c := s.counts0(e)
			return c.Pending == 0 && c.Of("") == resources*each*commits
		})
		s.counts(e)
		place := s.places()
		list, tries := s.deliveries(e)
		last, over := map[string]int{}, map[string]int64{} // by resource: position and end of the newest event attempted
		for _, got := range rc.on("/hook") {
			resource, _ := numberOf(t, got.body)
			at := place[got.header.Get("webhook-id")]
			if at < last[resource] {
				t.Errorf("%s: event %d after %d", resource, at, last[resource])
			}
			last[resource] = at
		}
		for i, d := range list { // in the order of commits
			first, end := tries[i][0].At, tries[i][len(tries[i])-1].At
			if first < over[d.Resource] {
				t.Errorf("%s: event %d was attempted before the one before it was settled", d.Resource, i)
			}
			over[d.Resource] = end
			if d.State == webhooks.Failed && len(tries[i]) != 3 {
				t.Errorf("failed after %d attempts", len(tries[i]))
			}
		}
	})
}

// An ordering key that is stuck delays no other ordering key of its endpoint.
func TestOrderingKeysAreIndependent(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		var broken atomic.Bool
		broken.Store(true)
		rc.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if broken.Load() {
				w.WriteHeader(500)
				return
			}
			rc.ServeHTTP(w, r)
		})
		e, _ := s.endpoint(rc.URL+"/hook", ordered)
		w := s.start(func(c *Config) { c.Retries = webhooks.Schedule{time.Hour} })
		s.emit(3, func(int) string { return "dead" })
		dbtest.Until(t, "a failed attempt", func() bool {
			_, tries := s.deliveries(e)
			return len(tries) == 3 && len(tries[0]) == 1
		})
		broken.Store(false)
		s.emit(5, each)
		dbtest.Until(t, "the others", func() bool { return s.counts0(e).Delivered == 5 })
		list, tries := s.deliveries(e)
		if len(tries[0]) != 1 || len(tries[1]) != 0 || list[1].DueAt != 0 || list[2].DueAt != 0 {
			t.Errorf("the ordering key moved: %+v %+v", list, tries)
		}
		// After a retry by hand the queue continues, one delivery after the other.
		s.write(func(tx *db.Tx) error {
			_, err := webhooks.Retry(tx, list[0].ID)
			return err
		})
		dbtest.Until(t, "the ordering key", func() bool { return s.counts0(e).Delivered == 8 })
		for i, got := range rc.on("/hook")[5:] {
			if _, n := numberOf(t, got.body); n != i {
				t.Errorf("place %d: event %d", i, n)
			}
		}
		s.stop(w)
	})
}

// Failed deliveries of one ordering key that are all retried are sent in commit order, before the deliveries that wait
// behind them.
func TestARetriedOrderingKeyKeepsItsOrder(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		e, _ := s.endpoint(closedPort(t)+"/hook", ordered)
		w := s.start(func(c *Config) { c.Retries = webhooks.Schedule{} })
		s.emit(4, func(int) string { return "key" })
		dbtest.Until(t, "all failed", func() bool { return s.counts0(e).Failed == 4 })
		s.stop(w)
		s.write(func(tx *db.Tx) error {
			e.URL = rc.URL + "/hook"
			e.Save(tx)
			return nil
		})
		s.emit(2, func(int) string { return "key" })
		s.write(func(tx *db.Tx) error {
			r, err := webhooks.NewReplay(tx, webhooks.Replay{Endpoint: e.ID, OnlyFailed: true, To: 1 << 62})
			if err != nil {
				return err
			}
			n, done, err := r.Run(tx)
			if n != 4 || !done {
				t.Errorf("retried %d, done %v", n, done)
			}
			return err
		})
		s.counts(e)
		s.start()
		dbtest.Until(t, "six", func() bool { return s.counts0(e).Delivered == 6 })
		for i, got := range rc.on("/hook") {
			if _, n := numberOf(t, got.body); n != i%4 {
				t.Errorf("place %d: event %d", i, n)
			}
		}
		s.counts(e)
	})
}

// Many nodes, one store: every event goes out exactly once to each endpoint while no node dies.
func TestNodesDoNotDouble(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		var endpoints []*webhooks.Endpoint
		for i := range 4 {
			e, _ := s.endpoint(fmt.Sprintf("%s/%d", rc.URL, i))
			endpoints = append(endpoints, e)
		}
		var takeovers atomic.Int64
		for range 3 {
			s.start(func(c *Config) { c.Log = slog.New(takeoverCounter{slog.DiscardHandler, &takeovers}) })
		}
		var writers sync.WaitGroup
		for range 4 {
			writers.Go(func() {
				for range 5 {
					s.emit(15, each)
				}
			})
		}
		writers.Wait()
		var twice []string
		for i, e := range endpoints {
			dbtest.Until(t, "300", func() bool { return s.counts0(e).Delivered == 300 })
			seen := map[string]bool{}
			for _, got := range rc.on(fmt.Sprintf("/%d", i)) {
				event := got.header.Get("webhook-id")
				if seen[event] {
					twice = append(twice, fmt.Sprintf("endpoint %d got %s", i, event))
				}
				seen[event] = true
			}
			if len(seen) != 300 {
				t.Errorf("endpoint %d got %d events", i, len(seen))
			}
			s.counts(e)
		}
		if n := takeovers.Load(); n > 0 { // a node missed its beats for seconds: the machine was suspended
			t.Logf("%d nodes were given up; %d deliveries came again", n, len(twice))
		} else if len(twice) > 0 {
			t.Errorf("twice although no node was given up: %v", twice)
		}
	})
}

// takeoverCounter counts the nodes that others have taken for dead.
type takeoverCounter struct {
	slog.Handler
	n *atomic.Int64
}

func (takeoverCounter) Enabled(context.Context, slog.Level) bool { return true }
func (c takeoverCounter) Handle(_ context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "taking over the queues") {
		c.n.Add(1)
	}
	return nil
}

// Stop waits for running attempts, stores their outcomes and releases the leases; an attempt that Stop interrupts is
// not counted.
func TestStop(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		release := make(chan struct{})
		rc.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rc.ServeHTTP(w, r)
			if r.URL.Path == "/stuck" {
				<-r.Context().Done()
			}
			<-release
		})
		e, _ := s.endpoint(rc.URL + "/hook")
		w := s.start()
		s.emit(1, each)
		dbtest.Until(t, "it is under way", func() bool { return len(rc.on("/hook")) == 1 })
		context.AfterFunc(w.stopping, func() { close(release) })
		s.stop(w)
		if c := s.counts(e); c.Delivered != 1 {
			t.Errorf("after the stop: %+v", c)
		}
		stuck, _ := s.endpoint(rc.URL + "/stuck")
		w = s.start()
		s.emit(1, each)
		dbtest.Until(t, "it is stuck", func() bool { return len(rc.on("/stuck")) == 1 })
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := w.Stop(ctx); err == nil {
			t.Error("a stop that breaks off says nothing")
		}
		list, tries := s.deliveries(stuck)
		if c := s.counts(stuck); c.Pending != 1 || len(tries[0]) != 0 || list[0].Attempts != 0 {
			t.Errorf("%+v %+v", c, tries)
		}
		var holders int
		s.read(func(tx *db.Tx) error {
			return tx.Row("SELECT count(*) FROM queues WHERE tenant_id = $1 AND holder <> '' AND endpoint_id = $2", []any{tx.Tenant, e.ID}, &holders)
		})
		if holders != 0 {
			t.Error("a drained queue is still held")
		}
	})
}
