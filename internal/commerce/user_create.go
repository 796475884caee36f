package commerce

import (
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// UserDraft is a new user; its password is hashed before, because that takes too long for a transaction.
type UserDraft struct {
	Email        string
	Name         string
	Role         accounts.Role
	PasswordHash string
}

// CreateUser creates a user with a login (interface §4.5.10, §5.1). Errors: Forbidden when the caller may not create
// such a user; Conflict when the e-mail address has a login.
func (s *Service) CreateUser(tx *db.Tx, who accounts.Caller, draft UserDraft) (accounts.User, error) {
	limit, err := who.MakesUser(draft.Role)
	if err == nil {
		err = who.Hold(tx)
	}
	if err != nil {
		return accounts.User{}, err
	}
	user := accounts.User{ID: id.New[id.User](), Email: draft.Email, Name: draft.Name, PasswordHash: draft.PasswordHash,
		Role: draft.Role, Status: accounts.Active, Limit: limit}
	user.Insert(tx)
	details := map[string]string{"role": string(user.Role)}
	if len(limit) > 0 {
		details["scopes"] = strings.Join(limit, " ")
	}
	audit.Record(tx, who.Actor(), "user.created", "user", string(user.ID), details)
	return user, nil
}
