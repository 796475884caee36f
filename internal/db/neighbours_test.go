package db_test

import (
	"context"
	"sync"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// However many wide reads one account starts, so many that the next ones wait: another account's reads of either kind,
// its writes, and its permission checks get connections at once, and so does a short read of the account itself.
func TestWideReadsLeaveRoomForNeighbours(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		const busy, quiet, begun = 1, 2, 40
		clock(t, store, busy)
		clock(t, store, quiet)
		inside, hold := make(chan struct{}, begun), make(chan struct{})
		ctx, hangUp := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range begun {
			all.Go(func() {
				_ = store.ReadWide(ctx, busy, func(tx *db.Tx) error {
					if err := readNumber(tx); err != nil { // it has a connection
						return err
					}
					inside <- struct{}{}
					<-hold
					return nil
				})
			})
		}
		defer all.Wait()
		defer close(hold)
		defer hangUp()
		taken := 0
		dbtest.Until(t, "no place is left for the others", func() bool {
			taken = len(inside)
			return taken+store.WideWaiting() == begun
		})
		if taken == begun {
			t.Fatalf("%d of %d wide reads of one account run at once", taken, begun)
		}
		soon, cancel := context.WithTimeout(t.Context(), dbtest.Timeout)
		defer cancel()
		for what, run := range map[string]func() error{
			"a wide read of the other":       func() error { return store.ReadWide(soon, quiet, readNumber) },
			"a short read of the other":      func() error { return store.Read(soon, quiet, readNumber) },
			"whether the other may go on":    func() error { return store.Peek(soon, quiet, readNumber) },
			"a write of the other":           func() error { return store.Write(soon, quiet, raise) },
			"a feed of the other":            func() error { _, err := store.Settle(soon, quiet); return err },
			"a short read of the busy one":   func() error { return store.Read(soon, busy, readNumber) },
			"a write of the busy one":        func() error { return store.Write(soon, busy, raise) },
			"whether the busy one may go on": func() error { return store.Peek(soon, busy, readNumber) },
		} {
			if err := run(); err != nil {
				t.Errorf("%s, beside %d wide reads: %v", what, taken, err)
			}
		}
		t.Logf("%d wide reads of one account at once", taken)
	})
}

func readNumber(tx *db.Tx) error {
	return tx.Row("SELECT next FROM order_numbers WHERE tenant_id = $1", []any{tx.Tenant}, new(int64))
}
