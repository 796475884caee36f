package worker

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// peak measures how far the memory and the goroutines of this process, receivers included, rise above their present
// level.
type peak struct {
	bytes, goroutines atomic.Int64
	stop, ended       chan struct{}
	percent           int // of the garbage collector, before
}

func watch() *peak {
	p := &peak{stop: make(chan struct{}), ended: make(chan struct{}), percent: debug.SetGCPercent(100)}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, already := int64(m.HeapInuse+m.StackInuse), int64(runtime.NumGoroutine())
	go func() {
		defer close(p.ended)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-p.stop:
				return
			case <-tick.C:
			}
			runtime.ReadMemStats(&m)
			p.bytes.Store(max(p.bytes.Load(), int64(m.HeapInuse+m.StackInuse)-before))
			p.goroutines.Store(max(p.goroutines.Load(), int64(runtime.NumGoroutine())-already))
		}
	}()
	return p
}

// most ends the measurement and compares it with bounds, in MiB and in goroutines.
func (p *peak) most(t *testing.T, mebibytes, goroutines int64) {
	close(p.stop)
	<-p.ended
	debug.SetGCPercent(p.percent)
	t.Logf("at most %d MiB and %d goroutines", p.bytes.Load()>>20, p.goroutines.Load())
	if p.bytes.Load()>>20 > mebibytes || p.goroutines.Load() > goroutines {
		t.Errorf("%d MiB, %d goroutines; want at most %d and %d", p.bytes.Load()>>20, p.goroutines.Load(), mebibytes, goroutines)
	}
}

// record commits events of a size, one by one.
func (s *shop) record(n, size int) {
	data := []byte(`{"text":"` + strings.Repeat("x", size) + `"}`)
	for i := range n {
		s.write(func(tx *db.Tx) error {
			webhooks.Record(tx, records.EventOf("order.updated", fmt.Sprint("r", i), data))
			return nil
		})
	}
}

// Forty endpoints that take a large payload and never answer cost the node its bound and no more, and a good one gets everything.
func TestHangingEndpointsTakeLittleMemory(t *testing.T) {
	dbtest.Long(t, "many endpoints at once")
	s := newShop(t, dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true}))
	var under, got atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/good" {
			got.Add(1)
			return
		}
		under.Add(1)
		<-r.Context().Done()
	}))
	defer server.Close()
	const endpoints, events, size = 40, 60, 512 << 10
	for i := range endpoints {
		s.endpoint(fmt.Sprint(server.URL, "/hang", i))
	}
	s.endpoint(server.URL + "/good")
	s.record(events, size)
	seen := watch()
	w := s.start(func(c *Config) { c.MinAttempt = 0 }) // the good one may wait for memory until attempts to the others have ended
	dbtest.Until(t, "the good one has everything", func() bool { return got.Load() == events })
	dbtest.Until(t, "the bound is reached", func() bool { return under.Load() >= payloadBudget/4/(2*size+2*attemptWeight) })
	seen.most(t, 250, 1500)
	w.abort()
}

// Answers with megabytes of headers are refused before they are in memory.
func TestHugeHeadersAreRefused(t *testing.T) {
	dbtest.Long(t, "many endpoints at once")
	s := newShop(t, dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true}))
	header := []byte(strings.Repeat("X-Long: "+strings.Repeat("y", 8000)+"\r\n", 1200)) // 9.6 MB
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
		conn.Write(header)
		io.WriteString(conn, "Content-Length: 0\r\n\r\n")
	}))
	defer server.Close()
	var list []*webhooks.Endpoint
	for i := range 64 {
		e, _ := s.endpoint(fmt.Sprint(server.URL, "/", i))
		list = append(list, e)
	}
	s.emit(4, each)
	seen := watch()
	s.start(func(c *Config) { c.Retries = webhooks.Schedule{} })
	for _, e := range list {
		dbtest.Until(t, "all have failed", func() bool { return s.counts0(e).Failed == 4 })
	}
	_, tries := s.deliveries(list[0])
	if a := tries[0][0]; a.StatusCode != 0 || !strings.Contains(a.Error, "headers") {
		t.Errorf("%+v", a)
	}
	seen.most(t, 150, 2000)
}

// A thousand endpoints that answer are served with as many goroutines as there is work for.
func TestManyEndpointsTakeFewGoroutines(t *testing.T) {
	dbtest.Long(t, "many endpoints at once")
	store := dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true})
	var got atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		got.Add(1)
	}))
	defer server.Close()
	const accounts, endpoints, events = 10, 100, 12
	var shops []*shop
	for range accounts {
		s := newShop(t, store)
		shops = append(shops, s)
		for i := range endpoints {
			s.endpoint(fmt.Sprint(server.URL, "/", i))
		}
	}
	for _, s := range shops {
		s.record(events, 32<<10)
	}
	seen := watch()
	shops[0].start(func(c *Config) { c.Poll = time.Second })
	// a slow machine has its time, a stall has not
	for n := int64(accounts * endpoints); n <= accounts*endpoints*events; n += accounts * endpoints {
		dbtest.Until(t, "everybody has everything", func() bool { return got.Load() >= n })
	}
	t.Logf("%d requests for %d deliveries", got.Load(), accounts*endpoints*events) // more, when answers took longer than an attempt may
	seen.most(t, 300, 8000)
}
