package db_test

import (
	"errors"
	"sync"
	"testing"

	"entrepot/internal/db"
)

func nextNumber(t *testing.T, store *db.DB) (n int64) {
	t.Helper()
	err := store.Read(t.Context(), 1, func(tx *db.Tx) error {
		return tx.Row("SELECT next FROM order_numbers WHERE tenant_id = $1", []any{tx.Tenant}, &n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// raise takes a number up by one if nobody has moved it since it was read.
func raise(tx *db.Tx) error {
	var n int64
	if err := tx.Row("SELECT next FROM order_numbers WHERE tenant_id = $1", []any{tx.Tenant}, &n); err != nil {
		return err
	}
	tx.Queue("UPDATE order_numbers SET next = $2::BIGINT + 1 WHERE tenant_id = $1 AND next = $2::BIGINT", tx.Tenant, n).Rows(1, nil)
	return nil
}

// Checked transactions that read the same and race lose nothing: those that come late run again.
func TestCheckedActsRace(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 1)
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				for range 10 {
					if err := store.OptimisticWrite(t.Context(), 1, raise); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wait.Wait()
		if n := nextNumber(t, store); n != 81 {
			t.Fatalf("80 acts made 1 into %d", n)
		}
	})
}

// A optimistic transaction sees nothing of what it queued; one that must, because it sends it, locks or writes at once, still can.
func TestWhatACheckedActSees(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 1)
		look := func(tx *db.Tx) (n int64) {
			if err := tx.Row("SELECT next FROM order_numbers WHERE tenant_id = $1", []any{tx.Tenant}, &n); err != nil {
				t.Error(err)
			}
			return n
		}
		set := func(tx *db.Tx, n int64) {
			tx.Queue("UPDATE order_numbers SET next = $2 WHERE tenant_id = $1", tx.Tenant, n)
		}
		acts := map[string]func(tx *db.Tx) error{
			"queues": func(tx *db.Tx) error {
				set(tx, 5)
				if n := look(tx); n != 1 {
					t.Errorf("queued writes were sent: %d", n)
				}
				return nil
			},
			"sends": func(tx *db.Tx) error {
				set(tx, 6)
				if err := tx.Flush(); err != nil {
					return err
				}
				if n := look(tx); n != 6 {
					t.Errorf("sent writes are not seen: %d", n)
				}
				return nil
			},
			"locks": func(tx *db.Tx) error {
				var n int64
				return tx.Row("SELECT next FROM order_numbers WHERE tenant_id = $1 FOR UPDATE", []any{tx.Tenant}, &n)
			},
			"writes": func(tx *db.Tx) error {
				_, err := tx.Exec("UPDATE order_numbers SET next = 1 WHERE tenant_id = $1", tx.Tenant)
				return err
			},
		}
		for _, name := range []string{"queues", "sends", "locks", "writes"} {
			if err := store.OptimisticWrite(t.Context(), 1, acts[name]); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n := nextNumber(t, store); n != 1 {
			t.Errorf("left %d", n)
		}
	})
}

// An error of a optimistic transaction writes nothing of what it queued.
func TestACheckedActFails(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 1)
		refused := errors.New("refused")
		err := store.OptimisticWrite(t.Context(), 1, func(tx *db.Tx) error {
			tx.Queue("UPDATE order_numbers SET next = 9 WHERE tenant_id = $1", tx.Tenant)
			return refused
		})
		if !errors.Is(err, refused) || nextNumber(t, store) != 1 {
			t.Fatalf("%v, left %d", err, nextNumber(t, store))
		}
		taken := errors.New("taken")
		err = store.OptimisticWrite(t.Context(), 1, func(tx *db.Tx) error {
			tx.Queue("UPDATE order_numbers SET next = 9 WHERE tenant_id = $1", tx.Tenant)
			tx.Queue("UPDATE order_numbers SET next = 10 WHERE tenant_id = $1 AND next = 4", tx.Tenant).Rows(1, taken)
			return nil
		})
		if !errors.Is(err, taken) || nextNumber(t, store) != 1 {
			t.Fatalf("%v, left %d", err, nextNumber(t, store))
		}
	})
}
