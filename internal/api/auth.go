package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/apijson"
	"entrepot/internal/apperr"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/limits"
	"entrepot/internal/netguard"
	"entrepot/internal/records"
)

// authRoutes are interface §4.5.6: log in, log out, who am I.
var authRoutes = []*route{
	{method: "POST", path: "/api/v1/auth/login", name: "logIn", section: "4.5.6",
		summary: "Exchange an e-mail address and a password for an access token",
		access:  public, most: limits.MaxLoginBody, waits: true, errors: []int{401}, body: func(o *apijson.Object) { readLogin(o) },
		answer: data(sampleLogin), serve: (*API).logIn},
	{method: "POST", path: "/api/v1/auth/logout", name: "logOut", section: "4.5.6", summary: "Void the access token", access: loginOnly,
		answer: data(func(w *apijson.Writer) { writeLogout(w) }), serve: (*API).logOut},
	{method: "GET", path: "/api/v1/auth/me", name: "getCurrentUser", section: "4.5.6", summary: "The user whose access token this is",
		access: loginOnly,
		answer: data(func(w *apijson.Writer) { records.WriteUser(w, "data", records.SampleUser) }), serve: (*API).me},
}

type login struct{ email, password string }

func readLogin(o *apijson.Object) login {
	o.Record("Login")
	return login{
		email:    o.Text("email", apijson.Text{Required: true, Max: limits.MaxEmail, Format: "email"}).Value,
		password: o.Text("password", apijson.Text{Required: true, Max: accounts.MaxPassword, Keep: true}).Value,
	}
}

// refusalTime is how long a refused login takes at least, whatever it was refused for: longer than checking a password and noting the
// failure, so that the time does not tell which addresses have a login.
const refusalTime = 250 * time.Millisecond

// logIn serves POST /api/v1/auth/login: 200; 400, 401, 429, 503.
func (a *API) logIn(r *request) (answer, error) {
	o := r.object()
	in := readLogin(o)
	if err := o.Err(); err != nil {
		return answer{}, err
	}
	var user *accounts.User
	err := a.DB.Read(r.ctx(), db.Across, func(tx *db.Tx) (err error) {
		user, r.caller.Tenant, err = accounts.Login(tx, in.email)
		return err
	})
	if err == nil {
		err = a.checkPassword(r, in.email, user, in.password, accounts.WrongLogin())
	}
	if err == nil {
		err = disguise(r, in.password, "email", in.email)
	}
	if err != nil {
		return answer{}, err
	}
	return a.writeSecret(r, func(tx *db.Tx) (answer, error) {
		who := *user
		token := a.Commerce.LogIn(tx, &who, a.Proxies.Client(r.http))
		return one(http.StatusOK, "", func(w *apijson.Writer) { writeLogin(w, token, who) }), nil
	})
}

// prove checks the current password of a user who changes what only he may. What is wrong with it stands in the proof, since it does
// not matter when nothing changes; the error is for a check that could not be made.
func (a *API) prove(r *request, current string) (proof commerce.Proof, err error) {
	if current == "" {
		proof.Err = apperr.At("currentPassword", "is required to change your own password or e-mail address")
		return proof, nil
	}
	var user accounts.User
	if err := a.read(r, func(tx *db.Tx) (err error) {
		user, err = accounts.UserByID(tx, r.caller.User)
		return err
	}); err != nil {
		return proof, err
	}
	proof.Hash = user.PasswordHash
	if err = a.checkPassword(r, user.Email, &user, current, commerce.WrongPassword()); apperr.Is(err, apperr.Forbidden) {
		proof.Err, err = err, nil
	}
	return proof, err
}

// checkPassword is nil for the password of an active user, the given refusal for any other. Each attempt is counted before it is made
// and given back when it succeeds, so that many at once cannot try more passwords than one after the other. Errors: TooMany;
// Unavailable when too many passwords are being checked.
func (a *API) checkPassword(r *request, email string, user *accounts.User, password string, refusal error) error {
	refused := time.NewTimer(refusalTime)
	defer refused.Stop()
	address := a.Proxies.Client(r.http)
	ok, err := a.tryPassword(r, email, netguard.Network(address), user, password)
	if ok || err != nil {
		return err
	}
	attrs := []any{"id", r.id, "address", address}
	if user != nil {
		attrs = append(attrs, "user", string(user.ID))
		// Whoever hangs up is noted all the same.
		if err := a.DB.Write(context.WithoutCancel(r.ctx()), r.caller.Tenant, func(tx *db.Tx) error {
			a.Commerce.LogInFailed(tx, user, address)
			return nil
		}); err != nil {
			a.Log.Warn("a failed login was not noted in the audit log", "id", r.id, "error", err)
		}
	}
	a.Log.Warn("login failed", attrs...)
	select {
	case <-refused.C:
	case <-r.ctx().Done():
	}
	return refusal
}

// tryPassword compares a password while it holds one of the places for hashing. A user who is unknown or disabled takes as long as any.
func (a *API) tryPassword(r *request, email, network string, user *accounts.User, password string) (bool, error) {
	key := func(parts ...string) string { // nodes share it in the store, where no address belongs
		return "login:" + accounts.Hash(strings.Join(parts, " "))[:32]
	}
	email = accounts.FoldEmail(email)
	here, everywhere := key(email, network), key(email)
	over := func(v limits.Verdict) error {
		if v.Allowed {
			return nil
		}
		seconds := max(1, int((v.RetryAfter+time.Second-1)/time.Second))
		return apperr.New(apperr.TooMany, "rate_limited", "too many failed logins, try again in %d seconds", seconds).With("retryAfter", seconds)
	}
	if err := over(a.Limiter.Peek(here, a.Now(), limits.FailedLogins)); err != nil { // takes no place from those who may
		return false, err
	}
	done, err := accounts.Slot(r.ctx())
	if err != nil {
		return false, err
	}
	defer done()
	if err := over(a.Limiter.Take(here, a.Now(), limits.FailedLogins)); err != nil {
		return false, err
	}
	if err := over(a.Limiter.Take(everywhere, a.Now(), limits.FailedLoginsEverywhere)); err != nil {
		a.Limiter.Return(here, a.Now(), limits.FailedLogins)
		return false, err
	}
	stored := ""
	if user != nil && user.Status == accounts.Active {
		stored = user.PasswordHash
	}
	ok, err := accounts.Matches(stored, password)
	if ok || err != nil {
		a.Limiter.Return(here, a.Now(), limits.FailedLogins)
		a.Limiter.Return(everywhere, a.Now(), limits.FailedLoginsEverywhere)
	}
	return ok, err
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

// me serves GET /api/v1/auth/me: 200; 401.
func (a *API) me(r *request) (out answer, err error) {
	err = a.read(r, func(tx *db.Tx) error {
		user, err := accounts.UserByID(tx, r.caller.User)
		out = one(http.StatusOK, "", func(w *apijson.Writer) { records.WriteUser(w, "data", user) })
		return err
	})
	return out, err
}
