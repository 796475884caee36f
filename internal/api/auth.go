package api

import (
	"net/http"
	"strings"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/db"
	"entrepot/internal/fault"
	"entrepot/internal/limits"
	"entrepot/internal/wire"
)

// authRoutes are interface §4.5.6: log in, log out, who am I.
var authRoutes = []*route{
	{method: "POST", path: "/api/v1/auth/login", section: "4.5.6", summary: "Exchange an e-mail address and a password for an access token",
		access: public, body: func(o *wire.Object) { readLogin(o) }, answer: data(sampleLogin), serve: (*API).logIn},
	{method: "POST", path: "/api/v1/auth/logout", section: "4.5.6", summary: "Void the access token", access: loginOnly,
		answer: data(func(w *wire.Writer) { writeLogout(w) }), serve: (*API).logOut},
	{method: "GET", path: "/api/v1/auth/me", section: "4.5.6", summary: "The user whose access token this is", access: loginOnly,
		answer: data(func(w *wire.Writer) { writeUser(w, "data", sampleUser) }), serve: (*API).me},
}

type login struct{ email, password string }

func readLogin(o *wire.Object) login {
	return login{
		email:    o.Text("email", wire.Text{Required: true, Max: 254, Format: "email"}).Value,
		password: o.Text("password", wire.Text{Required: true, Max: accounts.MaxPassword, Keep: true}).Value,
	}
}

// failedLogins is the bound on failed logins of one e-mail address from one network address (interface §8).
var failedLogins = limits.Rate{Name: "failed-logins", PerMinute: 10}

// logIn serves POST /api/v1/auth/login: 200; 400, 401, 429.
func (a *API) logIn(r *request) (answer, error) {
	o := r.object()
	in := readLogin(o)
	if err := o.Err(); err != nil {
		return answer{}, err
	}
	user, err := a.checkLogin(r, in)
	if err != nil {
		return answer{}, err
	}
	if err := disguise(r, in.password, "email", in.email); err != nil {
		return answer{}, err
	}
	return a.writeSecret(r, func(tx *db.Tx) (answer, error) {
		who := *user
		token := a.Commerce.LogIn(tx, &who)
		return one(http.StatusOK, "", func(w *wire.Writer) { writeLogin(w, token, who) }), nil
	})
}

// checkLogin finds the user and makes the request his. The failures are counted while the place for hashing is held, so
// that many at once cannot try more passwords than one after the other.
func (a *API) checkLogin(r *request, in login) (*accounts.User, error) {
	var user *accounts.User
	err := a.DB.Read(r.ctx(), db.Across, func(tx *db.Tx) (err error) {
		user, r.caller.Tenant, err = accounts.Login(tx, in.email)
		return err
	})
	if err != nil {
		return nil, err
	}
	done, err := accounts.Slot(r.ctx())
	if err != nil {
		return nil, err
	}
	defer done()
	who := "login:" + accounts.Hash(accounts.FoldEmail(in.email) + " " + a.Proxies.Client(r.http))[:32] // nodes share it in the store, where no address belongs
	if v := a.Limiter.Peek(who, a.Now(), failedLogins); !v.Allowed {
		seconds := max(1, int((v.RetryAfter+time.Second-1)/time.Second))
		return nil, fault.New(fault.TooMany, "rate_limited", "too many failed logins, try again in %d seconds", seconds).With("retryAfter", seconds)
	}
	stored := ""
	if user != nil && user.Status == accounts.Active {
		stored = user.PasswordHash
	}
	if ok, err := accounts.Matches(stored, in.password); ok || err != nil {
		return user, err
	}
	a.Limiter.Take(who, a.Now(), failedLogins)
	return nil, accounts.WrongLogin()
}

func writeLogin(w *wire.Writer, token string, user accounts.User) {
	w.Object("data")
	w.Text("accessToken", token)
	w.Text("tokenType", "Bearer")
	w.Int("expiresIn", int64(accounts.TokenLife/time.Second))
	writeUser(w, "user", user)
	w.End()
}

func sampleLogin(w *wire.Writer) { writeLogin(w, "at_…", sampleUser) }

// logOut serves POST /api/v1/auth/logout: 200; 401.
func (a *API) logOut(r *request) (answer, error) {
	_, token, _ := strings.Cut(r.http.Header.Get("Authorization"), " ")
	return a.write(r, func(tx *db.Tx) (answer, error) {
		accounts.LogOut(tx, strings.TrimSpace(token))
		return one(http.StatusOK, "", writeLogout), nil
	})
}

func writeLogout(w *wire.Writer) {
	w.Object("data")
	w.Bool("loggedOut", true)
	w.End()
}

// me serves GET /api/v1/auth/me: 200; 401.
func (a *API) me(r *request) (out answer, err error) {
	err = a.read(r, func(tx *db.Tx) error {
		user, err := accounts.UserByID(tx, r.caller.User)
		out = one(http.StatusOK, "", func(w *wire.Writer) { writeUser(w, "data", user) })
		return err
	})
	return out, err
}
