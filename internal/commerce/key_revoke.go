package commerce

import (
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// RevokeKey revokes an API key at once, on every node. Errors: NotFound.
func (s *Service) RevokeKey(tx *db.Tx, who accounts.Caller, which id.Key) error {
	key, err := accounts.KeyByID(tx, which)
	if err != nil {
		return err
	}
	key.Revoke(tx)
	webhooks.RightsChanged(tx, key.ID, "")
	audit.Record(tx, who.Actor(), "api_key.revoked", "api_key", string(key.ID),
		map[string]string{"scopes": strings.Join(key.Scopes, " ")})
	return nil
}
