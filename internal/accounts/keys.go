package accounts

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Key is an API key as it is kept: the key itself is not. Times are microseconds since 1970 UTC, 0 for none.
type Key struct {
	ID         id.Key
	Name       string
	Prefix     string // what people recognise it by
	Scopes     []string
	Channel    id.Channel // the custom channel it was made with
	CreatedBy  id.User    // the user behind it: who made it, or who made the key that did; "" for none
	CreatedAt  int64
	ExpiresAt  int64
	LastUsedAt int64
}

// secretLength is how many random letters and digits follow a key's prefix: 238 bits.
const secretLength = 40

// NewSecret makes the text of a key: pk_live_…, or pk_test_… for a sandbox account (interface §5.1).
func NewSecret(sandbox bool) string {
	if sandbox {
		return "pk_test_" + random(secretLength)
	}
	return "pk_live_" + random(secretLength)
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// random gives n letters and digits, each equally likely.
func random(n int) string {
	text, bytes := make([]byte, 0, n), make([]byte, 2*n)
	for len(text) < n {
		rand.Read(bytes)
		for _, b := range bytes {
			if int(b) < 4*len(alphabet) && len(text) < n {
				text = append(text, alphabet[int(b)%len(alphabet)])
			}
		}
	}
	return string(text)
}

// BadScopes says what is wrong with a key's scopes, "" for nothing.
func BadScopes(scopes []string) string {
	if len(scopes) == 0 {
		return "must name at least one of " + strings.Join(AllScopes, ", ")
	}
	for _, scope := range scopes {
		if !slices.Contains(AllScopes, scope) {
			return fmt.Sprintf("%s is no scope, it must be one of %s", scope, strings.Join(AllScopes, ", "))
		}
	}
	return ""
}

// Insert keeps a key; secret is its text, of which only a hash is stored.
func (k *Key) Insert(tx *db.Tx, secret string) {
	k.CreatedAt, k.Prefix = tx.Micros(), secret[:len("pk_live_")+4]
	slices.Sort(k.Scopes)
	k.Scopes = slices.Compact(k.Scopes)
	tx.Queue(`INSERT INTO api_keys (tenant_id, id, name, hash, prefix, scopes, channel_id, created_at, expires_at, created_by)
		VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10)`, tx.Tenant, k.ID, k.Name, Hash(secret), k.Prefix, strings.Join(k.Scopes, " "),
		db.Null(k.Channel), k.CreatedAt, db.Null(k.ExpiresAt), db.Null(k.CreatedBy))
}

const keyColumns = "id, name, prefix, scopes, channel_id, created_at, expires_at, last_used_at, created_by"

func scanKey(r db.Rows) (k Key, err error) {
	var scopes string
	err = r.Scan(&k.ID, &k.Name, &k.Prefix, &scopes, db.Opt(&k.Channel), &k.CreatedAt, db.Opt(&k.ExpiresAt), db.Opt(&k.LastUsedAt), db.Opt(&k.CreatedBy))
	k.Scopes = strings.Fields(scopes)
	return k, err
}

// Keys lists a page of the keys that are not revoked, oldest first, and how many there are.
func Keys(tx *db.Tx, limit, offset int) (list []Key, total int64, err error) {
	if err := tx.Row("SELECT count(*) FROM api_keys WHERE tenant_id = $1 AND revoked_at IS NULL", []any{tx.Tenant}, &total); err != nil {
		return nil, 0, err
	}
	list, err = db.List(tx, scanKey, "SELECT "+keyColumns+` FROM api_keys WHERE tenant_id = $1 AND revoked_at IS NULL
		ORDER BY created_at, id LIMIT $2 OFFSET $3`, tx.Tenant, limit, offset)
	return list, total, err
}

// KeyByID reads a key that is not revoked. Errors: NotFound.
func KeyByID(tx *db.Tx, key id.Key) (Key, error) {
	return oneOf(tx, "API key", scanKey, "SELECT "+keyColumns+" FROM api_keys WHERE tenant_id = $1 AND id = $2 AND revoked_at IS NULL", tx.Tenant, key)
}

// Revoke makes a key useless from this commit on; its row stays for the histories that name it.
func (k *Key) Revoke(tx *db.Tx) {
	tx.Queue("UPDATE api_keys SET revoked_at = $3 WHERE tenant_id = $1 AND id = $2 AND revoked_at IS NULL", tx.Tenant, k.ID, tx.Micros()).
		Rows(1, apperr.Missing("API key"))
}

// RevokeChannel revokes the keys that were made with a custom channel (interface §1).
func RevokeChannel(tx *db.Tx, channel id.Channel) {
	tx.Queue("UPDATE api_keys SET revoked_at = $3 WHERE tenant_id = $1 AND channel_id = $2 AND revoked_at IS NULL", tx.Tenant, channel, tx.Micros())
}

// Used notes when a key was last used.
func Used(tx *db.Tx, key id.Key, at time.Time) {
	tx.Queue("UPDATE api_keys SET last_used_at = $3 WHERE tenant_id = $1 AND id = $2", tx.Tenant, key, at.UnixMicro())
}
