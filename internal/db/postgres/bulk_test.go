package postgres_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/db/engine"
	"entrepot/internal/db/postgres"
)

const tenant id.Tenant = 1

// Of pieces of bulk operations of one tenant, one at a time stands in line for the tenant's clock on a node, so that others who wait for it
// go before the next.
func TestPiecesTakeTurnsWithOthers(t *testing.T) {
	e, err := postgres.Open(t.Context(),
		postgres.Config{URL: dbtest.StoreURL(t), MinWait: dbtest.Timeout, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	if err := e.Script(t.Context(), "INSERT INTO change_clocks (tenant_id, base, last) VALUES (1, 0, 0), (2, 0, 0)"); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var order []string
	var running sync.WaitGroup
	write := func(name string, how engine.Mode, meanwhile func()) {
		running.Go(func() {
			err := e.Write(context.Background(), tenant, how, func(s engine.Session) ([]*engine.Step, error) {
				if err := s.LockClock(tenant); err != nil {
					return nil, err
				}
				mu.Lock()
				order = append(order, name)
				mu.Unlock()
				if meanwhile != nil {
					meanwhile()
				}
				return nil, nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	waiting := func() int {
		return int(count(t, e, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = $1::BIGINT::OID"))
	}
	write("piece", engine.Bulk, func() {
		for range 3 {
			write("piece", engine.Bulk, nil)
		}
		dbtest.Until(t, "pieces wait", func() bool { return e.BulkWaiting(tenant) == 4 })
		write("order", engine.Normal, nil)
		dbtest.Until(t, "pieces wait", func() bool { return waiting() == 1 })
		other := make(chan struct{})
		running.Go(func() { // nor do pieces of another tenant wait
			if err := e.Write(context.Background(), 2, engine.Bulk, func(engine.Session) ([]*engine.Step, error) { return nil, nil }); err != nil {
				t.Error(err)
			}
			close(other)
		})
		<-other
	})
	running.Wait()
	if len(order) != 5 || order[1] != "order" {
		t.Errorf("%v: the order was to be second", order)
	}
}

func count(t *testing.T, e *postgres.Engine, sql string) (n int64) {
	t.Helper()
	err := e.Read(t.Context(), tenant, engine.Stored, func(s engine.Session) error {
		rows, err := s.Query(sql, []any{tenant})
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := rows.Scan(&n); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
