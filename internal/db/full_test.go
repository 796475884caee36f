package db_test

import (
	"fmt"
	"sync"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// A server with fewer places than the pool may have connections refuses nothing: whoever finds none waits for a connection of the pool.
func TestServerWithFewPlaces(t *testing.T) {
	store := dbtest.Open(t, db.Config{URL: dbtest.PlainStoreURL(t), Pool: 24})
	err := store.Write(t.Context(), db.Across, func(tx *db.Tx) error {
		_, err := tx.Exec("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I CONNECTION LIMIT 3', current_database()); END $$")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	readAndWriteAll(t, store)
}

// A pooler that accepts fewer connections than the pool may have is like such a server.
func TestPoolerWithFewPlaces(t *testing.T) {
	address := dbtest.SmallPooler(t, dbtest.PlainStoreURL(t), 3)
	readAndWriteAll(t, dbtest.Open(t, db.Config{URL: address, Pool: 24}))
}

// readAndWriteAll lets 24 callers read and write at once.
func readAndWriteAll(t *testing.T, store *db.DB) {
	t.Helper()
	var running sync.WaitGroup
	for i := range 24 {
		running.Go(func() {
			for range 20 {
				if err := readAndWrite(t, store, id.Tenant(i+1)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	running.Wait()
	if err := store.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

func readAndWrite(t *testing.T, store *db.DB, tenant id.Tenant) error {
	err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
		tx.Queue(`INSERT INTO tallies (tenant_id, name, key, n) VALUES ($1, 'tried', '', 1)
			ON CONFLICT (tenant_id, name, key) DO UPDATE SET n = tallies.n + 1`, tx.Tenant)
		return nil
	})
	if err != nil {
		return fmt.Errorf("a write: %w", err)
	}
	err = store.Read(t.Context(), tenant, func(tx *db.Tx) error {
		var n int64
		return tx.Row("SELECT n FROM tallies WHERE tenant_id = $1 AND name = 'tried'", []any{tx.Tenant}, &n)
	})
	if err != nil {
		return fmt.Errorf("a read: %w", err)
	}
	return nil
}
