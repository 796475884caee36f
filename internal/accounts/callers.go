package accounts

import (
	"context"
	"crypto/sha256"
	"sync"

	"entrepot/internal/db"
)

// Callers finds the callers of API keys, and remembers them until a key, a user or an account changes. The zero value knows none.
type Callers struct {
	mu    sync.Mutex
	at    db.Version // of their tables before all of them were found
	known map[[sha256.Size]byte]Caller
}

// mostKnown bounds how many callers are remembered.
const mostKnown = 1000

// ByKey is ByKey on a snapshot of its own, or a caller whose row cannot have changed since it was read.
func (c *Callers) ByKey(ctx context.Context, store *db.DB, key string) (who Caller, err error) {
	hash := sha256.Sum256([]byte(key))
	at, certain := store.Version("api_keys", "users", "tenants")
	if certain {
		if who, found := c.find(at, hash); found && !over(who.keyExpires, store.Now().UnixMicro()) {
			return who, nil
		}
	}
	err = store.Lookup(ctx, db.Across, func(tx *db.Tx) (err error) {
		who, err = ByKey(tx, key)
		return err
	})
	if err == nil && certain {
		c.keep(at, hash, who)
	}
	return who, err
}

func (c *Callers) find(at db.Version, hash [sha256.Size]byte) (who Caller, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at != at {
		return who, false
	}
	who, found = c.known[hash]
	return who, found
}

// keep remembers a caller that was found after its tables had this version. What was found at another one is forgotten.
func (c *Callers) keep(at db.Version, hash [sha256.Size]byte, who Caller) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at != at || c.known == nil || len(c.known) >= mostKnown {
		c.at, c.known = at, map[[sha256.Size]byte]Caller{}
	}
	c.known[hash] = who
}
