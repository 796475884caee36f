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
	a.seen.mu.Lock()
	keys := a.seen.keys
	a.seen.keys = map[usedKey]time.Time{}
	a.seen.mu.Unlock()
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

// settleLastUsed writes them before keys are shown. Keys are shown also when that fails, as of a few seconds ago.
func (a *API) settleLastUsed(ctx context.Context) {
	if err := a.FlushLastUsed(ctx); err != nil {
		a.Log.Warn("when keys were last used could not be written", "error", err)
	}
}
