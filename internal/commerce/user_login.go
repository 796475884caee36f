package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/db"
)

// LogIn gives a user whose password was checked an access token of twelve hours (interface §5.1). Errors: Unauthorized
// when the user was disabled, or given another password, since the check. Address is where the request came from, "" for nowhere.
func (s *Service) LogIn(tx db.Writer, user *accounts.User, address string) (token string) {
	token = user.LogIn(tx)
	audit.Record(tx, accounts.Caller{User: user.ID}.Actor(), "user.logged_in", "user", string(user.ID), addressDetails(address))
	return token
}

// LogInFailed notes that somebody gave a wrong password for a user, or any for one that is disabled, and where from.
func (s *Service) LogInFailed(tx db.Writer, user *accounts.User, address string) {
	audit.Record(tx, accounts.Caller{}.Actor(), "user.login_failed", "user", string(user.ID), addressDetails(address))
}

func addressDetails(address string) map[string]string {
	if address == "" {
		return nil
	}
	return map[string]string{"address": address}
}
