package dashboard

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/netguard"
	"entrepot/internal/db"
)

// The session's cookie. Over https its name has the prefix that browsers accept only from https. The API never reads
// it.
const (
	cookieName       = "entrepot"
	secureCookieName = "__Secure-entrepot"
)

// https reports whether the browser's side of the connection is encrypted, here or at the proxy before the service.
func (r *request) https() bool {
	return r.http.TLS != nil || r.d.Proxies.HTTPS(r.http) || strings.HasPrefix(r.d.PublicURL, "https:") && !netguard.LoopbackHost(r.http.Host)
}

func (r *request) cookieName() string {
	if r.https() {
		return secureCookieName
	}
	return cookieName
}

// cookie is a cookie of the dashboard: age is in seconds, negative to delete it.
func (r *request) cookie(name, value string, age int) *http.Cookie {
	return &http.Cookie{Name: name, Value: value, Path: prefix, MaxAge: age, HttpOnly: true, Secure: r.https(),
		SameSite: http.SameSiteLaxMode}
}

// sessionCookies sets the session's cookie, or with a negative age deletes it: for the dashboard, and for the API
// reference, whose samples have ids of the account.
func (r *request) sessionCookies(text string, age int) []*http.Cookie {
	pages := r.cookie(r.cookieName(), text, age)
	docs := *pages
	docs.Path = "/docs"
	return []*http.Cookie{pages, &docs}
}

// sessionText is the text of the session that the browser sent, "" for none.
func (r *request) sessionText() string {
	c, err := r.http.Cookie(r.cookieName())
	if err != nil {
		return ""
	}
	return c.Value
}

// authenticate finds the session of the cookie. Errors: Unauthorized.
func (d *Dashboard) authenticate(r *request) error {
	text := r.sessionText()
	if text == "" {
		return accounts.Unauthorized("log in")
	}
	err := d.DB.Peek(r.http.Context(), db.Across, func(tx *db.Tx) (err error) {
		r.session, err = accounts.BySession(tx, text)
		return err
	})
	if err != nil {
		return err
	}
	r.format = newFormat(r.http, &r.session.Account, &r.session.User, d.DB.Now())
	if now := d.DB.Now(); r.caller().Stale(now) {
		err := r.store().Write(r.http.Context(), r.caller().Tenant, func(tx *db.Tx) error {
			accounts.UsedSignIn(tx, r.caller().SignIn, now)
			return nil
		})
		if err != nil { // the page works without it
			d.Log.Warn("the time of last use of a session was not written", "id", r.id, "error", err)
		}
	}
	return nil
}

// loginFor is the address of the login page that redirects back to the request's page.
func loginFor(r *http.Request) string {
	to := r.URL.RequestURI()
	if r.Method != http.MethodGet || to == prefix || to == prefix+"/" {
		return "/login"
	}
	return "/login?next=" + url.QueryEscape(to)
}

// ownPage returns an address if it is a page of the dashboard, else the overview's, so that a link to the login page
// cannot redirect elsewhere. The result is below the prefix.
func ownPage(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" || strings.ContainsAny(next, "\\\r\n\t") ||
		path.Clean(u.Path) != u.Path {
		return "/"
	}
	rest, ok := strings.CutPrefix(u.RequestURI(), prefix+"/")
	if !ok || strings.HasPrefix(rest, "login") {
		return "/"
	}
	return "/" + rest
}

// openSession gives the browser a new session of a user whose password was checked; its old one ends.
func (d *Dashboard) openSession(r *request, user accounts.User) (answer, error) {
	var text string
	before := r.sessionText()
	err := r.store().Write(r.http.Context(), r.caller().Tenant, func(tx *db.Tx) error {
		if before != "" {
			accounts.LogOut(tx, before)
		}
		who := user
		text = d.Commerce.OpenSession(tx, &who, accounts.Origin{Address: r.address(), Agent: r.http.UserAgent()})
		return nil
	})
	if apperr.Is(err, apperr.Unauthorized) {
		err = accounts.WrongLogin()
	}
	return answer{cookies: r.sessionCookies(text, int(accounts.TokenLife.Seconds()))}, err
}
