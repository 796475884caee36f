package dashboard

import (
	"entrepot/internal/accounts"
	"entrepot/internal/db"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// onlyInAMoment are routes that the pages of the sample data do not lead to, with the reason; those with a name have a test of that name.
var onlyInAMoment = map[string]string{
	"POST /orders/bulk/{id}/undo": "TestBulkShip",
	"POST /first-steps/dismiss":   "TestFirstSteps",
	"POST /products/bulk":         "TestBulkChangeOfProducts", "POST /products/bulk/{id}/action": "TestBulkChangeOfProducts",
	"GET /connect/{id}/stock":    "TestStoryOfConnectingAShop",
	"POST /connect/{id}/stock":   "TestStoryOfConnectingAShop",
	"GET /connect/{id}/orders":   "TestStoryOfConnectingAShop",
	"POST /connect/{id}/orders":  "TestStoryOfConnectingAShop",
	"GET /connect/{id}/products": "TestStoryOfConnectingAShop",
	"GET /connect/{id}/on":       "TestStoryOfConnectingAShop",
	"POST /connect/{id}/on":      "TestStoryOfConnectingAShop",
	"GET /setup":                 "there is an account", "POST /setup": "there is an account",
	"GET ": "it leads to the overview", "GET /live": "the script's stream", "GET /counts": "the script's counts",
	"GET /_parts": "only developers use it", "POST /_parts/form": "only developers use it",
	"POST /channels/{id}/rules/undo":  "TestRulesOfAChannel",
	"POST /orders/{id}/issues":        "TestOrderThatDisagreesWithItsShop",
	"POST /products/import/{id}/stop": "TestSecondClicksOfAnImport", "POST /orders/import/{id}/stop": "as that of products",
	"POST /prices/import/{id}/stop": "as that of products", "POST /inventory/import/{id}/stop": "as that of products",
	"POST /shipments/import/{id}/stop": "as that of products",
	"GET /stock/-/{sku}":               "TestAddressesBelowStock",
	"GET /settings/sandbox":            "TestSandboxClock", "POST /settings/sandbox": "TestSandboxClock",
}

var (
	linked = regexp.MustCompile(`<a [^>]*href="([^"#]+)`)
	formed = regexp.MustCompile(`<form [^>]*>`)
	acted  = regexp.MustCompile(` (?:form)?action="([^"#]*)`)
	method = regexp.MustCompile(` (?:form)?method="post"`)
	button = regexp.MustCompile(`<button [^>]*formaction=[^>]*>`)
)

// Whoever starts at the overview comes by links and forms to every page and every action: a route that no page leads to is reached by
// nobody.
func TestEveryRouteIsOnAPage(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.as(s.owner)
	b.follow(b.post("/orders/views", url.Values{"name": {"Open"}, "status": {"PENDING"}}))
	home := "/customers/" + s.samples["/customers"]
	b.follow(b.submit(t, b.get(home), home+"/addresses", "line1", "1 rue X", "zip", "75001", "city", "Paris", "country", "fr"))
	queue := []string{prefix + "/", // the others are answers to forms
		prefix + home + "/merge?with=bob@example.com", prefix + "/orders/" + s.shopper(t).order("PENDING", nil, 1) + "?open=lines",
		prefix + "/orders/" + s.samples["/orders"] + "?open=returns"}
	patterns := http.NewServeMux()
	for _, route := range s.routes {
		patterns.HandleFunc(route.method+" "+prefix+route.path, func(http.ResponseWriter, *http.Request) {})
	}
	patternOf := func(verb, path string) string {
		request, err := http.NewRequestWithContext(t.Context(), verb, path, nil)
		if err != nil {
			return ""
		}
		_, pattern := patterns.Handler(request)
		return strings.Replace(pattern, " "+prefix, " ", 1)
	}
	const most = 12 // pages of one route
	shown, seen := map[string]int{}, map[string]bool{}
	found, from := map[string]string{}, map[string]string{}
	note := func(verb, to, page string) {
		to = html.UnescapeString(to)
		at, err := url.Parse(to)
		if err != nil || !strings.HasPrefix(at.Path, prefix) {
			return
		}
		pattern := patternOf(verb, at.EscapedPath())
		if found[pattern] == "" {
			found[pattern] = page
		}
		if verb == "GET" && !seen[to] && shown[pattern] < most {
			seen[to], from[to] = true, page
			shown[pattern]++
			queue = append(queue, to)
		}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		page := b.send("GET", at, nil, "")
		if page.status != 200 || !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") {
			if page.status >= 400 && !strings.HasPrefix(from[at], prefix+"/events") { // an event may outlive its record
				t.Errorf("%s leads to %s: %d", from[at], at, page.status)
			}
			continue
		}
		for _, link := range linked.FindAllStringSubmatch(page.body, -1) {
			note("GET", link[1], at)
		}
		for _, tag := range append(formed.FindAllString(page.body, -1), button.FindAllString(page.body, -1)...) {
			verb := "GET"
			if method.MatchString(tag) || strings.HasPrefix(tag, "<button") && !strings.Contains(tag, `formmethod="get"`) {
				verb = "POST"
			}
			if to := acted.FindStringSubmatch(tag); to != nil {
				note(verb, to[1], at)
			}
		}
	}
	for _, route := range s.routes {
		name := route.method + " " + route.path
		if found[name] == "" && onlyInAMoment[name] == "" && !route.moved {
			t.Errorf("no page leads to %s", name)
		}
		if found[name] != "" && onlyInAMoment[name] != "" {
			t.Errorf("%s is on %s", name, found[name])
		}
	}
}

// What a page says of its own elements is true: an id stands once, and what is named by a label, a description, a button of a menu or a
// link within the page is there. Nobody is given a form that is refused to them.
func TestPagesNameWhatTheyHave(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	viewer := s.newUser("viewer@test.example", accounts.Viewer)
	ids := regexp.MustCompile(` id="([^"]+)"`)
	posted := regexp.MustCompile(`(?s)<form [^>]*method="post"[^>]* action="([^"?]+)[^>]*>(.*?)</form>`)
	button := regexp.MustCompile(`<button( class="[^"]*"| name="[^"]*"| value="[^"]*"| formnovalidate)*>`)
	named := regexp.MustCompile(` (?:aria-labelledby|aria-describedby|for|popovertarget|commandfor)="([^"]+)"| href="#([^"]+)"`)
	for _, user := range []accounts.User{s.owner, viewer} {
		b := s.as(user)
		for _, path := range s.pages() {
			page := b.get(path)
			there := map[string]bool{}
			for _, id := range ids.FindAllStringSubmatch(page.body, -1) {
				if there[id[1]] {
					t.Errorf("%s: the id %s stands twice", path, id[1])
				}
				there[id[1]] = true
			}
			for _, name := range named.FindAllStringSubmatch(page.body, -1) {
				for id := range strings.FieldsSeq(name[1] + name[2]) {
					if !there[id] {
						t.Errorf("%s: nothing has the id of%s", path, name[0])
					}
				}
			}
			for _, form := range posted.FindAllStringSubmatch(page.body, -1) {
				if !button.MatchString(form[2]) {
					continue // its buttons, if any, lead elsewhere
				}
				if out := b.send("POST", form[1], strings.NewReader("_key=another.page"), "application/x-www-form-urlencoded"); out.status == 403 {
					t.Errorf("%s has a form for %s, which is refused to %s", path, form[1], user.Email)
				}
			}
		}
	}
}

// Whoever may see a part only is led to no page that is refused: with one of the scopes that read, without one, and as a viewer of all.
func TestNobodyIsLedToWhatIsRefused(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	viewer := s.newUser("few@test.example", accounts.Viewer)
	leads, ids := regexp.MustCompile(`<a [^>]*href="(`+prefix+`[^"#]*)`), regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`)
	reads := slices.DeleteFunc(slices.Clone(accounts.AllScopes), func(scope string) bool { return !strings.HasPrefix(scope, "read:") })
	rights := [][]string{nil}
	for _, scope := range reads {
		rights = append(rights, []string{scope}, slices.DeleteFunc(slices.Clone(reads), func(other string) bool { return other == scope }))
	}
	for _, scopes := range rights {
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			_, err := tx.Exec("UPDATE users SET scopes = $2 WHERE tenant_id = $1 AND id = $3::UUID", tx.Tenant, strings.Join(scopes, " "), viewer.ID)
			return err
		})
		b, seen, from, queue := s.as(viewer), map[string]bool{}, map[string]string{}, []string{prefix + "/"}
		for ; len(queue) > 0; queue = queue[1:] {
			page := b.send("GET", queue[0], nil, "")
			if page.status >= 400 {
				t.Errorf("with %s, %s leads to %s: %d", scopes, from[queue[0]], queue[0], page.status)
			}
			for _, link := range leads.FindAllStringSubmatch(page.body, -1) {
				to := html.UnescapeString(link[1])
				path, _, _ := strings.Cut(to, "?")
				if alike := ids.ReplaceAllString(path, "…"); !seen[alike] || strings.Contains(to, "/stock/") && !seen[to] {
					seen[alike], seen[to], from[to] = true, true, queue[0]
					queue = append(queue, to)
				}
			}
		}
	}
}
