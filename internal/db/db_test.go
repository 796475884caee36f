package db_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// engines runs a test on a fresh, migrated store of each engine.
func engines(t *testing.T, test func(t *testing.T, store *db.DB)) {
	open := func(t *testing.T, c db.Config) *db.DB {
		store, err := db.Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		if _, err := store.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		return store
	}
	t.Run("sqlite", func(t *testing.T) { test(t, open(t, db.Config{Dir: t.TempDir(), Unsafe: true})) })
	t.Run("postgres", func(t *testing.T) { test(t, open(t, db.Config{URL: dbtest.URL(t), MinWait: dbtest.Timeout})) })
}

func clock(t *testing.T, store *db.DB, tenant id.Tenant) {
	t.Helper()
	err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
		tx.Queue("INSERT INTO change_clocks (tenant_id, base, last) VALUES ($1, 0, 0)", tenant)
		tx.Queue("INSERT INTO order_numbers (tenant_id, next) VALUES ($1, 1)", tenant)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestMigrateTwiceDoesNothing(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		if n, err := store.Migrate(t.Context()); n != 0 || err != nil {
			t.Fatalf("second run took %d steps, %v", n, err)
		}
		if ok, err := store.Current(t.Context()); !ok || err != nil {
			t.Fatalf("Current = %v, %v", ok, err)
		}
	})
}

// A buffer holds each row's text or bytes in the memory of the one before, and nothing for NULL.
func TestBufferIsUsedAgain(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		err := store.Read(t.Context(), 7, func(tx *db.Tx) error {
			var text, raw db.Buffer
			var got []string
			var places []*byte
			err := tx.Each(func(r db.Rows) error {
				err := r.Scan(&text, &raw)
				got = append(got, string(text)+"|"+string(raw))
				places = append(places, &append(text, 0)[0])
				return err
			}, "SELECT a, b FROM (SELECT 1 AS n, 'a longer text' AS a, CAST('bytes' AS "+bytesType(store)+") AS b "+
				"UNION ALL SELECT 2, 'short', NULL UNION ALL SELECT 3, NULL, CAST('é' AS "+bytesType(store)+")) AS rows_of_three ORDER BY n")
			if want := []string{"a longer text|bytes", "short|", "|é"}; !slices.Equal(got, want) {
				t.Errorf("%q, not %q", got, want)
			}
			if len(places) == 3 && places[1] != places[2] {
				t.Error("a row has memory of its own")
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func bytesType(store *db.DB) string {
	if store.Engine() == "postgres" {
		return "bytea"
	}
	return "BLOB"
}

func TestValuesTravelUnchanged(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 7)
		channel, none := id.New[id.Channel](), id.Channel("")
		err := store.Write(t.Context(), 7, func(tx *db.Tx) error {
			tx.Queue("INSERT INTO publications (tenant_id, product_id, channel_id, status, external_id, published_at, error) VALUES "+
				"($1,$2,$3,$4,$5,$6,$7)",
				tx.Tenant, id.New[id.Product](), channel, "published", nil, int64(5), db.Null(""))
			var got id.Channel
			var at int64
			var external string
			if err := tx.Row("SELECT channel_id, published_at, external_id FROM publications WHERE tenant_id = $1 AND channel_id = $2::UUID",
				[]any{tx.Tenant, channel}, &got, &at, db.Opt(&external)); err != nil {
				return err
			}
			if got != channel || at != 5 || external != "" {
				t.Errorf("read %q %d %q", got, at, external)
			}
			return tx.Row("SELECT merged_into FROM customers WHERE tenant_id = $1", []any{tx.Tenant}, db.Opt(&none))
		})
		if !errors.Is(err, db.ErrNoRow) {
			t.Fatal(err)
		}
	})
}

// A failed transaction leaves nothing, and its neighbours in the same commit stay whole.
func TestFailedTransactionLeavesNothing(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 1)
		bad := errors.New("bad")
		var wg sync.WaitGroup
		for i := range 60 {
			wg.Go(func() {
				err := store.Write(t.Context(), 1, func(tx *db.Tx) error {
					tx.Queue("INSERT INTO notifications (tenant_id, channel_id, key, expires_at) VALUES ($1,$2,$3,$4)", tx.Tenant, id.New[id.Channel](),
						fmt.Sprint(i), i)
					if i%3 == 0 {
						return bad
					}
					if i%3 == 1 {
						if err := tx.Flush(); err != nil {
							return err
						}
					}
					return nil
				})
				if (i%3 == 0) != errors.Is(err, bad) {
					t.Errorf("transaction %d: %v", i, err)
				}
			})
		}
		wg.Wait()
		var n int
		store.Read(t.Context(), 1, func(tx *db.Tx) error {
			return tx.Row("SELECT count(*) FROM notifications WHERE tenant_id = $1", []any{tx.Tenant}, &n)
		})
		if n != 40 {
			t.Fatalf("%d rows, want 40", n)
		}
	})
}

func TestQueuedWriteThatMisses(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		gone := errors.New("gone")
		err := store.Write(t.Context(), 1, func(tx *db.Tx) error {
			tx.Queue("INSERT INTO order_numbers (tenant_id, next) VALUES ($1, 1)", tx.Tenant)
			tx.Queue("UPDATE order_numbers SET next = 2 WHERE tenant_id = $1 AND next = 5", tx.Tenant).Rows(1, gone)
			return nil
		})
		if !errors.Is(err, gone) {
			t.Fatalf("got %v", err)
		}
		err = store.Read(t.Context(), 1, func(tx *db.Tx) error {
			var n int
			return tx.Row("SELECT next FROM order_numbers WHERE tenant_id = $1", []any{tx.Tenant}, &n)
		})
		if !errors.Is(err, db.ErrNoRow) {
			t.Fatalf("the insert of the failed transaction is there: %v", err)
		}
	})
}

// Writers race on one tenant; a reader that follows the stamps misses nothing and meets every stamp once.
func TestStampsGrowInCommitOrder(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 1)
		const writers, each = 8, 40
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				for i := range each {
					err := store.Write(context.Background(), 1, func(tx *db.Tx) error {
						at := tx.Stamps(2)
						for k := range 2 {
							tx.Change("INSERT INTO events (tenant_id, id, stamp, event, resource_id, payload, created_at) VALUES ($1,$2,"+db.Clock+
								" + $3::BIGINT,$4,$5,$6,$7)",
								tx.Tenant, id.New[id.Event](), at+int64(k)*db.StampStep, "e", fmt.Sprintf("%d-%d-%d", w, i, k), "{}", tx.Micros())
						}
						return nil
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		seen, since, deadline := map[string]bool{}, int64(0), time.Now().Add(dbtest.Timeout)
		for len(seen) < writers*each*2 {
			if time.Now().After(deadline) {
				t.Fatalf("the reader met %d of %d stamps", len(seen), writers*each*2)
			}
			err := store.Read(context.Background(), 1, func(tx *db.Tx) error {
				return tx.Each(func(r db.Rows) error {
					var stamp int64
					var who string
					if err := r.Scan(&stamp, &who); err != nil {
						return err
					}
					if seen[who] || stamp < since {
						t.Errorf("%s at %d again or too early (since %d)", who, stamp, since)
					}
					seen[who], since = true, stamp+1
					return nil
				}, "SELECT stamp, resource_id FROM events WHERE tenant_id = $1 AND stamp >= $2 ORDER BY stamp LIMIT 7", tx.Tenant, since)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		wg.Wait()
	})
}
