package dashboard

import (
	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/limits"
)

// loginRoutes are how a session begins and ends.
var loginRoutes = []*route{
	{method: "GET", path: "/login", open: true, serve: (*Dashboard).showLogin},
	{method: "POST", path: "/login", open: true, most: limits.MaxLoginBody, serve: (*Dashboard).logIn},
	{method: "POST", path: "/logout", open: true, serve: (*Dashboard).logOut},
}

func loginForm(r *request) *form {
	return r.form("/login",
		field{Name: "email", Label: "E-mail", Kind: "email", Required: true, Complete: "username", Focus: true},
		field{Name: "password", Label: "Password", Kind: "password", Required: true, Complete: "current-password"},
		field{Name: "next", Kind: "hidden", Value: r.http.FormValue("next")})
}

// showLogin serves GET /login.
func (d *Dashboard) showLogin(r *request) (answer, error) {
	return show(screen{Template: "login", Title: "Log in", Bare: true, Data: loginForm(r)}), nil
}

// logIn serves POST /login. A wrong address and a wrong password have the same message.
func (d *Dashboard) logIn(r *request) (answer, error) {
	return r.submit(loginForm(r), d.showLogin, func(f *form) (answer, error) {
		o := f.Object()
		in := drafts.ReadLogin(o)
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		user, tenant, err := d.logins().User(r.http.Context(),
			commerce.Attempt{Email: in.Email, Password: in.Password, Address: r.address(), RequestID: r.id})
		if err != nil {
			return answer{}, err
		}
		r.session.Caller.Tenant = tenant
		out, err := d.openSession(r, *user)
		out.to = ownPage(f.Value("next"))
		return out, err
	})
}

// logOut serves POST /logout. A user without a session is logged out as well: the form stays on pages that outlive
// their session.
func (d *Dashboard) logOut(r *request) (answer, error) {
	err := d.authenticate(r)
	if err == nil {
		err = r.store().Write(r.http.Context(), r.caller().Tenant, func(tx *db.Tx) error {
			accounts.LogOut(tx, r.sessionText())
			return nil
		})
	}
	if apperr.Is(err, apperr.Unauthorized) {
		err = nil
	}
	out := redirect("/login", "Logged out")
	out.cookies = r.sessionCookies("", -1)
	return out, err
}
