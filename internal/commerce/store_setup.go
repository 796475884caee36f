package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/db"
)

// FirstAccount creates the first account of an empty store and reports whether it did (interface §5.1). It serves all
// accounts.
func (s *Service) FirstAccount(tx *db.Tx, draft AccountDraft) (made bool, err error) {
	if any, err := accounts.Any(tx); any || err != nil {
		return false, err
	}
	_, _, err = s.CreateAccount(tx, accounts.Caller{}, draft)
	accounts.CloseSetupLinks(tx)
	return err == nil, err
}

// OfferSetUp creates the token of a set-up link, or returns "" if the store has an account already.
func (s *Service) OfferSetUp(tx *db.Tx) (token string, err error) {
	if any, err := accounts.Any(tx); any || err != nil {
		return "", err
	}
	return accounts.NewSetupLink(tx), nil
}

// SetUp creates the first account by a set-up link, which works once. Errors: NotFound when the link is unknown or
// used.
func (s *Service) SetUp(tx *db.Tx, token string, draft AccountDraft) error {
	open, err := accounts.SetupLinkOpen(tx, token)
	if err != nil {
		return err
	}
	if open {
		if open, err = s.FirstAccount(tx, draft); err != nil {
			return err
		}
	}
	if !open {
		return NoSetUpLink()
	}
	return nil
}

// NoSetUpLink is the 404 for a set-up link that is unknown or used.
func NoSetUpLink() error {
	return apperr.New(apperr.NotFound, "not_found", "this set-up link was used already or is not known; start the service again for a new one")
}
