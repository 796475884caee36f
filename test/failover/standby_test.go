package failover

import (
	"net/http"
	"testing"

	"entrepot/internal/dbtest"
	"entrepot/test/blackbox/harness"
)

// waiting are commits that wait for the standby and hold an account's change clock, as those of stock movements do.
const waiting = ` FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid IN
	(SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = 7303)`

// Without the synchronous standby nothing is acknowledged: a write waits, the next ones are answered 503, reads
// continue. A cancelled wait leaves the change on the primary alone, which is no acknowledgement either: 503
// outcome_unknown, and a retry with the key shows that it was stored.
func TestStandbyIsAway(t *testing.T) {
	dbtest.Long(t, "PostgreSQL is started three times")
	pair := dbtest.NewPair(t)
	s := open(t, pair, pair.URL())
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
	pair.StopStandby()
	first := make(chan harness.Answer)
	go func() { first <- receive(0, "first") }()
	s.until("the first change waits for the standby", func() bool { return pair.Count("SELECT count(*)"+waiting) > 0 })
	second := receive(1, "second")
	if second.Status != http.StatusServiceUnavailable || second.Header.Get("Retry-After") == "" || second.Text("code") != "busy" {
		t.Errorf("behind a change that waits: %s, want 503 busy with Retry-After", second)
	}
	onHand(0)
	if n := pair.Count("SELECT count(pg_cancel_backend(pid))" + waiting); n == 0 {
		t.Error("the first change no longer waited for the standby")
	}
	if cancelled := <-first; cancelled.Status != http.StatusServiceUnavailable || cancelled.Text("code") != "outcome_unknown" {
		t.Errorf("a change that no standby has: %s, want 503 outcome_unknown", cancelled)
	}
	pair.StartStandby()
	s.until("the first change's answer is repeated", func() bool {
		again := receive(1, "first")
		return again.Status == http.StatusCreated && again.Header.Get("Idempotent-Replay") == "true"
	})
	s.until("the second change is stored", func() bool { return receive(0, "second").Status == http.StatusCreated })
	onHand(2)
}
