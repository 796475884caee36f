package db_test

import (
	"sync"
	"testing"

	"entrepot/internal/db"
)

// Of optimistic transactions that have all read the same before any commits, one commits at once; the others run again and lose nothing.
func TestOptimisticWritesThatReadTheSame(t *testing.T) {
	const writers = 2 // as many as SQLite plans at once on one processor
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 1)
		var read, done sync.WaitGroup
		read.Add(writers)
		for range writers {
			done.Go(func() {
				err := store.OptimisticWrite(t.Context(), 1, func(r db.Reader) (func(db.GuardedWriter), error) {
					store, err := planRaise(r)
					if r.Try() == 0 {
						read.Done()
						read.Wait()
					}
					return store, err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		done.Wait()
		if n := nextNumber(t, store); n != writers+1 {
			t.Errorf("%d writers made 1 into %d", writers, n)
		}
	})
}
