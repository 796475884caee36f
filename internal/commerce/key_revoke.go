package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/db"
	"entrepot/internal/id"
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
	audit.Record(tx, who.Actor(), "api_key.revoked", "api_key", string(key.ID), nil)
	return nil
}
