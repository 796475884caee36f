package accounts_test

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/dbtest"
	"entrepot/internal/id"
)

// While no key or account changes, SQLite is asked for a key once, and a remembered key still expires; PostgreSQL is asked each time.
func TestCallersAreRememberedUntilOneChanges(t *testing.T) {
	now := time.Now()
	asked := 0
	trace := func(sql string, _ []any) {
		if strings.Contains(sql, "FROM api_keys") {
			asked++
		}
	}
	clock := func() time.Time { return now }
	for engine, config := range map[string]func(*testing.T) db.Config{
		"sqlite":   func(t *testing.T) db.Config { return db.Config{Dir: dbtest.StoreDir(t), Unsafe: true} },
		"postgres": func(t *testing.T) db.Config { return db.Config{URL: dbtest.StoreURL(t)} },
	} {
		t.Run(engine, func(t *testing.T) {
			c := config(t)
			c.Now, c.Trace = clock, trace
			store := dbtest.Open(t, c)
			tenant, secret := dbtest.Account(t, store), accounts.NewSecret(false)
			key := accounts.Key{ID: id.New[id.Key](), Name: "k", Scopes: []string{"read:orders"}, ExpiresAt: now.Add(time.Hour).UnixMicro()}
			var callers accounts.Callers
			ask := func(times int) (err error) {
				t.Helper()
				before := asked
				for range 5 {
					var who accounts.Caller
					if who, err = callers.ByKey(t.Context(), store, secret); err == nil &&
						(who.Key != key.ID || who.Tenant != tenant || !slices.Equal(who.Scopes, key.Scopes)) {
						t.Errorf("%+v", who)
					}
				}
				if engine == "postgres" {
					times = 5
				}
				if asked-before != times {
					t.Errorf("asked %d times, not %d", asked-before, times)
				}
				return err
			}
			refused(t, "before there was one", ask(5), apperr.Unauthorized)
			commit(t, store, tenant, func(tx *db.Tx) { key.Insert(tx, secret) })
			if err := ask(1); err != nil {
				t.Error(err)
			}
			commit(t, store, tenant, func(tx *db.Tx) { tx.Queue("DELETE FROM segments WHERE tenant_id = $1", tx.Tenant) })
			if err := ask(0); err != nil {
				t.Error(err)
			}
			commit(t, store, tenant, func(tx *db.Tx) { accounts.Used(tx, key.ID, now) })
			if err := ask(1); err != nil {
				t.Error(err)
			}
			now = now.Add(time.Hour)
			refused(t, "expired", ask(5), apperr.Unauthorized)
		})
	}
}

// A key whose revocation was committed opens nothing, whoever else asks for it meanwhile.
func TestARevokedKeyIsForgottenAtOnce(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		var callers accounts.Callers
		for range 50 {
			key, secret := accounts.Key{ID: id.New[id.Key](), Name: "k", Scopes: []string{"read:orders"}}, accounts.NewSecret(false)
			commit(t, store, tenant, func(tx *db.Tx) { key.Insert(tx, secret) })
			var revoked, stale atomic.Bool
			var others sync.WaitGroup
			for range 4 {
				others.Go(func() {
					for ended := false; !ended; {
						ended = revoked.Load()
						if _, err := callers.ByKey(t.Context(), store, secret); ended && err == nil {
							stale.Store(true)
						}
					}
				})
			}
			commit(t, store, tenant, func(tx *db.Tx) { key.Revoke(tx) })
			revoked.Store(true)
			others.Wait()
			if stale.Load() {
				t.Fatal("a revoked key opens the account")
			}
		}
	})
}
