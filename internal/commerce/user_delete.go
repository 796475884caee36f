package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// DeleteUser deletes a user with every login, and revokes the keys that the user made. Errors: NotFound; those of
// Expected; Forbidden for an owner, unless an owner does it; Conflict for the last active owner.
func (s *Service) DeleteUser(tx *db.Tx, who accounts.Caller, which id.User, expected Expected) error {
	user, err := holdUser(tx, which, expected)
	if err != nil {
		return err
	}
	if err := who.ChangesUser(user, user.Role); err != nil {
		return err
	}
	if owns(user) {
		if err := accounts.MustKeepOwner(tx, user.ID); err != nil {
			return err
		}
	}
	accounts.RevokeOfUser(tx, user.ID)
	webhooks.RightsChanged(tx, "", user.ID)
	accounts.ForgetViews(tx, user.ID)
	user.Delete(tx)
	audit.Record(tx, who.Actor(), "user.deleted", "user", string(user.ID), map[string]string{"role": string(user.Role)})
	return nil
}
