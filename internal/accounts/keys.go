package accounts

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/limits"
)

// Key is an API key as it is stored, without its text. Times are microseconds since 1970 UTC, 0 for none.
type Key struct {
	ID         id.Key
	Name       string
	Prefix     string // the beginning of its text, by which people recognise it
	Scopes     []string
	Channel    id.Channel // its custom channel
	CreatedBy  id.User    // the user who made it, or who made the key that did; "" for none
	CreatedAt  int64
	ExpiresAt  int64
	LastUsedAt int64

	hash      string // of its text; never read
	revokedAt int64
}

// secretLength is how many random letters and digits follow a key's prefix: 238 bits.
const secretLength = 40

// NewSecret generates the text of a key: pk_live_…, or pk_test_… for a sandbox account (interface §5.1).
func NewSecret(sandbox bool) string {
	if sandbox {
		return "pk_test_" + randomSecret()
	}
	return "pk_live_" + randomSecret()
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// randomSecret returns secretLength letters and digits, each equally likely.
func randomSecret() string {
	text, bytes := make([]byte, 0, secretLength), make([]byte, 2*secretLength)
	for len(text) < secretLength {
		rand.Read(bytes)
		for _, b := range bytes {
			if int(b) < 4*len(alphabet) && len(text) < secretLength {
				text = append(text, alphabet[int(b)%len(alphabet)])
			}
		}
	}
	return string(text)
}

// BadScopes is the error of a key's scopes, "" for none.
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

// Insert stores a key; secret is its text, of which only a hash is stored.
func (k *Key) Insert(tx db.Writer, secret string) {
	k.CreatedAt, k.Prefix = tx.Micros(), secret[:len("pk_live_")+4]
	k.Scopes = slices.Compact(slices.Sorted(slices.Values(k.Scopes))) // a new list: the given one may be AllScopes
	k.hash = Hash(secret)
	keyTable.Insert(tx, *k)
}

const notRevoked = "revoked_at IS NULL"

// Keys lists a page of the keys that are not revoked, oldest first, and how many there are.
func Keys(tx *db.Tx, limit, offset int) ([]Key, int64, error) {
	return keyTable.Page(tx, db.NewWhere(tx, "").And(notRevoked), "created_at, id", limit, offset)
}

// RoomForKey refuses one more key when the account has limits.MaxKeys. Keys are created one after the other from
// there on. Errors: Conflict.
func RoomForKey(tx *db.Tx) error {
	if err := tx.LockName("API keys"); err != nil {
		return err
	}
	var n int64
	err := tx.Row("SELECT count(*) FROM api_keys WHERE tenant_id = $1 AND "+notRevoked, []any{tx.Tenant}, &n)
	if err == nil && n >= limits.MaxKeys {
		err = apperr.New(apperr.Conflict, "too_many_keys", "an account has at most %d API keys: revoke one that is not needed any more",
			limits.MaxKeys)
	}
	return err
}

// KeyNames calls found for each of some keys, revoked ones too, for the histories that name them. Unknown ids are
// left out; each must be a UUID.
func KeyNames(tx *db.Tx, ids []string, found func(key id.Key, name string, revoked bool)) error {
	args := append([]any{tx.Tenant}, db.Padded(ids)...)
	return tx.Each(func(r db.Rows) error {
		var key id.Key
		var name string
		var revoked bool
		err := r.Scan(&key, &name, &revoked)
		found(key, name, revoked)
		return err
	}, "SELECT id, name, revoked_at IS NOT NULL FROM api_keys WHERE tenant_id = $1 AND id IN "+db.In(len(args)-1, 2), args...)
}

// KeyByID reads a key that is not revoked. Errors: NotFound.
func KeyByID(tx *db.Tx, key id.Key) (Key, error) {
	return keyTable.One(tx, db.NoLock, "id = $2::UUID AND "+notRevoked, key)
}

// revoke queues that keys are invalid from this commit on; their rows stay for the histories that name them.
func revoke[T ~string](tx db.Writer, column string, which T) *db.Step {
	return tx.Queue("UPDATE api_keys SET revoked_at = $3 WHERE tenant_id = $1 AND "+column+" = $2::UUID AND "+notRevoked,
		tx.TenantID(), which, tx.Micros())
}

// Revoke revokes a key. Errors: NotFound if it was revoked already.
func (k *Key) Revoke(tx db.Writer) { revoke(tx, "id", k.ID).Rows(1, keyTable.Missing()) }

// RevokeOfChannel revokes the keys of a custom channel (interface §1, §5.1).
func RevokeOfChannel(tx db.Writer, channel id.Channel) { revoke(tx, "channel_id", channel) }

// RevokeOfUser revokes the keys that a user made, and those made with them (interface §5.1).
func RevokeOfUser(tx db.Writer, user id.User) { revoke(tx, "created_by", user) }

// Used records when a key was last used.
func Used(tx db.Writer, key id.Key, at time.Time) {
	tx.Queue("UPDATE api_keys SET last_used_at = $3 WHERE tenant_id = $1 AND id = $2", tx.TenantID(), key, at.UnixMicro())
}
