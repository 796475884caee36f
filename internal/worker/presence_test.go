package worker

import (
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/webhooks"
)

// A node stops before others take its queues over, and the others do so within five seconds of its last beat, on any
// machine that keeps up.
func TestTimesOfTakingOver(t *testing.T) {
	if leaseTime >= deadAfter || deadAfter+2*lookEvery > 5*time.Second || beatEvery+lookEvery > leaseTime {
		t.Errorf("a beat every %s, a lease of %s, dead after %s, a look every %s", beatEvery, leaseTime, deadAfter, lookEvery)
	}
	if jobLease+poll > 5*time.Second {
		t.Errorf("a job of a killed node waits %s and up to %s more", jobLease, poll)
	}
}

// The queues of a killed node continue without it, ordered endpoints in their order.
func TestTakesOverFromTheKilled(t *testing.T) {
	dbtest.Long(t, "leases run out")
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		var mu sync.Mutex
		served := 0 // the first two requests, of the node that is killed, get no answer
		rc.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			served++
			hangs := served <= 2
			mu.Unlock()
			if hangs {
				io.Copy(io.Discard, r.Body) // or its end would not be noticed
				<-r.Context().Done()
				return
			}
			rc.ServeHTTP(w, r)
		})
		plain, _ := s.endpoint(rc.URL + "/plain")
		inOrder, _ := s.endpoint(rc.URL+"/ordered", ordered)
		killed := s.start()
		s.emit(1, each)
		dbtest.Until(t, "both are under way", func() bool { mu.Lock(); defer mu.Unlock(); return served == 2 })
		s.start()
		s.emit(3, func(int) string { return "r0" })
		killed.abort() // as a kill does: nothing is released
		at := time.Now()
		dbtest.Until(t, "the other node has it all", func() bool { return s.counts0(plain).Delivered == 4 && s.counts0(inOrder).Delivered == 4 })
		t.Logf("all is delivered %s after the kill", time.Since(at)) // TestTimesOfTakingOver says what it may take
		place, last := s.places(), -1
		for _, got := range rc.on("/ordered") {
			if at := place[got.header.Get("webhook-id")]; at < last {
				t.Errorf("event %d after %d", at, last)
			} else {
				last = at
			}
		}
		s.counts(plain)
		s.counts(inOrder)
	})
}

// A live node that cannot record that it lives starts nothing more. It aborts its request to an ordered endpoint before
// another node continues: two requests of one ordering key never overlap.
func TestTheUnheardStopsBeforeOthersStart(t *testing.T) {
	dbtest.Long(t, "leases run out")
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		var mu sync.Mutex
		under, overlaps, first := 0, 0, true
		begun, ended := make(chan struct{}), make(chan struct{})
		rc.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			hangs := first
			first = false
			if under++; under > 1 {
				overlaps++
			}
			mu.Unlock()
			if hangs {
				rc.ServeHTTP(&silence{}, r)
				close(begun)
				<-r.Context().Done()
				close(ended)
			} else {
				rc.ServeHTTP(w, r)
			}
			mu.Lock()
			under--
			mu.Unlock()
		})
		e, _ := s.endpoint(rc.URL+"/hook", ordered)
		mute := s.start()
		s.emit(2, func(int) string { return "key" })
		<-begun
		mute.leave() // it stops its beats and is otherwise alive
		s.start()
		dbtest.Until(t, "the other node has it all", func() bool { return s.counts0(e).Delivered == 2 })
		<-ended
		mu.Lock()
		defer mu.Unlock()
		if overlaps > 0 {
			t.Errorf("%d requests of one ordering key overlap", overlaps)
		}
		var order []int
		for _, got := range rc.on("/hook") {
			_, n := numberOf(t, got.body)
			order = append(order, n)
		}
		if len(order) != 3 || order[0] != 0 || order[1] != 0 || order[2] != 1 {
			t.Errorf("events in the order %v", order)
		}
		s.counts(e)
	})
}

// silence is an answer that is never sent.
type silence struct{ header http.Header }

func (s *silence) Header() http.Header {
	if s.header == nil {
		s.header = http.Header{}
	}
	return s.header
}
func (*silence) Write(b []byte) (int, error) { return len(b), nil }
func (*silence) WriteHeader(int)             {}

// The only node of a store continues at once after a crash.
func TestTheOnlyNodeGoesOnAtOnce(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		e, _ := s.endpoint(rc.URL + "/hook")
		s.write(func(tx *db.Tx) error {
			tx.Queue("INSERT INTO nodes (id, beat) VALUES ('dead', 1)")
			tx.Queue("UPDATE queues SET holder = 'dead' WHERE tenant_id = $1 AND endpoint_id = $2", tx.Tenant, e.ID)
			return nil
		})
		s.start(func(c *Config) { c.Alone = true })
		s.emit(1, each)
		dbtest.Until(t, "it is delivered", func() bool { return s.counts0(e).Delivered == 1 })
	})
}

// A node that the others declared dead by mistake continues under a new name, and nothing is sent twice at the same
// time.
func TestTheGivenUpGoesOn(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		e, _ := s.endpoint(rc.URL + "/hook")
		w := s.start()
		s.emit(1, each)
		dbtest.Until(t, "it is served", func() bool { return s.counts0(e).Delivered == 1 })
		old := w.name()
		if err := store.Write(t.Context(), db.Across, func(tx *db.Tx) error {
			var beat int64
			if err := tx.Row("SELECT beat FROM nodes WHERE id = $1", []any{old}, &beat); err != nil {
				return err
			}
			ended, err := webhooks.EndNode(tx, old, beat)
			if !ended {
				t.Error("it was not ended")
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		s.emit(20, each)
		dbtest.Until(t, "the rest", func() bool { return s.counts0(e).Delivered == 21 })
		dbtest.Until(t, "another name", func() bool { return w.name() != old }) // it may have delivered all before its next beat
		s.emit(1, each)
		dbtest.Until(t, "the last", func() bool { return s.counts0(e).Delivered == 22 })
		s.counts(e)
	})
}
