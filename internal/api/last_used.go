package api

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// lastUsed collects in memory when keys were used, so that a request writes nothing for that.
type lastUsed struct {
	mu      sync.Mutex
	keys    map[usedKey]time.Time
	signIns map[usedSignIn]time.Time
}

type usedSignIn struct {
	tenant id.Tenant
	signIn id.SignIn
}

type usedKey struct {
	tenant id.Tenant
	key    id.Key
}

func newLastUsed() *lastUsed {
	return &lastUsed{keys: map[usedKey]time.Time{}, signIns: map[usedSignIn]time.Time{}}
}

func (u *lastUsed) note(tenant id.Tenant, key id.Key, at time.Time) {
	u.mu.Lock()
	u.keys[usedKey{tenant, key}] = at
	u.mu.Unlock()
}

// noteSignIn records that a login is in use, unless that was written a moment ago.
func (u *lastUsed) noteSignIn(who accounts.Caller, at time.Time) {
	if who.Stale(at) {
		u.mu.Lock()
		u.signIns[usedSignIn{who.Tenant, who.SignIn}] = at
		u.mu.Unlock()
	}
}

// show adds a use that is not written yet to a key that was read.
func (u *lastUsed) show(tenant id.Tenant, key *accounts.Key) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if at, used := u.keys[usedKey{tenant, key.ID}]; used {
		key.LastUsedAt = max(key.LastUsedAt, at.UnixMicro())
	}
}

// Flush writes when keys were last used and which requests were refused; the server calls it every few seconds and at
// the end.
func (a *API) Flush(ctx context.Context) error {
	return errors.Join(a.flushLastUsed(ctx), a.flushRefused(ctx))
}

func (a *API) flushLastUsed(ctx context.Context) error {
	a.seen.mu.Lock()
	keys, signIns := maps.Clone(a.seen.keys), a.seen.signIns
	a.seen.signIns = map[usedSignIn]time.Time{}
	a.seen.mu.Unlock()
	for s, at := range signIns {
		if err := a.DB.Write(ctx, s.tenant, func(tx *db.Tx) error {
			accounts.UsedSignIn(tx, s.signIn, at)
			return nil
		}); err != nil {
			return err
		}
	}
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

// written removes a use that was written, unless the key was used again.
func (u *lastUsed) written(k usedKey, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.keys[k].Equal(at) {
		delete(u.keys, k)
	}
}
