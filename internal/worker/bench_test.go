package worker

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"entrepot/internal/apijson"
	"entrepot/internal/db"
	"entrepot/internal/dbtest"
	"entrepot/internal/webhooks"
)

// BenchmarkDeliveries measures events from their commit to the stored outcome of their delivery: one endpoint on loopback, a store
// that waits for the disk, receiver in the same process.
func BenchmarkDeliveries(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { deliveries(b, dbtest.Open(b, db.Config{Dir: b.TempDir()})) })
	b.Run("postgres", func(b *testing.B) { deliveries(b, dbtest.Open(b, db.Config{URL: dbtest.URL(b)})) })
}

func deliveries(b *testing.B, store *db.DB) {
	s := newShop(b, store)
	var got atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		got.Add(1)
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	e, _ := s.endpoint(server.URL)
	s.start(func(c *Config) { c.Poll = time.Second })
	b.ReportAllocs()
	b.ResetTimer()
	before := cpu()
	for told := 0; told < b.N; {
		n := min(500, b.N-told)
		s.write(func(tx *db.Tx) error {
			events := make([]webhooks.Event, n)
			for i := range events {
				events[i] = webhooks.New("product.updated", "019a1c52-7c1e-7d40-9a55-1f2e3d4c5b6a", func(w *apijson.Writer) {
					w.Object("")
					w.Text("id", "019a1c52-7c1e-7d40-9a55-1f2e3d4c5b6a")
					w.Text("name", "A product with a usual name")
					w.Text("sku", "SKU-000001")
					apijson.Texts(w, "updatedFields", []string{"price", "compareAtPrice"})
					w.End()
				})
			}
			webhooks.Record(tx, events...)
			return nil
		})
		told += n
	}
	for s.counts0(e).Delivered < int64(b.N) {
		time.Sleep(2 * time.Millisecond)
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "deliveries/s")
	b.ReportMetric(float64((cpu()-before).Microseconds())/float64(b.N), "µs-cpu/delivery")
	if got.Load() != int64(b.N) {
		b.Fatalf("%d requests for %d events", got.Load(), b.N)
	}
}

// counts0 reads the counts without holding them against the rows.
func (s *shop) counts0(e *webhooks.Endpoint) (c webhooks.Counts) {
	s.read(func(tx *db.Tx) (err error) {
		c, err = webhooks.Tally(tx, e.ID)
		return err
	})
	return c
}

// cpu is the time that this process has computed so far: what a delivery costs on a machine that others use too.
func cpu() time.Duration {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
