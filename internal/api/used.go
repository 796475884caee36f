package api

import (
	"context"
	"sync"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// lastUsed gathers when keys were used, so that a request writes nothing for it.
type lastUsed struct {
	mu   sync.Mutex
	keys map[usedKey]time.Time
}

type usedKey struct {
	tenant id.Tenant
	key    id.Key
}

func newLastUsed() *lastUsed { return &lastUsed{keys: map[usedKey]time.Time{}} }

func (u *lastUsed) note(tenant id.Tenant, key id.Key, at time.Time) {
	u.mu.Lock()
	u.keys[usedKey{tenant, key}] = at
	u.mu.Unlock()
}

// FlushLastUsed writes when keys were last used; the server calls it every few seconds and at the end.
func (a *API) FlushLastUsed(ctx context.Context) error {
	return a.flush(ctx, a.seen.take(func(usedKey) bool { return true }))
}

// settleLastUsed writes it for an account's keys before they are shown. They are shown also when that fails, as of a few seconds ago.
func (a *API) settleLastUsed(ctx context.Context, tenant id.Tenant) {
	if err := a.flush(ctx, a.seen.take(func(k usedKey) bool { return k.tenant == tenant })); err != nil {
		a.Log.Warn("when keys were last used could not be written", "error", err)
	}
}

// take removes what is to be written now.
func (u *lastUsed) take(mine func(usedKey) bool) map[usedKey]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := map[usedKey]time.Time{}
	for k, at := range u.keys {
		if mine(k) {
			taken[k] = at
			delete(u.keys, k)
		}
	}
	return taken
}

func (a *API) flush(ctx context.Context, keys map[usedKey]time.Time) error {
	for k, at := range keys {
		err := a.DB.Write(ctx, k.tenant, func(tx *db.Tx) error {
			accounts.Used(tx, k.key, at)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
