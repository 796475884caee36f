package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/db"
)

// LogIn gives a user whose password was checked an access token of twelve hours (interface §5.1). Faults: Unauthorized
// when the user was disabled, or given another password, since the check.
func (s *Service) LogIn(tx *db.Tx, user *accounts.User) (token string) {
	token = user.LogIn(tx)
	audit.Record(tx, accounts.Caller{User: user.ID}.Actor(), "user.logged_in", "user", string(user.ID), nil)
	return token
}
