package accounts_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// Requests that come while a look-up is under way are looked up together, and each gets its own caller.
func TestCallersAreLookedUpTogether(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		var callers accounts.Callers
		secrets, keys := make([]string, 12), make([]accounts.Key, 12)
		commit(t, store, tenant, func(tx *db.Tx) {
			for i := range secrets {
				secrets[i] = accounts.NewSecret(false)
				keys[i] = accounts.Key{ID: id.New[id.Key](), Name: "k", Scopes: []string{"read:orders"}}
				if i == 5 {
					keys[i].ExpiresAt = 1
				}
				keys[i].Insert(tx, secrets[i])
			}
		})
		var all sync.WaitGroup
		for i, secret := range secrets {
			all.Go(func() {
				for range 20 {
					who, err := callers.ByKey(t.Context(), store, secret)
					switch {
					case i == 5:
						refused(t, "expired", err, apperr.Unauthorized)
					case err != nil || who.Key != keys[i].ID || who.Tenant != tenant:
						t.Errorf("%+v, %v", who, err)
					}
				}
			})
		}
		all.Wait()
		_, err := callers.ByKey(t.Context(), store, accounts.NewSecret(false))
		refused(t, "unknown", err, apperr.Unauthorized)
	})
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
