package idempotency_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/idempotency"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const space = "POST /api/v1/orders"

// find reads a key's answer; nil for none.
func find(t *testing.T, store *db.DB, tenant id.Tenant, key, space string) (found *idempotency.Answer) {
	t.Helper()
	err := store.Write(t.Context(), tenant, func(tx *db.Tx) (err error) {
		found, err = idempotency.Find(tx, key, space)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// save keeps an answer under a key.
func save(t *testing.T, store *db.DB, tenant id.Tenant, key, space, body string) {
	t.Helper()
	err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
		idempotency.Save(tx, key, space, idempotency.Answer{Fingerprint: "f", Status: 201, Body: body})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Of transactions that have all found a key free before any of them commits, one has its effect; the others run again and find its
// answer. The account is warm: its statements are prepared and its clock has moved.
func TestOneOfManyWithAKey(t *testing.T) {
	const racers = 2 // as many as SQLite plans at once on one processor
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		for range 3 {
			save(t, store, tenant, string(id.New[id.Order]()), space, "{}")
		}
		var looked, done sync.WaitGroup
		looked.Add(racers)
		answers := make([]string, racers)
		for i := range racers {
			done.Go(func() {
				own := strings.Repeat("x", i+1)
				err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
					found, err := idempotency.Find(tx, "one key", space)
					if err != nil {
						return err
					}
					if found != nil {
						answers[i] = found.Body
						return nil
					}
					tx.Change("UPDATE order_numbers SET next = next + 1 WHERE tenant_id = $1", tx.Tenant)
					idempotency.Save(tx, "one key", space, idempotency.Answer{Fingerprint: "f", Status: 201, Body: own})
					answers[i] = own
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		done.Wait()
		var next int64
		err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			return tx.Row("SELECT next FROM order_numbers WHERE tenant_id = $1", []any{tx.Tenant}, &next)
		})
		if err != nil || next != 2 {
			t.Errorf("%d of %d had their effect, %v", next-1, racers, err)
		}
		for i, got := range answers {
			if got != answers[0] || got == "" {
				t.Errorf("transaction %d answers %q, another one %q", i, got, answers[0])
			}
		}
	})
}

// An answer belongs to one account, method and path, and is replayed until its retention ends, not longer.
func TestAnswersAreFoundWhereTheyBelong(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	dbtest.EnginesAt(t, func() time.Time { return now }, func(t *testing.T, store *db.DB) {
		now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		tenant, other := dbtest.Account(t, store), dbtest.Account(t, store)
		save(t, store, tenant, "k", space, "first")
		if got := find(t, store, tenant, "k", space); got == nil || got.Body != "first" || got.Status != 201 || got.Fingerprint != "f" {
			t.Fatalf("%+v", got)
		}
		if find(t, store, other, "k", space) != nil || find(t, store, tenant, "k", "POST /api/v1/products") != nil ||
			find(t, store, tenant, "K", space) != nil {
			t.Error("found in another account, under another path or under another key")
		}
		now = now.Add(idempotency.Retention - time.Microsecond)
		if find(t, store, tenant, "k", space) == nil {
			t.Error("gone before its retention ended")
		}
		now = now.Add(time.Microsecond)
		if find(t, store, tenant, "k", space) != nil {
			t.Error("found when its retention has ended")
		}
		save(t, store, tenant, "k", space, "second")
		if got := find(t, store, tenant, "k", space); got == nil || got.Body != "second" {
			t.Errorf("%+v", got)
		}
	})
}

// A key that may name a person is stored as its hash only, and is found by its text all the same.
func TestKeysThatMayNameAPersonAreHashed(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		for key, plain := range map[string]bool{"order-17": true, "ada@example.com": false, "ada+1": false, "ada%40example.com": false,
			"Ada L": false, "Zoé": false} {
			save(t, store, tenant, key, space, key)
			if got := find(t, store, tenant, key, space); got == nil || got.Body != key {
				t.Errorf("%q: %+v", key, got)
			}
			var stored int64
			err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
				return tx.Row("SELECT count(*) FROM idempotency_keys WHERE tenant_id = $1 AND key = $2", []any{tx.Tenant, key}, &stored)
			})
			if err != nil || (stored == 1) != plain {
				t.Errorf("%q is stored %d times as it is, %v", key, stored, err)
			}
		}
	})
}
