package db_test

import (
	"sync"
	"testing"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// A node stands still in the middle of a transaction, as one does whose machine is paused or lost its power: PostgreSQL gives the locks of
// that transaction to others after some seconds. When the node goes on, its transaction runs again.
func TestNodeThatStandsStill(t *testing.T) {
	for name, through := range map[string]func(testing.TB, string) string{
		"direct": func(_ testing.TB, url string) string { return url },
		"pooler": dbtest.Pooler,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each waits ten seconds
			nodes, url := twoNodes(t)
			frozen, err := db.Open(t.Context(), db.Config{URL: through(t, url), MinWait: 9 * time.Second}) // it is given up after 10
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { frozen.Close() })
			held, thawed, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
			thaw := sync.OnceFunc(func() { close(thawed) })
			t.Cleanup(thaw)
			var first sync.Once
			go func() {
				ended <- frozen.Write(t.Context(), 1, func(tx *db.Tx) error {
					if err := tx.LockClock(); err != nil {
						return err
					}
					err := raise(tx) // stored in the message that commits
					first.Do(func() { close(held); <-thawed })
					return err
				})
			}()
			<-held
			dbtest.Until(t, "another node writes", func() bool {
				err := nodes[0].Write(t.Context(), 1, func(tx *db.Tx) error {
					stamped(tx, "other")
					return raise(tx)
				})
				if e, ok := apperr.As(err); err != nil && (!ok || e.Kind != apperr.Unavailable) {
					t.Fatal(err)
				}
				return err == nil
			})
			thaw()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if n := nextNumber(t, nodes[0]); n != 3 {
				t.Errorf("two transactions made 1 into %d", n)
			}
		})
	}
}
