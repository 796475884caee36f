package accounts

import "entrepot/internal/db"

// The statements of this file serve a store that has no account yet.

// NewSetupLink makes the token of a link with which the first account can be made; only its hash is stored.
func NewSetupLink(tx *db.Tx) (token string) {
	token = random(secretLength)
	tx.Queue("INSERT INTO setup_links (hash, created_at) VALUES ($1,$2)", Hash(token), tx.Micros())
	return token
}

// SetupLinkOpen tells whether a token may still make the first account.
func SetupLinkOpen(tx *db.Tx, token string) (bool, error) {
	var n int64
	err := tx.Row("SELECT count(*) FROM setup_links WHERE hash = $1", []any{Hash(token)}, &n)
	return n == 1, err
}

// CloseSetupLinks makes every link useless: the first account exists.
func CloseSetupLinks(tx *db.Tx) { tx.Queue("DELETE FROM setup_links") }

// StoreKey is the id of the master key that the store's secrets are sealed with, "" while it has none.
func StoreKey(tx *db.Tx) (id string, err error) {
	err = tx.Row("SELECT coalesce(max(id), '') FROM store_keys", nil, &id)
	return id, err
}

// ClaimStore notes the master key of a new store. Of two nodes that start on it at once, the second runs again and finds
// the first one's.
func ClaimStore(tx *db.Tx, id string) {
	tx.Queue("INSERT INTO store_keys (id, created_at) SELECT $1::TEXT, $2::BIGINT WHERE NOT EXISTS (SELECT 1 FROM store_keys)", id, tx.Micros()).Rows(1, nil)
}
