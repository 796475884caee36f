package commerce

import (
	"cmp"
	"slices"
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// UserChange is a change of a user; empty members stay.
type UserChange struct {
	Email        string
	Name         string
	Role         accounts.Role
	Status       accounts.Status
	PasswordHash string
	TimeZone     *string // "" for the account's
	Locale       *string // "" for the account's
	Language     *string // "" for the browser's
	Proof        Proof   // needed where users change their own password or e-mail address
}

// apply changes a user and returns which fields it changed.
func (c UserChange) apply(user *accounts.User) (changed []string) {
	replace := func(field string, into *string, value string) {
		if value != *into {
			*into = value
			changed = append(changed, field)
		}
	}
	set := func(field string, into *string, value string) { replace(field, into, cmp.Or(value, *into)) }
	set("email", &user.Email, c.Email)
	set("name", &user.Name, c.Name)
	set("role", (*string)(&user.Role), string(c.Role))
	set("status", (*string)(&user.Status), string(c.Status))
	set("password", &user.PasswordHash, c.PasswordHash)
	if c.TimeZone != nil {
		replace("timeZone", &user.TimeZone, *c.TimeZone)
	}
	if c.Locale != nil {
		replace("locale", &user.Locale, *c.Locale)
	}
	if c.Language != nil {
		replace("language", &user.Language, *c.Language)
	}
	return changed
}

// Proof is the result of checking a user's current password, which takes too long for a transaction.
type Proof struct {
	Hash string // the stored hash that it matched
	Err  error  // why it is not accepted
}

// of returns an error unless it proves that the caller knows the password of a user.
func (p Proof) of(user accounts.User) error {
	if p.Err != nil {
		return p.Err
	}
	if p.Hash != user.PasswordHash {
		return wrongPassword()
	}
	return nil
}

// wrongPassword is the 403 for a current password that is not the user's.
func wrongPassword() error {
	return apperr.New(apperr.Forbidden, "wrong_password", "currentPassword is not your password").With("requiredScope", "password")
}

// holdUser locks a user that an operation changes. Errors: NotFound; those of Expected.
func holdUser(tx *db.Tx, which id.User, expected Expected) (accounts.User, error) {
	user, err := accounts.LockUser(tx, which)
	if err == nil {
		err = expected.check(func(w *apijson.Writer) { records.WriteUser(w, "data", user) })
	}
	return user, err
}

// UpdateUser changes a user. A new password or disabling the user ends the user's logins; a new role, which only a
// login can give, removes the limit on the scopes of a user that a key created. Errors: NotFound; those of Expected;
// Forbidden by the rules of interface §5.1, and for users who change their own password or e-mail address without
// proof; Conflict for the last active owner and for an e-mail address that has a login.
func (s *Service) UpdateUser(tx *db.Tx, who accounts.Caller, which id.User, expected Expected, change UserChange) (accounts.User, error) {
	user, err := holdUser(tx, which, expected)
	if err != nil {
		return user, err
	}
	before := user
	changed := change.apply(&user)
	if len(changed) == 0 {
		return user, nil
	}
	if err := who.ChangesUser(before, user.Role, changed...); err != nil {
		return user, err
	}
	if who.User == user.ID && (slices.Contains(changed, "password") || slices.Contains(changed, "email")) {
		if err := change.Proof.of(before); err != nil {
			return user, err
		}
	}
	if user.Role != before.Role {
		user.Limit = nil
	}
	if owns(before) && !owns(user) {
		if err := accounts.MustKeepOwner(tx, user.ID); err != nil {
			return user, err
		}
	}
	if user.PasswordHash != before.PasswordHash || user.Status == accounts.Disabled {
		user.LogOut(tx)
	}
	if user.Status != before.Status {
		webhooks.RightsChanged(tx, "", user.ID)
	}
	user.Save(tx)
	audit.Record(tx, who.Actor(), "user.updated", "user", string(user.ID), map[string]string{"fields": strings.Join(changed, ",")},
		audit.Diff(auditedUser(before), auditedUser(user))...)
	return user, nil
}

func owns(u accounts.User) bool { return u.Role == accounts.Owner && u.Status == accounts.Active }
