package api

import (
	"context"
	"maps"
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

// show puts a use that is not written yet on a key that was read.
func (u *lastUsed) show(tenant id.Tenant, key *accounts.Key) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if at, used := u.keys[usedKey{tenant, key.ID}]; used {
		key.LastUsedAt = max(key.LastUsedAt, at.UnixMicro())
	}
}

// FlushLastUsed writes when keys were last used; the server calls it every few seconds and at the end.
func (a *API) FlushLastUsed(ctx context.Context) error {
	a.seen.mu.Lock()
	keys := maps.Clone(a.seen.keys)
	a.seen.mu.Unlock()
	for k, at := range keys {
		err := a.DB.Write(ctx, k.tenant, func(tx *db.Tx) error {
			accounts.Used(tx, k.key, at)
			return nil
		})
		if err != nil {
			return err
		}
		a.seen.written(k, at)
	}
	return nil
}

// written forgets a use, unless the key was used again.
func (u *lastUsed) written(k usedKey, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.keys[k].Equal(at) {
		delete(u.keys, k)
	}
}
