package worker

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// A sandbox account sees all six attempts at their times by moving its clock; the next attempt waits until the clock is
// moved.
func TestSandboxClockBringsRetries(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		receiver := newReceiver(t)
		receiver.answer = func(int, *http.Request) int { return http.StatusInternalServerError }
		e, _ := s.endpoint(receiver.URL + "/hook")
		s.start()
		s.emit(1, each)
		settled := func(n int) func() bool { // the attempt is over and stored
			return func() bool {
				var made int64
				s.read(func(tx *db.Tx) error {
					return tx.Row("SELECT coalesce(max(attempts), 0) FROM deliveries WHERE tenant_id = $1", []any{tx.Tenant}, &made)
				})
				return made == int64(n)
			}
		}
		advance := func(by time.Duration, sandbox bool) error {
			return store.Write(t.Context(), s.tenant, func(tx *db.Tx) error {
				_, err := s.svc.AdvanceClock(tx, accounts.Caller{Tenant: s.tenant, Sandbox: sandbox}, by)
				return err
			})
		}
		if err := advance(time.Hour, false); !apperr.Is(err, apperr.Forbidden) {
			t.Fatalf("another account's clock: %v", err)
		}
		dbtest.Until(t, "the first attempt", settled(1))
		for i, pause := range []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 24 * time.Hour} {
			if n := len(receiver.on("/hook")); n != i+1 {
				t.Fatalf("%d attempts before the clock is moved, want %d", n, i+1)
			}
			if err := advance(pause, true); err != nil {
				t.Fatal(err)
			}
			dbtest.Until(t, fmt.Sprint("attempt ", i+2), settled(i+2))
		}
		if c, n := s.counts(e), len(receiver.on("/hook")); c.Failed != 1 || n != 6 {
			t.Errorf("after the last attempt: %+v, %d attempts", c, n)
		}
	})
}
