package accounts

import (
	"context"

	"entrepot/internal/db"
)

// Callers finds the callers of API keys. Requests that come at the same moment are looked up together. The zero value
// is ready for use.
type Callers struct{ together db.Gather[*lookUp] }

// lookUp is the look-up of one key.
type lookUp struct {
	hash   string
	caller Caller
	err    error
}

// ByKey is the function ByKey on a snapshot of its own.
func (c *Callers) ByKey(ctx context.Context, store *db.DB, key string) (Caller, error) {
	own := &lookUp{hash: Hash(key)}
	ctx = context.WithoutCancel(ctx) // others wait for it
	err := c.together.Do(db.Across, own, func(group []*lookUp) {
		hashes := make([]string, len(group))
		for i, l := range group {
			hashes[i] = l.hash
		}
		err := store.Peek(ctx, db.Across, func(tx *db.Tx) error {
			found, err := keysByHash(tx, hashes)
			for _, l := range group {
				l.caller, l.err = found[l.hash].caller(tx.Micros())
			}
			return err
		})
		for _, l := range group {
			if err != nil {
				l.caller, l.err = Caller{}, err
			}
		}
	})
	if err != nil {
		return Caller{}, err
	}
	return own.caller, own.err
}
