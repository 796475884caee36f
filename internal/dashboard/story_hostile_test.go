package dashboard

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"entrepot/internal/accounts"
)

// Another site's page can neither change anything with a form of its own nor show a page of the dashboard in a frame.
func TestStoryOfAnotherSite(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	order := c.order("PENDING", nil, 1)
	page := fmt.Sprintf(`<!doctype html><title>Win a mug</title><iframe src="%s/orders"></iframe>`+
		`<form method="post" action="%s/orders/%s/move"><input name="status" value="CANCELLED"><button>Claim it</button></form>`,
		s.url+prefix, s.url+prefix, order)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(page))
	}))
	defer other.Close()
	b := s.window(t, s.owner)
	b.hosts = []string{strings.Replace(other.URL, "127.0.0.1", "localhost", 1)} // a site of its own for the browser
	b.open("/orders")
	b.shows("ORD-000001")
	b.do(chromedp.Navigate(b.hosts[0]))
	b.until("frames.length === 1")
	b.until("document.querySelector('iframe').contentDocument === null") // another origin: the refusal
	b.press("Claim it")
	b.shows("sent by a page of another site")
	if refused := b.complaints(); !strings.Contains(refused, "frame-ancestors") {
		t.Errorf("the frame was shown: %q", refused)
	}
	if got := c.call("GET", "/orders/"+order, nil)["status"]; got != "PENDING" {
		t.Errorf("the order is %v", got)
	}
}

// A viewer sees what is there and no way to change it; what he sends all the same is refused, and so is an id of another account.
func TestStoryOfAViewer(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	order := c.order("PROCESSING", nil, 1)
	vera := s.newUser("vera@test.example", accounts.Viewer)
	_, stranger := s.newAccount("Stranger", "stranger@test.example")
	b := s.window(t, vera)
	b.open("/orders/" + order)
	b.shows("ORD-000001")
	if eval[bool](b, "!!document.querySelector('main form[method=post] button, #ship, .qty')") {
		t.Error("a viewer is offered an action")
	}
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`const f = document.createElement('form'); f.method = 'post';
		f.action = '%s/orders/%s/move'; f.append(Object.assign(document.createElement('input'), { name: 'status', value: 'CANCELLED' }));
		document.body.append(f); f.submit()`, prefix, order)))
	b.shows("Not allowed")
	if got := c.call("GET", "/orders/"+order, nil)["status"]; got != "PROCESSING" {
		t.Errorf("the order is %v", got)
	}
	foreign := s.window(t, stranger)
	foreign.open("/orders/" + order)
	foreign.shows("Nothing here")
}

// Names that are scripts, run from right to left, are 5,000 characters long or would be formulas are shown as what they are, and no page
// is wider than its window.
func TestStoryOfHostileNames(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	names := []string{`<script>document.hacked = 1</script>`, `"><img src=x onerror="document.hacked = 1">`, "\u202eevil\u202c right to left",
		"שלום עולם", "=HYPERLINK(1+1)", strings.Repeat("W", 200), "{{.Password}}", "javascript:document.hacked=1"}
	var made []string
	for i, name := range names {
		c.call("POST", "/products", map[string]any{"sku": fmt.Sprint("H", i), "name": name, "price": 1})
		made = append(made, c.order("PENDING", map[string]any{"customerName": name, "externalReference": name, "notes": name,
			"customerEmail": fmt.Sprintf("h%d@x.example", i), "paymentMetadata": map[string]any{name: name},
			"shippingAddress": map[string]any{"line1": name, "city": name, "country": "FR"},
			"currency":        "KWD", "items": []any{map[string]any{"sku": fmt.Sprint("H", i), "quantity": 1000000, "unitPrice": "1.234"}}}))
	}
	order, unbroken := made[len(made)-1], made[5]
	c.call("POST", "/products", map[string]any{"sku": strings.Repeat("Y", 90), "name": names[5], "price": "99999999.99"})
	long := c.call("POST", "/products", map[string]any{"sku": "LONG", "name": "Long", "price": 1,
		"description": strings.Repeat("W", 5000)})["id"].(string)
	b := s.window(t, s.owner)
	for _, path := range []string{"/", "/orders", "/orders/" + order, "/orders/" + unbroken, "/products", "/products/" + long,
		"/customers", "/events", "/stock",
		"/orders?search=" + url.QueryEscape(names[0]), "/orders/slip?ids=" + order, "/settings/audit"} {
		for _, width := range []int64{1440, 1180, 1000, 320} {
			b.look(width, "light")
			b.open(path)
			if eval[bool](b, "!!document.hacked || !!document.querySelector('main script, main img[src=x]')") {
				t.Errorf("%s: a name is code", path)
			}
			if wide := eval[int](b, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
				t.Errorf("%s at %d: %d px too wide", path, width, wide)
			}
		}
	}
	b.look(1440, "light")
	b.open("/orders")
	for _, name := range names[:5] {
		b.shows(name)
	}
}

// tooWide are the innermost elements that make the page wider than its window.
const tooWide = `document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")].filter(e =>
	e.getBoundingClientRect().right > innerWidth && ![...e.children].some(c => c.getBoundingClientRect().right > innerWidth))
	.map(e => e.parentElement.outerHTML.slice(0, 200))`

// backwards are the words of a page beside names that are shown from right to left, because a name ran over them.
const backwards = `(() => {
	const list = [], walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT), range = document.createRange();
	const at = (node, i) => { range.setStart(node, i); range.setEnd(node, i + 1); return range.getBoundingClientRect(); };
	for (let node; node = walk.nextNode();) {
		const first = node.data.search(/[A-Za-z]{2}/);
		if (first < 0 || node.data.includes("\u202e") || !node.parentElement.checkVisibility()) continue;
		const a = at(node, first), b = at(node, first + 1);
		if (a.top === b.top && b.left < a.left) list.push(node.parentElement.parentElement.outerHTML.slice(0, 300));
	}
	return list;
})()`

// Whatever people give a name to, on every page: no name is code, none makes a page wider than its window, and none turns the words
// beside it around.
func TestHostileNamesOnEveryPage(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	hostile := "\u202e\"><img src=x onerror=document.hacked=1>" + strings.Repeat("W", 60)
	c, at := s.shopper(t), s.samples
	for path, body := range map[string]map[string]any{
		"/channels/" + at["/channels"]:           {"name": hostile},
		"/developer/webhooks/" + at["/webhooks"]: {"description": hostile},
		"/users/" + at["/settings/users"]:        {"name": hostile},
		"/products/" + at["/products"]:           {"name": hostile, "description": hostile, "brand": hostile},
		"/categories/" + at["/categories"]:       {"name": hostile},
		"/attributes/" + at["/attributes"]:       {"label": hostile},
		"/warehouses/" + at["/stock/warehouses"]: {"name": hostile},
		"/segments/" + at["/segments"]:           {"name": hostile},
		"/customers/" + at["/customers"]:         {"firstName": hostile, "company": hostile, "tags": []string{hostile}},
		"/orders/" + at["/orders"]:               {"notes": hostile},
		"/account":                               {"name": hostile},
	} {
		c.call("PATCH", path, body)
	}
	key := c.call("POST", "/developer/api-keys", map[string]any{"name": hostile, "scopes": []string{"read:orders"}})["id"].(string)
	at["/keys"] = key
	s.as(s.owner).post("/orders/views", url.Values{"_key": {rand.Text()}, "name": {hostile}, "search": {hostile}})
	b := s.window(t, s.owner)
	order := c.order("PROCESSING", map[string]any{"customerName": hostile, "externalReference": hostile, "channelId": at["/channels"]}, 3)
	line := c.call("GET", "/orders/"+order, nil)["items"].([]any)[0].(map[string]any)["id"]
	c.call("POST", "/orders/"+order+"/shipments", map[string]any{"carrier": hostile[:60], "trackingNumber": hostile[:60], "notes": hostile,
		"items": []any{map[string]any{"orderItemId": line, "quantity": 1}}})
	seen := 0
	for _, path := range append(s.pages(), "/orders/"+order) {
		b.look(1000, "light")
		b.open(path)
		if eval[bool](b, "!!document.hacked || !!document.querySelector('img[src=x]')") {
			t.Errorf("%s: a name is code", path)
		}
		for _, width := range []int64{1000, 320} {
			b.look(width, "light")
			if wide := eval[[]string](b, tooWide); len(wide) > 0 {
				t.Errorf("%s at %d: too wide: %s", path, width, wide[0])
			}
			if turned := eval[[]string](b, backwards); len(turned) > 0 {
				t.Errorf("%s at %d: from right to left: %s", path, width, turned[0])
			}
		}
		if eval[bool](b, "document.querySelector('main').textContent.includes('onerror=document.hacked')") {
			seen++
		}
	}
	if seen < 20 {
		t.Errorf("only %d pages showed such a name", seen)
	}
}

// Every page that needs no record opens in an account that has none.
func TestEveryPageOfAnEmptyAccount(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		for _, path := range s.pages() {
			if path == "/setup" || path == "/orders/slip" {
				continue // they are of a link and of orders
			}
			if page := b.get(path); page.status != 200 && page.status != 303 { // the login leads on
				t.Errorf("%s: %d %.200s", path, page.status, page.words())
			}
		}
	})
}
