package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// UserDraft is a new user; its password is hashed already, which takes too long for a transaction.
type UserDraft struct {
	Email        string
	Name         string
	Role         accounts.Role
	PasswordHash string
}

// CreateUser adds a person with a login (interface §4.5). Faults: Conflict when the e-mail address has a login.
func (s *Service) CreateUser(tx *db.Tx, who accounts.Caller, draft UserDraft) (accounts.User, error) {
	user := accounts.User{ID: id.New[id.User](), Email: draft.Email, Name: draft.Name, PasswordHash: draft.PasswordHash,
		Role: draft.Role, Status: accounts.Active}
	user.Insert(tx)
	audit.Record(tx, who.Actor(), "user.created", "user", string(user.ID), map[string]string{"role": string(user.Role)})
	return user, nil
}
