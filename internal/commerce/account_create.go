package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// AccountDraft is a new merchant account; the defaults are the plan enterprise, the currency EUR and no owner.
type AccountDraft struct {
	Name     string
	Plan     accounts.Plan
	Currency string
	Sandbox  bool
	Owner    *UserDraft // its role is always owner
}

// CreateAccount creates a merchant account with everything that its first request needs, and its owner (interface
// §5.1). It serves all accounts; afterwards the transaction's tenant is the new account. Errors: Conflict when the
// owner's e-mail address has a login.
func (s *Service) CreateAccount(tx *db.Tx, who accounts.Caller, draft AccountDraft) (accounts.Account, *accounts.User, error) {
	account := accounts.Account{ID: id.New[id.Account](), Name: draft.Name, Plan: draft.Plan, Currency: draft.Currency, Sandbox: draft.Sandbox}
	if account.Plan == "" {
		account.Plan = accounts.Enterprise
	}
	if account.Currency == "" {
		account.Currency = "EUR"
	}
	if err := account.Insert(tx); err != nil {
		return account, nil, err
	}
	audit.Record(tx, who.Actor(), "account.created", "account", string(account.ID), map[string]string{"plan": string(account.Plan)})
	if draft.Owner == nil {
		return account, nil, nil
	}
	draft.Owner.Role = accounts.Owner
	owner, err := s.CreateUser(tx, who, *draft.Owner)
	return account, &owner, err
}
