package server

import (
	"context"
	"errors"
	"fmt"

	"entrepot/internal/base/secretbox"
	"entrepot/internal/commerce"
)

// Rotated is the result of replacing a store's master key.
type Rotated struct {
	Encrypted int    // secrets that were encrypted again
	Key       string // id of the new key
	Kept      string // file of the former key, "" when the key is not in a file
}

// RotateKey replaces the master key of a store that no process serves: with key, or, if the key is in the data
// folder's file, with a new one that replaces the file. It may be interrupted at any moment and called again. On
// PostgreSQL nothing shows whether a node still serves the store; such a node can write no secret any more, and cannot
// read those that were encrypted again.
func RotateKey(ctx context.Context, c StoreConfig, key secretbox.Key) (done Rotated, err error) {
	release, err := lockStore(c, "entrepot key-rotate")
	defer release()
	if err != nil {
		return done, err
	}
	old, missing, err := masterKey(c)
	if err = errors.Join(err, missing); err != nil {
		return done, fmt.Errorf("the master key to be replaced: %w", err)
	}
	c.MustExist = true
	store, err := openDB(ctx, c)
	if err != nil {
		return done, err
	}
	defer store.Close()
	if _, err := store.Migrate(ctx); err != nil {
		return done, err
	}
	if c.MasterKey == "" {
		if key, err = secretbox.MakeNext(c.Dir); err != nil {
			return done, fmt.Errorf("the new master key: %w", err)
		}
	}
	done.Key = key.ID()
	if done.Encrypted, err = commerce.RotateStoreKey(ctx, store, old, key); err != nil {
		return done, err
	}
	if c.MasterKey == "" {
		done.Kept, err = secretbox.UseNext(c.Dir, old)
	}
	return done, err
}
