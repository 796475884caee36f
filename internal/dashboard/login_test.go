package dashboard

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/db"
)

func login(email, password string) url.Values {
	return url.Values{"email": {email}, "password": {password}}
}

// Whoever has no session is sent to the login page and from there to where he was going; logging out ends the session in the store.
func TestLoginLeadsWhereItWasAskedFor(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.browser()
		out := b.get("/settings/me?x=1")
		if out.status != 303 || out.to() != prefix+"/login?next=%2Fdashboard%2Fsettings%2Fme%3Fx%3D1" {
			t.Fatalf("%d %s", out.status, out.to())
		}
		page := b.follow(out)
		if page.status != 200 || !strings.Contains(page.body, `value="/dashboard/settings/me?x=1"`) {
			t.Fatalf("%d %s", page.status, page.body)
		}
		values := login("OWNER@test.example", password)
		values.Set("next", "/dashboard/settings/me?x=1")
		out = b.post("/login", values)
		if out.status != 303 || out.to() != "/dashboard/settings/me?x=1" {
			t.Fatalf("%d %s %s", out.status, out.to(), out.words())
		}
		cookie := out.header.Get("Set-Cookie")
		for _, part := range []string{"entrepot=ds_", "Path=/dashboard", "HttpOnly", "SameSite=Lax", "Max-Age=43200"} {
			if !strings.Contains(cookie, part) {
				t.Errorf("the cookie has no %s: %s", part, cookie)
			}
		}
		if page = b.follow(out); page.status != 200 || !strings.Contains(page.words(), "Olga Owner") {
			t.Fatalf("%d %s", page.status, page.words())
		}
		copied := s.browser()
		copied.client.Jar.SetCookies(mustURL(t, s.url+prefix), b.client.Jar.Cookies(mustURL(t, s.url+prefix+"/")))
		if page = b.follow(b.post("/logout", nil)); !strings.Contains(page.words(), "Logged out") {
			t.Errorf("%s", page.words())
		}
		if out = copied.get("/settings/me"); out.status != 303 {
			t.Errorf("a copy of the cookie after logging out: %d", out.status)
		}
		out = copied.post("/logout", nil) // of a page that outlives the session
		if cookie := out.header.Get("Set-Cookie"); !strings.Contains(cookie, "Max-Age=0") {
			t.Errorf("the cookie of a session that has ended stays: %s", cookie)
		}
		if page = copied.follow(out); page.status != 200 || !strings.Contains(page.words(), "Logged out") {
			t.Errorf("logging out without a session: %d %s", page.status, page.words())
		}
	})
}

func mustURL(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// A wrong address and a wrong password are refused in the same words; what was typed stays but for the password; the API's and the
// dashboard's failed logins count together.
func TestWrongLogins(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.stopLimits()
		b := s.browser()
		page := b.post("/login", login("owner@test.example", "not the password"))
		other := b.post("/login", login("nobody@test.example", "not the password"))
		if page.status != 401 || other.status != 401 || !strings.Contains(page.words(), "The e-mail address or the password is wrong") ||
			strings.ReplaceAll(page.words(), "owner@", "") != strings.ReplaceAll(other.words(), "nobody@", "") {
			t.Errorf("%d %s\n%d %s", page.status, page.words(), other.status, other.words())
		}
		if !strings.Contains(page.body, `value="owner@test.example"`) || strings.Contains(page.body, "not the password") {
			t.Errorf("what was typed: %s", page.body)
		}
		if page = b.post("/login", login("no address", "")); page.status != 422 || strings.Count(page.body, `aria-invalid="true"`) != 1 ||
			!strings.Contains(page.body, `href="#login-password"`) {
			t.Errorf("an empty password: %d %s", page.status, page.body)
		}
		for range 9 {
			b.send("POST", "/api/v1/auth/login", strings.NewReader(`{"email":"owner@test.example","password":"wrong as well"}`),
				"application/json")
		}
		if page = b.post("/login", login("owner@test.example", password)); page.status != 429 || page.header.Get("Retry-After") == "" {
			t.Errorf("after ten wrong passwords: %d %v", page.status, page.header)
		}
		var failed int
		if err := s.DB.Read(t.Context(), s.account.Tenant, func(tx *db.Tx) error {
			list, _, err := audit.List(tx, audit.Filter{Limit: 100, To: 1 << 62})
			for _, entry := range list {
				if entry.Action == "user.login_failed" {
					failed++
				}
			}
			return err
		}); err != nil || failed != 10 {
			t.Errorf("%d failed logins are in the audit log, %v", failed, err)
		}
	})
}

// The API takes no session, neither as a cookie nor as a token, and the dashboard takes no access token.
func TestSessionsAndTokensAreApart(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		session := b.client.Jar.Cookies(mustURL(t, s.url+prefix+"/"))[0].Value
		if out := b.send("GET", "/api/v1/account", nil, ""); out.status != 401 {
			t.Errorf("the API with the cookie's jar: %d", out.status)
		}
		b.header.Set("Cookie", cookieName+"="+session)
		if out := b.send("GET", "/api/v1/account", nil, ""); out.status != 401 {
			t.Errorf("the API with the cookie: %d", out.status)
		}
		b.header.Set("Authorization", "Bearer "+session)
		if out := b.send("GET", "/api/v1/account", nil, ""); out.status != 401 {
			t.Errorf("the API with the session as a token: %d", out.status)
		}
		var token string
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			token = s.Commerce.LogIn(tx, &s.owner, accounts.Origin{})
			return nil
		})
		b.header.Set("Authorization", "Bearer "+token)
		if out := b.send("GET", "/api/v1/account", nil, ""); out.status != 200 {
			t.Errorf("the API with a token: %d", out.status)
		}
		b.header.Del("Authorization")
		b.header.Set("Cookie", cookieName+"="+token)
		if out := b.get("/settings/me"); out.status != 303 {
			t.Errorf("the dashboard with a token: %d", out.status)
		}
	})
}

// A login leads to pages of the dashboard only.
func TestOwnPage(t *testing.T) {
	for next, want := range map[string]string{
		"":                            "/",
		"/dashboard":                  "/",
		"/dashboard/orders?status=x":  "/orders?status=x",
		"/dashboard/login":            "/",
		"//evil.example/dashboard/":   "/",
		"https://evil.example":        "/",
		"/dashboard/../../evil":       "/",
		`/dashboard/\evil.example`:    "/",
		"/api/v1/orders":              "/",
		"/dashboardevil":              "/",
		"javascript:alert(1)":         "/",
		"/dashboard//evil.example":    "/",
		"/dashboard/orders/%2e%2e/%2": "/",
	} {
		if got := ownPage(next); got != want {
			t.Errorf("%q leads to %q, want %q", next, got, want)
		}
	}
}

// Who may use a session: an active user until the password changes, he is disabled, or twelve hours have passed.
func TestSessionsEnd(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		user := s.newUser("vera@test.example", accounts.Admin)
		b := s.as(user)
		if out := b.get("/settings/me"); out.status != 200 {
			t.Fatalf("%d", out.status)
		}
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			_, err := tx.Exec("UPDATE tokens SET expires_at = $2 WHERE tenant_id = $1", tx.Tenant, tx.Micros()-1)
			return err
		})
		if out := b.get("/settings/me"); out.status != 303 {
			t.Errorf("after its time: %d", out.status)
		}
		b = s.as(user)
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			_, err := tx.Exec("UPDATE users SET status = 'disabled' WHERE tenant_id = $1 AND id = $2::UUID", tx.Tenant, user.ID)
			return err
		})
		if out := b.get("/settings/me"); out.status != 303 {
			t.Errorf("disabled: %d", out.status)
		}
	})
}

// A form that another site's page sends does nothing.
func TestCrossSiteFormsAreRefused(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.as(s.owner)
	for _, header := range []http.Header{{"Sec-Fetch-Site": {"cross-site"}}, {"Origin": {"https://evil.example"}}} {
		b.header = header
		for _, route := range s.routes {
			if route.method != "POST" {
				continue
			}
			path := strings.NewReplacer("{id}", "01900000-0000-7000-8000-000000000001").Replace(route.path)
			if out := b.post(path, url.Values{}); out.status != 403 || !strings.Contains(out.words(), "another site") {
				t.Errorf("%s with %v: %d", route.path, header, out.status)
			}
		}
	}
}

// Who has logged in to another account in a second tab, and sends a form of the first one, makes nothing in the wrong account.
func TestFormOfAnotherAccount(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.newAccount("Second shop", "owner@second.example")
		b := s.browser()
		logIn := func(mail string) {
			t.Helper()
			out := b.post("/login", url.Values{"_key": {b.get("/login").key(t, "/login")}, "email": {mail}, "password": {password}})
			if out.status != 303 {
				t.Fatalf("%d %s", out.status, out.words())
			}
		}
		logIn(s.owner.Email)
		form := b.get("/products/new").inputs(t, "/products/new")
		form.Set("sku", "ZEBRA")
		form.Set("name", "Mug")
		form.Set("price", "9.50")
		logIn("owner@second.example")
		out := b.post("/products/new", form)
		if out.status != 401 || !strings.Contains(out.words(), "what you sent was not done") || strings.Contains(out.body, `id="side"`) {
			t.Errorf("%d %s", out.status, out.words())
		}
		if list := b.get("/products").words(); strings.Contains(list, "ZEBRA") {
			t.Errorf("it is in the second shop: %s", list)
		}
		logIn(s.owner.Email)
		if out := b.post("/products/new", form); out.status != 303 {
			t.Errorf("in its own account: %d %s", out.status, out.words())
		}
	})
}

// A page that stays open while its browser logs in to another account keeps what is typed, and shows nothing of the other account.
func TestNewsOfAnotherAccount(t *testing.T) {
	b, _, _ := openOrder(t)
	s := b.s
	_, other := s.newAccount("Second shop", "owner@second.example")
	b.fill("[name=carrier]", "DHL")
	cookie := s.as(other).client.Jar.Cookies(mustURL(t, s.url+prefix+"/"))[0]
	call(b, network.SetCookie, network.SetCookieParams{Name: cookie.Name, Value: cookie.Value, URL: s.url + prefix + "/"})
	b.do(chromedp.Evaluate[chromedp.Void]("dispatchEvent(new Event('online'))")) // as news do
	b.until("document.querySelector('#ended').checkVisibility()")
	b.click("#ship")
	b.until("!document.querySelector('[data-busy]')")
	if b.is("document.querySelector('h1').innerText !== 'ORD-000001' || document.querySelector('[name=carrier]').value !== 'DHL'") {
		t.Errorf("the page: %s", b.text())
	}
}
