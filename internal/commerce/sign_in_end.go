package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// EndSignIn ends one login of a user: the caller's own, or that of a user whom the caller may change. Errors:
// NotFound, Forbidden.
func (s *Service) EndSignIn(tx *db.Tx, who accounts.Caller, which id.User, signIn id.SignIn) error {
	user, err := accounts.UserByID(tx, which)
	if err == nil && who.User != which {
		err = who.ChangesUser(user, user.Role)
	}
	if err != nil {
		return err
	}
	accounts.EndSignIn(tx, which, signIn)
	audit.Record(tx, who.Actor(), "user.sign_in_ended", "user", string(which), nil)
	return nil
}
