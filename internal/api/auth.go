package api

import (
	"net/http"
	"strings"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/limits"
	"entrepot/internal/records"
)

// authRoutes are interface §4.5.6: log in, log out, who am I.
var authRoutes = []*route{
	{method: "POST", path: "/api/v1/auth/login", name: "logIn", section: "4.5.6",
		summary: "Exchange an e-mail address and a password for an access token",
		access:  public, secret: true, most: limits.MaxLoginBody, waits: true, errors: []int{401}, body: func(o *apijson.Object) { drafts.ReadLogin(o) },
		answer: data(sampleLogin), serve: (*API).logIn},
	{method: "POST", path: "/api/v1/auth/logout", name: "logOut", section: "4.5.6", summary: "Void the access token", access: loginOnly,
		answer: data(func(w *apijson.Writer) { writeLogout(w) }), serve: (*API).logOut},
	{method: "GET", path: "/api/v1/auth/me", name: "getCurrentUser", section: "4.5.6", summary: "The user whose access token this is",
		access: loginOnly,
		answer: data(func(w *apijson.Writer) { records.WriteUser(w, "data", records.SampleUser) }), serve: (*API).getCurrentUser},
}

// logIn serves POST /api/v1/auth/login: 200; 400, 401, 429, 503.
func (a *API) logIn(r *request) (answer, error) {
	o := r.object()
	in := drafts.ReadLogin(o)
	if err := o.Err(); err != nil {
		return answer{}, err
	}
	user, tenant, err := a.logins().User(r.ctx(), a.attempt(r, in.Email, in.Password))
	if err == nil {
		r.caller.Tenant = tenant
		err = a.disguise(r)
	}
	if err != nil {
		return answer{}, err
	}
	return a.writeSecret(r, func(tx *db.Tx) (answer, error) {
		who := *user
		token := a.Commerce.LogIn(tx, &who, accounts.Origin{Address: a.Proxies.Client(r.http), Agent: r.http.UserAgent()})
		return one(http.StatusOK, "", func(w *apijson.Writer) { writeLogin(w, token, who) }), nil
	})
}

// attempt is a password that the request gives.
func (a *API) attempt(r *request, email, password string) commerce.Attempt {
	return commerce.Attempt{Email: email, Password: password, Address: a.Proxies.Client(r.http), RequestID: r.id}
}

// logins checks passwords.
func (a *API) logins() *commerce.Logins {
	return &commerce.Logins{DB: a.DB, Commerce: a.Commerce, Limiter: a.Limiter, Now: a.Now, Log: a.Log}
}

func writeLogin(w *apijson.Writer, token string, user accounts.User) {
	w.Record("AccessToken", "data")
	w.Text("accessToken", token)
	w.Text("tokenType", "Bearer")
	w.Int("expiresIn", int64(accounts.TokenLife/time.Second))
	records.WriteUser(w, "user", user)
	w.End()
}

func sampleLogin(w *apijson.Writer) { writeLogin(w, "at_…", records.SampleUser) }

// logOut serves POST /api/v1/auth/logout: 200; 401.
func (a *API) logOut(r *request) (answer, error) {
	_, token, _ := strings.Cut(r.http.Header.Get("Authorization"), " ")
	return a.write(r, func(tx *db.Tx) (answer, error) {
		accounts.LogOut(tx, strings.TrimSpace(token))
		return one(http.StatusOK, "", writeLogout), nil
	})
}

func writeLogout(w *apijson.Writer) {
	w.Record("LoggedOut", "data")
	w.Bool("loggedOut", true)
	w.End()
}

// getCurrentUser serves GET /api/v1/auth/me: 200; 401.
func (a *API) getCurrentUser(r *request) (out answer, err error) {
	err = a.read(r, func(tx *db.Tx) error {
		user, err := accounts.UserByID(tx, r.caller.User)
		out = one(http.StatusOK, "", func(w *apijson.Writer) { records.WriteUser(w, "data", user) })
		return err
	})
	return out, err
}
