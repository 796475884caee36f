package crash

import (
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/db/dbtest"
	"entrepot/test/blackbox/harness"
)

// waiting are commits of the service that wait for the standby.
const waiting = ` FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = current_database() AND backend_type = 'client backend'`

// moving and others separate such commits of stock movements from those of the service's own work, such as a job that ends. Both hold the
// account's change clock, and either may come first.
const (
	movements = ` pid IN (SELECT pid FROM pg_locks WHERE relation = 'movements'::regclass AND mode = 'RowExclusiveLock')`
	moving    = waiting + " AND" + movements
	others    = waiting + " AND NOT" + movements
)

// Without the synchronous standby nothing is acknowledged: a write waits, the next ones are answered 503, reads
// continue. A cancelled wait leaves the change on the primary alone, which is no acknowledgement either: 503
// outcome_unknown, and a retry with the key shows that it was stored.
func TestStandbyIsAway(t *testing.T) {
	dbtest.Long(t, "PostgreSQL is started three times")
	t.Parallel()
	pair := dbtest.NewPair(t)
	address := pair.URL()
	s := open(t, pair, address)
	receive := func(node int, key string) harness.Answer {
		answer, err := s.on(node).Do(harness.Request{Method: http.MethodPost, Path: "/api/v1/inventory/movements",
			Header: http.Header{"Idempotency-Key": {key}}, Body: []byte(`{"sku":"` + sku(0) + `","type":"receive","quantity":1}`)})
		if err != nil {
			t.Error(err)
		}
		return answer
	}
	onHand := func(want int64) {
		t.Helper()
		level, err := s.on(1).Call(http.MethodGet, "/api/v1/inventory?sku="+sku(0), nil)
		if n := level.Count("data", 0, "quantity"); err != nil || n != want {
			t.Errorf("%v %s, want %d on hand", err, level, want)
		}
	}
	admin, err := pgx.Connect(t.Context(), address+"&target_session_attrs=read-write")
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	count := func(sql string) (n int) {
		t.Helper()
		if err := admin.QueryRow(t.Context(), sql).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	pair.StopStandby()
	first := make(chan harness.Answer)
	go func() { first <- receive(0, "first") }()
	dbtest.Until(s.t, "the first change waits for the standby", func() bool {
		count("SELECT count(pg_cancel_backend(pid))" + others)
		return count("SELECT count(*)"+moving) > 0
	})
	second := receive(1, "second")
	if second.Status != http.StatusServiceUnavailable || second.Header.Get("Retry-After") == "" || second.Text("code") != "busy" {
		t.Errorf("behind a change that waits: %s, want 503 busy with Retry-After", second)
	}
	onHand(1000)
	if n := count("SELECT count(pg_cancel_backend(pid))" + moving); n == 0 {
		t.Error("the first change no longer waited for the standby")
	}
	if cancelled := <-first; cancelled.Status != http.StatusServiceUnavailable || cancelled.Text("code") != "outcome_unknown" {
		t.Errorf("a change that no standby has: %s, want 503 outcome_unknown", cancelled)
	}
	pair.StartStandby()
	dbtest.Until(s.t, "the first change's answer is repeated", func() bool {
		again := receive(1, "first")
		return again.Status == http.StatusCreated && again.Header.Get("Idempotent-Replay") == "true"
	})
	dbtest.Until(s.t, "the second change is stored", func() bool { return receive(0, "second").Status == http.StatusCreated })
	onHand(1002)
}
