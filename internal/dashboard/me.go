package dashboard

import (
	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
)

// meRoutes are the pages of users' own logins.
var meRoutes = []*route{
	{method: "GET", path: "/settings/me", serve: (*Dashboard).showMe},
	{method: "POST", path: "/settings/me/password", serve: (*Dashboard).changePassword},
	{method: "POST", path: "/settings/me/preferences", serve: (*Dashboard).changePreferences},
	{method: "POST", path: "/settings/me/images", serve: (*Dashboard).chooseImages},
	{method: "POST", path: "/settings/me/log-out-everywhere", serve: (*Dashboard).logOutEverywhere},
}

// meView is what templates/me.html shows.
type meView struct {
	Pairs     []pair
	LastLogin stamp
	Password  *form
	Shown     *form // language, and how times and numbers are
	Images    *form // of other hosts
	Elsewhere ask
	SignIns   []signInRow
	Tabs      []tab
}

func passwordForm(r *request) *form {
	return r.form("/settings/me/password",
		field{Name: "currentPassword", Label: "Current password", Kind: "password", Required: true, Complete: "current-password"},
		field{Name: "password", Label: "New password", Kind: "password", Required: true, Complete: "new-password",
			Hint: "8 characters or more, not your name or address"})
}

// showMe serves GET /settings/me.
func (d *Dashboard) showMe(r *request) (answer, error) {
	user := r.session.User
	view := meView{
		Pairs:     []pair{{Name: "Name", Value: user.Name}, {Name: "E-mail", Value: user.Email}, {Name: "Role", Value: string(user.Role)}},
		LastLogin: r.format.Stamp(user.LastLoginAt),
		Password:  passwordForm(r),
		Shown:     preferencesForm(r),
		Images:    imagesForm(r),
		Elsewhere: newAsk("log-out-everywhere", "Log out everywhere?",
			"Every session and every access token of yours ends at once, also this one. API keys stay.", "Log out everywhere",
			r.form("/settings/me/log-out-everywhere")),
	}
	view.Tabs = r.settingsTabs("/settings/me")
	err := r.read(func(tx *db.Tx) (err error) {
		view.SignIns, err = r.signIns(tx, user.ID, "/settings/me/sign-ins")
		return err
	})
	return show(screen{Template: "me", Title: "My login", Section: "/settings/account", Data: view}), err
}

// changePassword serves POST /settings/me/password. The new password ends all sessions; this browser gets a new one.
func (d *Dashboard) changePassword(r *request) (answer, error) {
	return r.submit(passwordForm(r), d.showMe, func(f *form) (answer, error) {
		o := f.Object()
		change, password, current := drafts.ReadUserChange(o)
		if password == "" && !o.Has("password") {
			o.AddError("password", "is required")
		}
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		user := r.session.User
		if problem := accounts.BadPassword(password, user.Email, user.Name); problem != "" {
			return answer{}, apperr.At("password", "%s", problem)
		}
		change = commerce.UserChange{}
		var err error
		if change.PasswordHash, err = d.Commerce.Hashing.Hash(r.http.Context(), password); err != nil {
			return answer{}, err
		}
		if change.Proof, err = d.logins().Prove(r.http.Context(), r.caller(),
			commerce.Attempt{Password: current, Address: r.address(), RequestID: r.id}); err != nil {
			return answer{}, err
		}
		if apperr.Is(change.Proof.Err, apperr.Forbidden) {
			return answer{}, apperr.At("currentPassword", "is not your password")
		}
		out, err := d.write(r, func(tx *db.Tx) (answer, error) {
			user, err = d.Commerce.UpdateUser(tx, r.caller(), user.ID, commerce.Expected{}, change)
			return redirect("/settings/me", "Changed your password. Other sessions have ended"), err
		})
		// a second click: the first answer has the new session
		if err != nil || user.PasswordHash != change.PasswordHash {
			return out, err
		}
		session, err := d.openSession(r, user)
		out.cookies = session.cookies
		return out, err
	})
}

// logOutEverywhere serves POST /settings/me/log-out-everywhere.
func (d *Dashboard) logOutEverywhere(r *request) (answer, error) {
	err := r.store().Write(r.http.Context(), r.caller().Tenant, func(tx *db.Tx) error {
		user := r.session.User
		d.Commerce.LogOutUser(tx, r.caller(), &user)
		return nil
	})
	out := redirect("/login", "Logged out everywhere")
	out.cookies = r.sessionCookies("", -1)
	return out, err
}
