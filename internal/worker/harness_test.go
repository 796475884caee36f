package worker

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/base/netguard"
	"entrepot/internal/base/secretbox"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// receiver plays the merchant's side: it records requests and answers as the test sets it.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    map[string][]received            // by path
	answer func(n int, r *http.Request) int // status for the n-th request of a path, from 0; nil: 200
}

type received struct {
	at     time.Time
	header http.Header
	body   string
}

func newReceiver(t testing.TB) *receiver {
	r := &receiver{}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (rc *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	rc.mu.Lock()
	if rc.got == nil {
		rc.got = map[string][]received{}
	}
	n := len(rc.got[r.URL.Path])
	rc.got[r.URL.Path] = append(rc.got[r.URL.Path], received{time.Now(), r.Header, string(body)})
	answer := rc.answer
	rc.mu.Unlock()
	if answer != nil {
		w.WriteHeader(answer(n, r))
	}
	io.WriteString(w, "thanks")
}

// on returns the deliveries that a path got.
func (rc *receiver) on(path string) []received {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	return slices.Clone(rc.got[path])
}

// shop is a store with one account, and a worker when started.
type shop struct {
	t      testing.TB
	store  *db.DB
	tenant id.Tenant
	svc    *commerce.Service
}

func newShop(t testing.TB, store *db.DB) *shop {
	key, err := secretbox.Parse(strings.Repeat("5e", 32))
	if err != nil {
		t.Fatal(err)
	}
	return &shop{t: t, store: store, tenant: dbtest.Account(t, store), svc: &commerce.Service{Key: key, Dev: true}}
}

// start starts a worker that stops with the test.
func (s *shop) start(change ...func(*Config)) *Worker {
	s.t.Helper()
	c := Config{DB: s.store, Commerce: s.svc, Guard: &netguard.Guard{Dev: true, Lookup: noHost}, Version: "test", Poll: 50 * time.Millisecond,
		MinAttempt: dbtest.Timeout,
		Log:        slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))}
	for _, f := range change {
		f(&c)
	}
	w, err := Start(s.t.Context(), c)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { s.stop(w) })
	return w
}

// noHost resolves no name. The system's resolver may have no server that answers, or one that has an address for every name.
func noHost(_ context.Context, host string) ([]netip.Addr, error) {
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

func (s *shop) stop(w *Worker) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if w.stopping.Err() != nil {
		return
	}
	if err := w.Stop(ctx); err != nil {
		s.t.Error(err)
	}
}

func (s *shop) write(run func(tx *db.Tx) error) {
	s.t.Helper()
	if err := s.store.Write(s.t.Context(), s.tenant, run); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shop) read(run func(tx *db.Tx) error) {
	s.t.Helper()
	if err := s.store.Read(s.t.Context(), s.tenant, run); err != nil {
		s.t.Fatal(err)
	}
}

// endpoint creates an endpoint and returns it with its secret.
func (s *shop) endpoint(url string, change ...func(*webhooks.Endpoint)) (*webhooks.Endpoint, string) {
	s.t.Helper()
	secret := webhooks.NewSecret()
	endpoint := id.New[id.Endpoint]()
	e := &webhooks.Endpoint{ID: endpoint, URL: url, Secret: s.svc.Key.Encrypt(secret, webhooks.Place(s.tenant, endpoint)),
		Events: []string{webhooks.All}, Status: webhooks.Active}
	for _, f := range change {
		f(e)
	}
	s.write(func(tx *db.Tx) error { e.Insert(tx); return nil })
	return e, secret
}

// emit records n events in one commit, each of a resource that resource names.
func (s *shop) emit(n int, resource func(i int) string) {
	s.t.Helper()
	s.write(func(tx *db.Tx) error {
		events := make([]webhooks.Event, n)
		for i := range events {
			r := resource(i)
			events[i] = records.NewEvent("order.updated", r, func(w *apijson.Writer) {
				w.Object("")
				w.Text("id", r)
				w.Int("n", int64(i))
				w.End()
			})
		}
		webhooks.Record(tx, events...)
		return nil
	})
}

func each(i int) string { return fmt.Sprint("r", i) }

// counts reads an endpoint's counts and compares them with the rows.
func (s *shop) counts(e *webhooks.Endpoint) (c webhooks.Counts) {
	s.t.Helper()
	s.read(func(tx *db.Tx) (err error) {
		if c, err = webhooks.Tally(tx, e.ID); err != nil {
			return err
		}
		var rows webhooks.Counts
		err = tx.Each(func(r db.Rows) error {
			var state webhooks.State
			var n int64
			if err := r.Scan(&state, &n); err != nil {
				return err
			}
			switch state {
			case webhooks.Pending:
				rows.Pending = n
			case webhooks.Delivered:
				rows.Delivered = n
			case webhooks.Failed:
				rows.Failed = n
			}
			return nil
		}, "SELECT state, count(*) FROM deliveries WHERE tenant_id = $1 AND endpoint_id = $2 GROUP BY state", tx.Tenant, e.ID)
		if err == nil && rows != c {
			err = fmt.Errorf("counts are kept as %+v, the rows are %+v", c, rows)
		}
		return err
	})
	return c
}

// closedPort returns an address where nothing listens.
func closedPort(t testing.TB) string {
	port, err := dbtest.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("http://127.0.0.1:%d", port)
}

// places returns the position of each event in commit order.
func (s *shop) places() map[string]int {
	s.t.Helper()
	place := map[string]int{}
	s.read(func(tx *db.Tx) error {
		log, err := webhooks.Log(tx, webhooks.LogFilter{Limit: 10_000})
		for i, l := range log.Events {
			place[string(l.ID)] = i
		}
		return err
	})
	return place
}
