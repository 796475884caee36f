package commerce

import (
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// UserChange is what is to change of a user; empty members stay.
type UserChange struct {
	Email        string
	Name         string
	Role         accounts.Role
	Status       accounts.Status
	PasswordHash string
}

// SaveUser changes a user. A new password or a disabled user ends the user's logins. Faults: NotFound; Conflict for the
// last active owner and for an e-mail address that has a login.
func (s *Service) SaveUser(tx *db.Tx, who accounts.Caller, which id.User, change UserChange) (accounts.User, error) {
	user, err := accounts.LockUser(tx, which)
	if err != nil {
		return user, err
	}
	before := user
	var changed []string
	set := func(field string, into *string, value string) {
		if value != "" && value != *into {
			*into = value
			changed = append(changed, field)
		}
	}
	set("email", &user.Email, change.Email)
	set("name", &user.Name, change.Name)
	set("role", (*string)(&user.Role), string(change.Role))
	set("status", (*string)(&user.Status), string(change.Status))
	set("password", &user.PasswordHash, change.PasswordHash)
	if len(changed) == 0 {
		return user, nil
	}
	if owns(before) && !owns(user) {
		if err := accounts.MustKeepOwner(tx, user.ID); err != nil {
			return user, err
		}
	}
	if user.PasswordHash != before.PasswordHash || user.Status == accounts.Disabled {
		user.LogOut(tx)
	}
	user.Save(tx)
	audit.Record(tx, who.Actor(), "user.updated", "user", string(user.ID), map[string]string{"fields": strings.Join(changed, ",")})
	return user, nil
}

// DeleteUser removes a user with every login. Faults: NotFound; Conflict for the last active owner.
func (s *Service) DeleteUser(tx *db.Tx, who accounts.Caller, which id.User) error {
	user, err := accounts.LockUser(tx, which)
	if err != nil {
		return err
	}
	if owns(user) {
		if err := accounts.MustKeepOwner(tx, user.ID); err != nil {
			return err
		}
	}
	user.Delete(tx)
	audit.Record(tx, who.Actor(), "user.deleted", "user", string(user.ID), map[string]string{"role": string(user.Role)})
	return nil
}

func owns(u accounts.User) bool { return u.Role == accounts.Owner && u.Status == accounts.Active }
