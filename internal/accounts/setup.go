package accounts

import (
	"errors"
	"time"

	"entrepot/internal/db"
)

// The statements of this file serve a store that has no account yet.

// NewSetupLink generates the token of a link by which the first account can be created; only its hash is stored.
func NewSetupLink(tx db.Writer) (token string) {
	token = randomSecret()
	tx.Queue("INSERT INTO setup_links (hash, created_at) VALUES ($1,$2)", Hash(token), tx.Micros())
	return token
}

// SetupLinkOpen reports whether a token can still create the first account.
func SetupLinkOpen(tx *db.Tx, token string) (bool, error) {
	var n int64
	err := tx.Row("SELECT count(*) FROM setup_links WHERE hash = $1", []any{Hash(token)}, &n)
	return n == 1, err
}

// CloseSetupLinks deletes all links: the first account exists.
func CloseSetupLinks(tx db.Writer) { tx.Queue("DELETE FROM setup_links") }

// StoreKey is the id of the master key of the store's secrets, "" if it has none.
func StoreKey(tx *db.Tx) (id string, err error) {
	err = tx.Row("SELECT coalesce(max(id), '') FROM store_keys WHERE retired_at IS NULL", nil, &id)
	return id, err
}

// HoldStoreKey is StoreKey, locked until the commit.
func HoldStoreKey(tx *db.Tx) (id string, err error) {
	err = tx.Row("SELECT id FROM store_keys WHERE retired_at IS NULL"+string(db.ForShare), nil, &id)
	if errors.Is(err, db.ErrNoRow) {
		err = nil
	}
	return id, err
}

// RetiredKey is the id of a master key that was replaced while secrets encrypted with it may remain, "" for none.
func RetiredKey(tx *db.Tx) (id string, err error) {
	err = tx.Row("SELECT coalesce(max(id), '') FROM store_keys WHERE retired_at IS NOT NULL", nil, &id)
	return id, err
}

// ReplaceStoreKey makes another master key the store's, for everything encrypted from this commit on.
func ReplaceStoreKey(tx db.Writer, old, key string) {
	tx.Queue("UPDATE store_keys SET retired_at = $2 WHERE id = $1 AND retired_at IS NULL", old, tx.Micros()).Rows(1, nil)
	tx.Queue("INSERT INTO store_keys (id, created_at) VALUES ($1, $2)", key, tx.Micros())
}

// ForgetRetiredKeys records that no secret is encrypted with a replaced master key any more.
func ForgetRetiredKeys(tx db.Writer) { tx.Queue("DELETE FROM store_keys WHERE retired_at IS NOT NULL") }

// ClaimStore records the master key of a new store. Of two nodes that start on it at once, the second runs again and
// finds the first one's.
func ClaimStore(tx db.Writer, id string) {
	tx.Queue("INSERT INTO store_keys (id, created_at) SELECT $1::TEXT, $2::BIGINT WHERE NOT EXISTS (SELECT 1 FROM store_keys)",
		id, tx.Micros()).Rows(1, nil)
}

// KeyExported records that a master key of the store was written out for a copy elsewhere.
func KeyExported(tx db.Writer, id string) {
	tx.Queue("UPDATE store_keys SET exported_at = $2 WHERE id = $1", id, tx.Micros())
}

// KeyExportedAt is the store's master key, "" if it has none, and when it was exported last; zero: never.
func KeyExportedAt(tx *db.Tx) (id string, at time.Time, err error) {
	var micros int64
	err = tx.Row("SELECT id, coalesce(exported_at, 0) FROM store_keys WHERE retired_at IS NULL", nil, &id, &micros)
	switch {
	case errors.Is(err, db.ErrNoRow):
		err = nil
	case micros > 0:
		at = time.UnixMicro(micros).UTC()
	}
	return id, at, err
}
