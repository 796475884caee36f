package dashboard

import (
	"bytes"
	"io/fs"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/dashboard/texts"
)

// nobodys is an id that no record has.
const nobodys = "01900000-0000-7000-8000-000000000001"

// address is a route's path with ids that no record of the account has.
func (route *route) address() string {
	return regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(strings.TrimSuffix(route.path, "{$}"), nobodys)
}

// Without a session a page leads to the login, and an action is refused.
func TestEveryRouteTakesASession(t *testing.T) {
	s := newSite(t, "sqlite")
	for _, route := range s.routes {
		if route.open {
			continue
		}
		b := s.browser()
		if route.method == "GET" {
			if out := b.get(route.address()); out.status != 303 || !strings.HasPrefix(out.to(), prefix+"/login") {
				t.Errorf("GET %s: %d to %q", route.path, out.status, out.to())
			}
			continue
		}
		if out := b.post(route.address(), url.Values{}); out.status != 401 {
			t.Errorf("%s %s: %d", route.method, route.path, out.status)
		}
	}
}

// ownActions are what every user may do: with his own login.
var ownActions = map[string]bool{"/orders/export": true, "/products/export": true, "/stock/export": true, "/customers/export": true, "/exports/{id}/delete": true,
	"/orders/views": true, "/orders/views/delete": true, "/orders/columns": true, "/first-steps/dismiss": true,
	"/settings/me/password": true, "/settings/me/preferences": true, "/settings/me/images": true, "/settings/me/log-out-everywhere": true,
	"/products/bulk/{id}/report": true, "/_parts/form": true}

// A viewer changes nothing: an action without a scope of writing is only for oneself.
func TestViewersOnlyLook(t *testing.T) {
	s := newSite(t, "sqlite")
	s.newUser("vera@test.example", accounts.Viewer)
	for _, route := range s.routes {
		if route.open || route.method == "GET" || ownActions[route.path] {
			continue
		}
		if !route.admin && !strings.HasPrefix(route.scope, "write:") {
			t.Errorf("%s %s takes no right", route.method, route.path)
			continue
		}
		b := s.as(accounts.User{Email: "vera@test.example"})
		if out := b.post(route.address(), url.Values{}); out.status != 403 {
			t.Errorf("%s %s by a viewer: %d", route.method, route.path, out.status)
		}
	}
}

// An id that the account does not have is not found, by whatever route.
func TestForeignIDsAreNotFound(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.as(s.owner)
	for _, route := range s.routes {
		if !strings.Contains(route.path, "{") || strings.HasSuffix(route.path, "{$}") || route.moved {
			continue
		}
		out := b.get(route.address())
		if route.method != "GET" {
			out = b.post(route.address(), url.Values{})
		}
		if out.status != 404 {
			t.Errorf("%s %s: %d %.200s", route.method, route.path, out.status, out.words())
		}
	}
}

// Records of one account do not exist for another: none of their pages opens and none of their actions does anything,
// though the ids are valid.
func TestForeignRecordsAreNotThere(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.seed()
		_, stranger := s.newAccount("Stranger", "stranger@test.example")
		own, foreign := s.as(s.owner), s.as(stranger)
		shown := map[string]bool{} // pages of the account, by path
		for _, route := range s.routes {
			path := s.sample(route.path)
			if path == "" || route.moved {
				continue
			}
			if strings.Contains(path, "{") {
				t.Errorf("%s %s: the sample data has no such record", route.method, route.path)
				continue
			}
			out := foreign.get(path)
			if route.method != "GET" {
				out = foreign.post(path, url.Values{"confirm": {"yes"}, "name": {"taken over"}})
			} else {
				shown[path] = true
			}
			if out.status != 404 {
				t.Errorf("%s %s of another account: %d %.200s", route.method, route.path, out.status, out.words())
			}
		}
		for path := range shown {
			if out := own.get(path); out.status != 200 || strings.Contains(out.words(), "taken over") {
				t.Errorf("GET %s of the own account: %d %.200s", path, out.status, out.words())
			}
		}
		if len(shown) < 12 {
			t.Errorf("only %d pages of records were opened", len(shown))
		}
	})
}

// sample is a route's path with the id of a record of the sample data; "" for a route about no record.
func (s *site) sample(path string) string {
	open, end := strings.Index(path, "{"), strings.Index(path, "}")
	if open < 0 || strings.HasSuffix(path, "{$}") {
		return ""
	}
	if to, found := s.samples[strings.TrimSuffix(path[:open], "/")]; found {
		return path[:open] + to + path[end+1:]
	}
	return path
}

// Every page has the headers that keep it out of caches and frames.
func TestHeaders(t *testing.T) {
	s := newSite(t, "sqlite")
	for _, path := range []string{"/login", "/settings/me", "/nothing/here"} {
		out := s.as(s.owner).get(path)
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
			"Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "no-store"} {
			if out.header.Get(name) != want {
				t.Errorf("%s: %s: %q", path, name, out.header.Get(name))
			}
		}
		if got := out.header.Get("Content-Security-Policy"); !strings.HasPrefix(got, "default-src 'none'; script-src 'self'; style-src 'self';") {
			t.Errorf("%s: %s", path, got)
		}
	}
	if out := s.as(s.owner).get("/nothing/here"); out.status != 404 || !strings.Contains(out.words(), "There is no page at this address") {
		t.Errorf("an unknown page: %d %s", out.status, out.words())
	}
}

// Static files have names of their content and are kept for ever; names of files that are not there are nothing.
func TestStaticFiles(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.browser()
	out := b.send("GET", s.files.asset("dash.css"), nil, "")
	if out.status != 200 || !strings.HasPrefix(out.header.Get("Content-Type"), "text/css") ||
		!strings.Contains(out.header.Get("Cache-Control"), "immutable") {
		t.Errorf("%d %v", out.status, out.header)
	}
	out = b.get("/static/0000000000/dash.css") // of a page from a node of another version
	if out.status != 200 || !strings.HasPrefix(out.header.Get("Content-Type"), "text/css") || out.header.Get("Cache-Control") != "no-store" {
		t.Errorf("in another version's folder: %d %v", out.status, out.header)
	}
	for _, path := range []string{"/static/dash.css", "/static/", "/static/../routes.go", "/static/0000000000/other.css",
		"/static/0000000000/", "/static/000000000/dash.css"} {
		if out := b.get(path); out.status == 200 {
			t.Errorf("%s is served", path)
		}
	}
}

// Every layer of the stylesheet is at the top level: a nested one loses to all rules of the outer one.
func TestLayersOfTheStylesheet(t *testing.T) {
	text, err := fs.ReadFile(embedded, "static/dash.css")
	if err != nil {
		t.Fatal(err)
	}
	open := 0
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "@layer") && open != 0 {
			t.Fatalf("line %d: %d blocks are open before %s", i+1, open, line)
		}
		open += strings.Count(line, "{") - strings.Count(line, "}")
	}
	if open != 0 {
		t.Errorf("%d blocks are open at the end", open)
	}
}

// Every page's template is valid and has the layout: the service finds out only when somebody opens the page.
func TestTemplatesParse(t *testing.T) {
	pages := newTemplates(newFiles(false))[texts.English].pages
	for name, page := range pages {
		if page().Lookup("layout") == nil {
			t.Errorf("%s has no layout", name)
		}
	}
	if len(pages) < 40 {
		t.Errorf("%d pages are found", len(pages))
	}
}

// No template holds what the policy refuses, or goes around the escaping. The preview of a description is HTML of its own,
// in a sandbox in which nothing runs.
func TestTemplatesHoldNothingInline(t *testing.T) {
	inline := regexp.MustCompile(`(?i)\sstyle=|<style|<script>|<script [^>]*>[^<]|\son[a-z]+=|javascript:|srcdoc=`)
	err := fs.WalkDir(embedded, "templates", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(embedded, path)
		text = bytes.Replace(text, []byte(` sandbox srcdoc="{{.}}"`), nil, 1)
		if found := inline.Find(text); found != nil {
			t.Errorf("%s has %s", path, found)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The address of a form, which a browser shows with its answer, leads to the page that has the form, also after a login.
func TestAddressesOfForms(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b, at := s.as(s.owner), s.samples
	for address, page := range map[string]string{
		"/channels/" + at["/channels"] + "/test":            "/channels/" + at["/channels"],
		"/orders/" + at["/orders"] + "/ship":                "/orders/" + at["/orders"],
		"/products/" + at["/products"] + "/publish":         "/products/" + at["/products"],
		"/webhooks/" + at["/webhooks"] + "/rotate":          "/webhooks/" + at["/webhooks"],
		"/settings/me/password":                             "/settings/me",
		"/orders/bulk?status=PENDING":                       "/orders?status=PENDING",
		"/orders/views/delete":                              "/orders",
		"/stock/levels":                                     "/stock",
		"/webhooks/deliveries/retry":                        "/webhooks/deliveries",
		"/stock/levels/x/receive":                           "",
		"/stock/a%2Fb/receive":                              "/stock/a%2Fb",
		"/settings/nowhere":                                 "",
		"/orders/" + at["/orders"] + "/ship/" + at["/keys"]: "",
	} {
		out := b.get(address)
		if page == "" && out.status != 404 || page != "" && out.to() != prefix+page {
			t.Errorf("%s: %d %s", address, out.status, out.to())
		}
	}
	out := s.browser().post("/orders/"+at["/orders"]+"/ship", nil)
	if link := `href="` + prefix + "/login?next=%2Fdashboard%2Forders%2F" + at["/orders"] + `"`; !strings.Contains(out.body, link) {
		t.Errorf("without a session: no %s in %.1500s", link, out.body)
	}
	out = s.browser().post("/stock/levels", nil)
	if !strings.Contains(out.body, `href="`+prefix+`/login?next=%2Fdashboard%2Fstock"`) {
		t.Errorf("without a session: %.1500s", out.body)
	}
	out = b.post("/orders/bulk?status=PENDING", url.Values{"to": {"nowhere"}})
	if out.status != 400 || !strings.Contains(out.body, `href="`+prefix+`/orders?status=PENDING">Back`) {
		t.Errorf("nothing leads back: %d %s", out.status, out.words())
	}
}
