package worker

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"entrepot/internal/base/apijson"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// BenchmarkDeliveries measures events from their commit to the stored outcome of their delivery: endpoints on loopback,
// a store that waits for the disk, receivers in the same process. "mixed" is one ordered and one plain endpoint, of
// which each gets every event. "hundred" has 98 good endpoints, one that takes 200 ms for each answer and one where
// nothing listens, and reports the good ones.
func BenchmarkDeliveries(b *testing.B) {
	for _, of := range []struct {
		name string
		run  func(*testing.B, *db.DB)
	}{{"plain", plainDeliveries}, {"mixed", mixedDeliveries}, {"hundred", hundredEndpoints}, {"hundred-good", hundredGood}} {
		b.Run(of.name+"/sqlite", func(b *testing.B) { of.run(b, dbtest.Open(b, db.Config{Dir: dbtest.StoreDir(b)})) })
		b.Run(of.name+"/postgres", func(b *testing.B) { of.run(b, dbtest.Open(b, db.Config{URL: dbtest.StoreURL(b)})) })
	}
}

func plainDeliveries(b *testing.B, store *db.DB) {
	s, server := newShop(b, store), newCounter(b)
	e, _ := s.endpoint(server.URL)
	s.deliver(b, server, e)
}

func mixedDeliveries(b *testing.B, store *db.DB) {
	s, server := newShop(b, store), newCounter(b)
	one, _ := s.endpoint(server.URL)
	other, _ := s.endpoint(server.URL, ordered)
	s.deliver(b, server, one, other)
}

func hundredGood(b *testing.B, store *db.DB)      { hundred(b, store, false) }
func hundredEndpoints(b *testing.B, store *db.DB) { hundred(b, store, true) }

func hundred(b *testing.B, store *db.DB, bad bool) {
	s, server := newShop(b, store), newCounter(b)
	var good []*webhooks.Endpoint
	for range 98 {
		e, _ := s.endpoint(server.URL)
		good = append(good, e)
	}
	if bad {
		slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(200 * time.Millisecond) }))
		b.Cleanup(func() { slow.CloseClientConnections(); slow.Close() })
		s.endpoint(slow.URL)
		s.endpoint(closedPort(b))
	}
	s.deliver(b, server, good...)
}

// counter is a receiver that counts.
type counter struct {
	*httptest.Server
	got atomic.Int64
}

func newCounter(b *testing.B) *counter {
	c := &counter{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		c.got.Add(1)
		w.WriteHeader(http.StatusNoContent)
	}))
	b.Cleanup(c.Close)
	return c
}

// deliver records b.N events and waits until each endpoint has all of them.
func (s *shop) deliver(b *testing.B, receiver *counter, endpoints ...*webhooks.Endpoint) {
	w := s.start(func(c *Config) { c.Poll = time.Second })
	b.ReportAllocs()
	memory := watch()
	b.ResetTimer()
	before := cpu()
	for recorded := 0; recorded < b.N; {
		n := min(500, b.N-recorded)
		s.write(func(tx *db.Tx) error {
			events := make([]webhooks.Event, n)
			for i := range events {
				events[i] = sampleEvent(recorded + i)
			}
			webhooks.Record(tx, events...)
			return nil
		})
		recorded += n
	}
	for _, e := range endpoints {
		for s.counts0(e).Delivered < int64(b.N) {
			time.Sleep(5 * time.Millisecond)
		}
	}
	b.StopTimer()
	close(memory.stop)
	all := b.N * len(endpoints)
	b.ReportMetric(float64(all)/b.Elapsed().Seconds(), "deliveries/s")
	b.ReportMetric(float64((cpu()-before).Microseconds())/float64(all), "µs-cpu/delivery")
	b.ReportMetric(float64(memory.bytes.Load()>>20), "MiB-peak")
	if receiver.got.Load() != int64(all) {
		b.Fatalf("%d requests for %d deliveries", receiver.got.Load(), all)
	}
	w.abort() // deliveries that a bad endpoint still has are not waited for
}

func sampleEvent(n int) webhooks.Event {
	product := fmt.Sprintf("019a1c52-7c1e-7d40-9a55-%012x", n%1000)
	return records.NewEvent("product.updated", product, func(w *apijson.Writer) {
		w.Object("")
		w.Text("id", product)
		w.Text("name", "A product with a usual name")
		w.Text("sku", "SKU-000001")
		apijson.Texts(w, "updatedFields", []string{"price", "compareAtPrice"})
		w.End()
	})
}

// counts0 reads the counts without comparing them with the rows.
func (s *shop) counts0(e *webhooks.Endpoint) (c webhooks.Counts) {
	s.read(func(tx *db.Tx) (err error) {
		c, err = webhooks.Tally(tx, e.ID)
		return err
	})
	return c
}

// cpu returns the processor time that this process has used: the cost of a delivery on a machine with other load.
func cpu() time.Duration {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
