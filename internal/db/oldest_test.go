package db_test

import (
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// OldestWrite is before the time of every write that has begun and is not committed, and moves on when that has ended.
func TestOldestWrite(t *testing.T) {
	var micros atomic.Int64
	micros.Store(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixMicro())
	dbtest.EnginesAt(t, func() time.Time { return time.UnixMicro(micros.Load()) }, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		begun, end, done := make(chan int64), make(chan struct{}), make(chan error)
		go func() {
			done <- store.Write(t.Context(), tenant, func(tx *db.Tx) error {
				begun <- tx.Micros()
				<-end
				return nil
			})
		}()
		at := <-begun
		micros.Add(time.Hour.Microseconds())
		if oldest := store.OldestWrite(); oldest >= at || oldest < at-time.Hour.Microseconds() {
			t.Errorf("%d during a write of %d", oldest, at)
		}
		close(end)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if oldest := store.OldestWrite(); oldest <= at {
			t.Errorf("%d after a write of %d has ended", oldest, at)
		}
	})
}
