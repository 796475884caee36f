package worker

import (
	"net/http"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/dbtest"
)

// A sandbox account sees all six attempts in the time they take, by moving its clock; the next one waits until it is moved.
func TestSandboxClockBringsRetries(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		receiver := newReceiver(t)
		receiver.answer = func(int, *http.Request) int { return http.StatusInternalServerError }
		e, _ := s.endpoint(receiver.URL + "/hook")
		s.start()
		s.tell(1, each)
		attempts := func(n int) {
			t.Helper()
			deadline := time.Now().Add(20 * time.Second)
			for len(receiver.on("/hook")) < n {
				if time.Now().After(deadline) {
					t.Fatalf("%d attempts, want %d", len(receiver.on("/hook")), n)
				}
				time.Sleep(5 * time.Millisecond)
			}
			s.read(func(tx *db.Tx) error { return nil })
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
		attempts(1)
		for i, pause := range []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 24 * time.Hour} {
			settled := time.Now().Add(20 * time.Second)
			for { // the attempt before is written down
				var made int
				s.read(func(tx *db.Tx) error {
					return tx.Row("SELECT attempts FROM deliveries WHERE tenant_id = $1", []any{tx.Tenant}, &made)
				})
				if made == i+1 {
					break
				}
				if time.Now().After(settled) {
					t.Fatalf("%d attempts are written down, want %d", made, i+1)
				}
				time.Sleep(5 * time.Millisecond)
			}
			if err := advance(pause, true); err != nil {
				t.Fatal(err)
			}
			attempts(i + 2)
		}
		deadline := time.Now().Add(20 * time.Second)
		for s.counts(e).Failed != 1 {
			if time.Now().After(deadline) {
				t.Fatalf("after the last attempt: %+v", s.counts(e))
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
}
