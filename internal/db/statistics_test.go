package db_test

import (
	"testing"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/dbtest"
)

// PostgreSQL's planner learns within seconds that a table of a new store has two hundred rows: its own daemon comes once a minute, and
// until then orders were planned as if there were one row.
func TestStatisticsOfANewStore(t *testing.T) {
	store := dbtest.Open(t, db.Config{URL: dbtest.StoreURL(t)})
	fillCustomers(t, store, dbtest.Account(t, store), 200)
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		var known int64
		err := store.Read(t.Context(), db.Across, func(tx *db.Tx) error {
			return tx.Row("SELECT count(*) FROM pg_stats WHERE schemaname = current_schema() AND tablename = 'customers'", nil, &known)
		})
		if err != nil {
			t.Fatal(err)
		}
		if known > 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("after 20 s the planner knows nothing of 200 customers")
		}
	}
}
