package server

import (
	"context"
	"errors"

	"entrepot/internal/accounts"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/limits"
)

// Admin is the owner of the first account, created on an empty store (interface §5.1).
type Admin struct {
	Email, Password string
	Plan            accounts.Plan
}

// firstStart creates the first account from the environment, or prints a link by which a person creates it.
func (s *Server) firstStart(ctx context.Context, store *Store) error {
	empty := false
	err := store.DB.Read(ctx, db.Across, func(tx *db.Tx) error {
		any, err := accounts.Any(tx)
		empty = !any
		return err
	})
	if err != nil || !empty {
		return err
	}
	if s.config.Admin.Email == "" || s.config.Admin.Password == "" {
		var token string
		if err := store.DB.Write(ctx, db.Across, func(tx *db.Tx) (err error) {
			token, err = store.Commerce.OfferSetUp(tx)
			return err
		}); err != nil || token == "" {
			return err
		}
		s.log.Warn("the store is empty: open this link, which works once, to make the first account", "link",
			s.URL()+"/dashboard/setup?token="+token)
		return nil
	}
	draft, err := FirstAccount(ctx, s.config.Admin, "Main account")
	if err != nil {
		return err
	}
	made := false
	err = store.DB.Write(ctx, db.Across, func(tx *db.Tx) (err error) {
		made, err = store.Commerce.FirstAccount(tx, draft)
		return err
	})
	if made {
		s.log.Info("first account made", "owner", s.config.Admin.Email, "plan", string(draft.Plan))
	}
	return err
}

// FirstAccount checks an owner's login and hashes its password; the result is the draft of the first account.
func FirstAccount(ctx context.Context, admin Admin, name string) (commerce.AccountDraft, error) {
	if problem := limits.BadLogin(admin.Email); problem != "" {
		return commerce.AccountDraft{}, errors.New("the first owner's e-mail address " + problem + " (ENTREPOT_ADMIN_EMAIL)")
	}
	if problem := accounts.BadPassword(admin.Password, admin.Email); problem != "" {
		return commerce.AccountDraft{}, errors.New("the first owner's password " + problem + " (ENTREPOT_ADMIN_PASSWORD)")
	}
	hash, err := accounts.Hashing{}.Hash(ctx, admin.Password)
	return commerce.AccountDraft{Name: name, Plan: admin.Plan, Owner: &commerce.UserDraft{Email: admin.Email, Name: "Owner",
		PasswordHash: hash}}, err
}
