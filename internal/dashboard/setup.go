package dashboard

import (
	"net/http"

	"entrepot/internal/accounts"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/limits"
)

// setupRoutes are the pages of the link that a service prints when its store is empty: it creates the first account,
// once.
var setupRoutes = []*route{
	{method: "GET", path: "/setup", open: true, serve: (*Dashboard).showSetup},
	{method: "POST", path: "/setup", open: true, most: 16 << 10, serve: (*Dashboard).setUp},
}

func setupForm(r *request) *form {
	return r.form("/setup",
		field{Name: "token", Kind: "hidden", Value: r.http.FormValue("token")},
		field{Name: "account", Label: "Name of the account", Required: true, Max: limits.MaxName, Focus: true, Complete: "organization",
			Hint: "Your shop or company, as your colleagues know it"},
		field{Name: "currency", Label: "Currency of your prices", Required: true, Max: 3, Mono: true, Value: "EUR", Options: currencyOptions(),
			Hint: "Its three letters: EUR, USD, GBP. Prices keep their numbers when it is changed later."},
		field{Name: "name", Label: "Your name", Required: true, Max: limits.MaxName, Complete: "name"},
		field{Name: "email", Label: "Your e-mail", Kind: "email", Required: true, Complete: "username"},
		field{Name: "password", Label: "Password", Kind: "password", Required: true, Complete: "new-password",
			Hint: "8 characters or more, not your name or address"})
}

// showSetup serves GET /setup.
func (d *Dashboard) showSetup(r *request) (answer, error) {
	f := setupForm(r)
	if err := d.setupOpen(r, f.At("token").Value); err != nil {
		return answer{}, err
	}
	return show(screen{Template: "setup", Title: "Set up entrepot", Bare: true, Data: f}), nil
}

// setupOpen is the error for a link that is unknown or used.
func (d *Dashboard) setupOpen(r *request, token string) error {
	open := false
	err := d.DB.Read(r.http.Context(), db.Across, func(tx *db.Tx) (err error) {
		open, err = accounts.SetupLinkOpen(tx, token)
		return err
	})
	if err == nil && !open {
		err = commerce.NoSetUpLink()
	}
	return err
}

// setUp serves POST /setup: the account with its owner, who is logged in.
func (d *Dashboard) setUp(r *request) (answer, error) {
	return r.submit(setupForm(r), d.showSetup, func(f *form) (answer, error) {
		o := f.Object()
		draft := drafts.ReadSetup(o)
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		token := f.Value("token")
		if err := d.setupOpen(r, token); err != nil { // before hashing, which is expensive
			return answer{}, err
		}
		hash, err := d.Commerce.Hashing.Hash(r.http.Context(), draft.Password)
		if err != nil {
			return answer{}, err
		}
		var user accounts.User
		err = d.DB.Write(r.http.Context(), db.Across, func(tx *db.Tx) error {
			if err := d.Commerce.SetUp(tx, token, commerce.AccountDraft{Name: draft.Account, Plan: d.Plan, Currency: draft.Currency,
				Owner: &commerce.UserDraft{Email: draft.Email, Name: draft.Name, PasswordHash: hash}}); err != nil {
				return err
			}
			made, tenant, err := accounts.Login(tx, draft.Email)
			if err == nil {
				user, r.session.Caller.Tenant = *made, tenant
			}
			return err
		})
		if err != nil {
			return answer{}, err
		}
		out, err := d.openSession(r, user)
		out.to, out.flash = "/", &flash{Tone: "good", Text: "Welcome! Your account is ready"}
		return out, err
	})
}

// RedirectSetup sends the set-up link's short address to its page.
func RedirectSetup(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, prefix+"/setup?"+r.URL.RawQuery, http.StatusTemporaryRedirect)
}
