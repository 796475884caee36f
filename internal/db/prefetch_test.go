package db_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// number requests a number that the query computes, and records that it was answered.
func number(tx *db.Tx, into *[]int64, sql string, args ...any) *db.PendingRead {
	return tx.Prefetch(func(r db.Rows) error {
		var n int64
		err := r.Scan(&n)
		*into = append(*into, n)
		return err
	}, sql, args...)
}

const next = "SELECT next FROM order_numbers WHERE tenant_id = $1"

// Pending reads run in the order in which they were prefetched, whichever is waited for first.
func TestPendingReadsKeepTheirOrder(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		for name, run := range map[string]func(func(*db.Tx) error) error{
			"read": func(work func(*db.Tx) error) error { return store.Read(t.Context(), 1, work) },
			"last": func(work func(*db.Tx) error) error {
				return store.Read(t.Context(), 1, func(tx *db.Tx) error { tx.Last(); return work(tx) })
			},
			"write": func(work func(*db.Tx) error) error { return store.Write(t.Context(), 1, work) },
		} {
			err := run(func(tx *db.Tx) error {
				var got []int64
				first := number(tx, &got, "SELECT $1::BIGINT", 1)
				second := number(tx, &got, "SELECT $1::BIGINT UNION ALL SELECT $1::BIGINT + 1 ORDER BY 1", 2)
				if len(got) != 0 {
					t.Errorf("%s: answered before anybody waited: %v", name, got)
				}
				if err := db.WaitAll([]*db.PendingRead{second, first}); err != nil {
					return err
				}
				third := number(tx, &got, "SELECT $1::BIGINT", 4)
				if err := db.WaitAll([]*db.PendingRead{third, third, first}); err != nil {
					return err
				}
				if fmt.Sprint(got) != "[1 2 3 4]" {
					t.Errorf("%s: got %v", name, got)
				}
				var five int64
				if err := tx.Row("SELECT $1::BIGINT", []any{5}, &five); err != nil || five != 5 {
					t.Errorf("%s: a query after the pending reads: %d, %v", name, five, err)
				}
				return nil
			})
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// A query sees the writes queued before it and none of those queued after it, in whatever order results are waited for.
func TestReadsAndWritesInTheirOrder(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 1)
		set := func(tx *db.Tx, n int) {
			tx.Queue("UPDATE order_numbers SET next = $2 WHERE tenant_id = $1", tx.Tenant, n)
		}
		err := store.Write(t.Context(), 1, func(tx *db.Tx) error {
			var got []int64
			set(tx, 2)
			first := number(tx, &got, next, tx.Tenant)
			second := number(tx, &got, next, tx.Tenant)
			set(tx, 3)
			if err := first.Wait(); err != nil {
				return err
			}
			third := number(tx, &got, next, tx.Tenant)
			set(tx, 4)
			if err := tx.Flush(); err != nil {
				return err
			}
			if err := db.WaitAll([]*db.PendingRead{second, third}); err != nil {
				return err
			}
			if fmt.Sprint(got) != "[2 2 3]" {
				t.Errorf("got %v", got)
			}
			number(tx, &got, next, tx.Tenant) // nobody waits for it
			set(tx, 5)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		err = store.Read(t.Context(), 1, func(tx *db.Tx) error {
			var n int64
			if err := tx.Row(next, []any{tx.Tenant}, &n); err != nil || n != 5 {
				t.Errorf("committed %d, %v", n, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// An error in the middle is returned by its own query, rolls the transaction back, and leaves the connection usable.
func TestPendingReadThatFails(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 1)
		refused := errors.New("refused")
		for range 3 {
			err := store.Write(t.Context(), 1, func(tx *db.Tx) error {
				var got []int64
				tx.Queue("UPDATE order_numbers SET next = 9 WHERE tenant_id = $1", tx.Tenant)
				first := number(tx, &got, next, tx.Tenant)
				bad := tx.Prefetch(func(db.Rows) error { return refused }, next, tx.Tenant)
				third := number(tx, &got, next, tx.Tenant)
				if err := db.WaitAll([]*db.PendingRead{first, third}); err != nil {
					t.Errorf("the neighbours of a refusal: %v", err)
				}
				return bad.Wait()
			})
			if !errors.Is(err, refused) {
				t.Fatalf("got %v", err)
			}
			for _, run := range []func(func(*db.Tx) error) error{
				func(work func(*db.Tx) error) error { return store.Read(t.Context(), 1, work) },
				func(work func(*db.Tx) error) error {
					return store.Read(t.Context(), 1, func(tx *db.Tx) error { tx.Last(); return work(tx) })
				},
				func(work func(*db.Tx) error) error { return store.Write(t.Context(), 1, work) },
			} {
				err = run(func(tx *db.Tx) error {
					var got []int64
					first := number(tx, &got, next, tx.Tenant)
					bad := number(tx, &got, "SELECT next / (next - next) FROM order_nombers WHERE tenant_id = $1", tx.Tenant)
					if err := first.Wait(); err != nil && bad.Wait() == nil {
						t.Errorf("a failure is returned by the wrong pending read: %v", err)
					}
					return bad.Wait()
				})
				if err == nil || errors.Is(err, db.ErrRetry) {
					t.Fatalf("a query without its table: %v", err)
				}
			}
		}
		err := store.Read(t.Context(), 1, func(tx *db.Tx) error {
			var got []int64
			err := number(tx, &got, next, tx.Tenant).Wait()
			if fmt.Sprint(got) != "[1]" {
				t.Errorf("after failed transactions: %v", got)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// A read that said what is its last may read on nevertheless, and other reads use the connection after it.
func TestLast(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 7)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 50 {
					err := store.Read(t.Context(), 7, func(tx *db.Tx) error {
						var got []int64
						if err := number(tx, &got, next, tx.Tenant).Wait(); err != nil {
							return err
						}
						tx.Last()
						a, b := number(tx, &got, next, tx.Tenant), number(tx, &got, next, tx.Tenant)
						if err := db.WaitAll([]*db.PendingRead{a, b}); err != nil {
							return err
						}
						err := number(tx, &got, next, tx.Tenant).Wait()
						if fmt.Sprint(got) != "[1 1 1 1]" {
							t.Errorf("got %v", got)
						}
						return err
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
	})
}

// A writer that began early and commits late is not behind a reader who pending between and keeps its own clock.
func TestReaderWithItsOwnClock(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 1)
		ctx := t.Context()
		since := func(at int64) (n int) {
			if _, err := store.Settle(ctx, 1); err != nil {
				t.Error(err)
			}
			err := store.Read(ctx, 1, func(tx *db.Tx) error {
				return tx.Row("SELECT count(*) FROM events WHERE tenant_id = $1 AND stamp >= $2", []any{tx.Tenant, at}, &n)
			})
			if err != nil {
				t.Error(err)
			}
			return n
		}
		total := 0
		for _, name := range []string{"Write", "WriteSerially"} {
			begun, wrote := make(chan struct{}), make(chan error)
			slow := func(tx *db.Tx) error {
				var n int64
				err := tx.Row(next, []any{tx.Tenant}, &n)
				close(begun)
				time.Sleep(300 * time.Millisecond)
				tx.Change("INSERT INTO events (tenant_id, id, stamp, event, resource_id, payload, created_at) VALUES ($1,$2,"+
					db.Clock+" + $3::BIGINT,$4,$5,$6,$7)",
					tx.Tenant, id.New[id.Event](), tx.Stamps(1), "e", "r", "{}", tx.Micros())
				return err
			}
			go func() {
				if name == "WriteSerially" {
					wrote <- store.WriteSerially(ctx, 1, 1, slow)
					return
				}
				wrote <- store.Write(ctx, 1, slow)
			}()
			<-begun
			time.Sleep(50 * time.Millisecond)
			pending := store.Now().UnixMicro()
			before := total
			total = since(0)
			first := total - before
			if err := <-wrote; err != nil {
				t.Fatal(err)
			}
			total = since(0)
			if first+since(pending) == 0 {
				t.Errorf("a reader who keeps its own clock missed a change of %s", name)
			}
		}
	})
}
