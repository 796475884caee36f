package db_test

import (
	"errors"
	"reflect"
	"slices"
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

// planRaise increments a number unless it has changed since it was read.
func planRaise(r db.Reader) (func(db.GuardedWriter), error) {
	var n int64
	if err := r.Row("SELECT next FROM order_numbers WHERE tenant_id = $1", []any{r.TenantID()}, &n); err != nil {
		return nil, err
	}
	return func(w db.GuardedWriter) {
		w.Put(db.Touches(1), "UPDATE order_numbers SET next = $2::BIGINT + 1 WHERE tenant_id = $1 AND next = $2::BIGINT", w.TenantID(), n)
	}, nil
}

// raise is planRaise in one step.
func raise(tx *db.Tx) error {
	store, err := planRaise(tx)
	if err == nil {
		store(tx)
	}
	return err
}

// Optimistic transactions that read the same and race lose nothing: those that come late run again.
func TestOptimisticWritesRace(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 1)
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				for range 10 {
					if err := store.OptimisticWrite(t.Context(), 1, planRaise); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wait.Wait()
		if n := nextNumber(t, store); n != 81 {
			t.Fatalf("80 transactions made 1 into %d", n)
		}
	})
}

// The compiler keeps the two steps of an optimistic transaction: the plan cannot write, its writes cannot read, and each has a guard.
func TestFacesOfATransaction(t *testing.T) {
	reads := []string{"Query", "Each", "Row", "Prefetch"}
	unguarded := []string{"Queue", "Change", "Exec", "Flush", "RequestScrub"}
	guarded := []string{"Put", "PutStamped", "Require", "Share"}
	locks := []string{"LockName", "LockClock"}
	for face, forbidden := range map[reflect.Type][][]string{
		reflect.TypeFor[db.Reader]():        {unguarded, guarded, locks},
		reflect.TypeFor[db.GuardedWriter](): {reads, unguarded, locks},
		reflect.TypeFor[db.Writer]():        {reads, locks, {"Exec", "Flush"}},
	} {
		for _, name := range slices.Concat(forbidden...) {
			if _, has := reflect.TypeFor[*db.Tx]().MethodByName(name); !has {
				t.Errorf("a transaction has no %s any more", name)
			}
			if _, has := face.MethodByName(name); has {
				t.Errorf("%s has %s", face, name)
			}
		}
	}
}

// What the compiler cannot keep fails the transaction: a read among the writes by a Reader that was kept, a write without a guard, and an
// update that a unique key is to guard. On SQLite, whose plans run beside the writer, so does a plan that locks.
func TestOptimisticWriteFailsOutsideItsSteps(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 1)
		const read = "SELECT next FROM order_numbers WHERE tenant_id = $1"
		steps := map[string]func(r db.Reader, w db.GuardedWriter){
			"reads":    func(r db.Reader, _ db.GuardedWriter) { _ = r.Row(read, []any{r.TenantID()}, new(int64)) },
			"prefetch": func(r db.Reader, _ db.GuardedWriter) { r.Prefetch(nil, read, r.TenantID()) },
			"unguarded": func(_ db.Reader, w db.GuardedWriter) {
				w.Put(db.Guard{}, "DELETE FROM order_numbers WHERE tenant_id = $1", w.TenantID())
			},
			"unique": func(_ db.Reader, w db.GuardedWriter) {
				w.Put(db.Unique(), "DELETE FROM order_numbers WHERE tenant_id = $1", w.TenantID())
			},
		}
		for name, step := range steps {
			err := store.OptimisticWrite(t.Context(), 1, func(r db.Reader) (func(db.GuardedWriter), error) {
				return func(w db.GuardedWriter) {
					w.Put(db.Difference(), "UPDATE order_numbers SET next = next + 1 WHERE tenant_id = $1", w.TenantID())
					step(r, w)
				}, nil
			})
			if err == nil || nextNumber(t, store) != 1 {
				t.Errorf("%s: %v, left %d", name, err, nextNumber(t, store))
			}
		}
		if store.Engine() == "sqlite" {
			err := store.OptimisticWrite(t.Context(), 1, func(r db.Reader) (func(db.GuardedWriter), error) {
				return nil, r.Row(read+" FOR UPDATE", []any{r.TenantID()}, new(int64))
			})
			if err == nil {
				t.Error("a plan has locked")
			}
		}
	})
}

// A plan that fails writes nothing; nor does one of whose writes misses its guard, before it runs again.
func TestOptimisticWriteFails(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 1)
		set := func(w db.GuardedWriter) {
			w.Put(db.Difference(), "UPDATE order_numbers SET next = next + 8 WHERE tenant_id = $1", w.TenantID())
		}
		refused, taken := errors.New("refused"), errors.New("taken")
		for name, miss := range map[string]func(db.GuardedWriter){
			"nothing": nil, // the plan itself fails
			"an update": func(w db.GuardedWriter) {
				w.Put(db.Touches(1), "UPDATE order_numbers SET next = 10 WHERE tenant_id = $1 AND next = 4", w.TenantID())
			},
			"a stamped update": func(w db.GuardedWriter) {
				w.PutStamped(db.Touches(1), "UPDATE order_numbers SET next = 10 WHERE tenant_id = $1 AND next = 4", w.TenantID())
			},
			"a required row": func(w db.GuardedWriter) {
				w.Require(1, taken, "SELECT 1 FROM order_numbers WHERE tenant_id = $1 AND next = 4", w.TenantID())
			},
			"a unique key": func(w db.GuardedWriter) {
				w.Put(db.Unique(), "INSERT INTO order_numbers (tenant_id, next) VALUES ($1, 4)", w.TenantID())
			},
		} {
			runs := 0
			err := store.OptimisticWrite(t.Context(), 1, func(db.Reader) (func(db.GuardedWriter), error) {
				if runs++; miss == nil || runs == 2 {
					return set, refused
				}
				return func(w db.GuardedWriter) { set(w); miss(w) }, nil
			})
			want, wantRuns := refused, 2
			switch name {
			case "nothing":
				wantRuns = 1
			case "a required row": // it has an error of its own
				want, wantRuns = taken, 1
			}
			if !errors.Is(err, want) || runs != wantRuns || nextNumber(t, store) != 1 {
				t.Errorf("%s: %v after %d runs, left %d", name, err, runs, nextNumber(t, store))
			}
		}
	})
}
