package commerce

import (
	"strings"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// KeyDraft is a new API key.
type KeyDraft struct {
	Name      string
	Scopes    []string
	ExpiresAt time.Time  // zero: never
	Channel   id.Channel // its custom channel, "" for an ordinary key
}

// CreateKey creates an API key (interface §5.1). The second result is the key itself, which is shown once: only its
// hash is stored. Errors: Forbidden for scopes that the caller lacks; Unauthorized when the caller lost its own
// rights meanwhile; Conflict when the account has limits.MaxKeys.
func (s *Service) CreateKey(tx *db.Tx, who accounts.Caller, draft KeyDraft) (accounts.Key, string, error) {
	if err := who.NeedsAll(draft.Scopes); err != nil {
		return accounts.Key{}, "", err
	}
	if err := who.Hold(tx); err != nil {
		return accounts.Key{}, "", err
	}
	if err := accounts.RoomForKey(tx); err != nil {
		return accounts.Key{}, "", err
	}
	account, err := accounts.Own(tx)
	if err != nil {
		return accounts.Key{}, "", err
	}
	key := accounts.Key{ID: id.New[id.Key](), Name: draft.Name, Scopes: draft.Scopes, Channel: draft.Channel, CreatedBy: who.Maker()}
	if !draft.ExpiresAt.IsZero() {
		key.ExpiresAt = draft.ExpiresAt.UnixMicro()
	}
	secret := accounts.NewSecret(account.Sandbox)
	key.Insert(tx, secret)
	audit.Record(tx, who.Actor(), "api_key.created", "api_key", string(key.ID), map[string]string{"scopes": strings.Join(key.Scopes, " ")})
	return key, secret, nil
}
