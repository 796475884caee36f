package worker

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"entrepot/internal/base/netguard"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// pipes is a network in memory.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.IPAddr{IP: net.IPv4(1, 1, 1, 1)} }
func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// The whole schedule of interface §6.2 on a clock that jumps: six attempts, 26 hours and 36 minutes, then failed.
func TestTheWholeSchedule(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		store, err := db.Open(t.Context(), db.Config{Dir: dir, Unsafe: true})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		if _, err := store.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := newShop(t, store)
		var mu sync.Mutex
		var at []time.Time
		network := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			at = append(at, time.Now())
			n := len(at)
			mu.Unlock()
			if n%2 == 0 {
				time.Sleep(time.Minute) // no answer in time
			}
			w.WriteHeader(500)
		})}
		go server.Serve(network)
		defer server.Close()
		e, _ := s.endpoint("http://1.1.1.1/hook")
		w, err := Start(t.Context(), Config{DB: store, Commerce: s.svc, Guard: &netguard.Guard{Dev: true, Dial: network.dial},
			Poll: time.Hour, Alone: true})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		s.emit(1, each)
		time.Sleep(28 * time.Hour)
		synctest.Wait()
		mu.Lock()
		want := start
		for i, wait := range append([]time.Duration{0}, webhooks.Standard...) {
			if i > 0 && i%2 == 0 {
				want = want.Add(attemptTime) // the attempt before ran into its time-out
			}
			want = want.Add(wait)
			if i >= len(at) || at[i].Sub(want).Abs() > time.Second {
				t.Errorf("attempt %d at %s, not at %s after the event", i+1, at[min(i, len(at)-1)].Sub(start), want.Sub(start))
			}
		}
		if len(at) != 6 {
			t.Errorf("%d attempts", len(at))
		}
		mu.Unlock()
		if c := s.counts(e); c.Failed != 1 {
			t.Errorf("%+v", c)
		}
		if err := w.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
