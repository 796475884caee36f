package dashboard

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"entrepot/internal/accounts"
	"entrepot/internal/db"
)

// The overview of an empty account leads into it; that of one at work says what waits, with its figures.
func TestOverview(t *testing.T) {
	sitesWith(t, noon, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		if out := b.get("/"); out.status != 200 || !strings.Contains(out.words(), "First steps Put away Create your account Done") {
			t.Fatalf("empty: %d %s", out.status, out.words())
		}
		s.seedWork()
		out := b.get("/?days=30")
		for _, words := range []string{"8 orders to ship", "The oldest came", "Shop order status page fails",
			"None of the last 3 attempts succeeded", "2 SKUs oversold", "DSK-LAMP −77", "Orders 30", "Revenue €5,220", "New customers 9",
			"ERP Custom €5,220 · 30", "ORD-000001", "Clara Schumann 0", "0 of 3 succeeded", "Low stock"} {
			if !strings.Contains(out.words(), words) {
				t.Errorf("the overview does not say %q: %s", words, out.words())
			}
		}
		if !strings.Contains(out.body, prefix+"/orders?sort=createdAt:asc") {
			t.Error("orders to ship do not begin with the oldest")
		}
		b.header.Set("Accept-Language", "de-DE")
		if out := b.get("/"); !strings.Contains(out.words(), "5.220 €") {
			t.Errorf("in German separators: %s", out.words())
		}
		s.newUser("vera@test.example", accounts.Viewer)
		out = s.as(accounts.User{Email: "vera@test.example"}).get("/")
		if out.status != 200 || !strings.Contains(out.words(), "8 orders to ship") {
			t.Errorf("for a viewer: %d", out.status)
		}
	})
}

// A figure is as large in every locale: what has few signs is not small because they take many bytes.
func TestFiguresAreLargeInEveryLocale(t *testing.T) {
	for value, want := range map[string]string{"€9,190": "", "10.601 €": "", "121,85 €": "", "123.456 €": "", "1.234.567 €": "long",
		"123.456.789.012 €": "longer"} {
		if size := (kpi{Value: strings.ReplaceAll(value, " ", "\u00a0")}).Size(); size != want {
			t.Errorf("%s is %q, not %q", value, size, want)
		}
	}
}

// The overview shows the figures and latest orders of one channel, and leads to its orders; what waits for people is that of all.
func TestOverviewOfOneChannel(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		shop := c.call("POST", "/channels", map[string]any{"platform": "CUSTOM", "name": "Till"})["channel"].(map[string]any)["id"].(string)
		has(t, b.get("/"), "Overview Live 7 days 30 days 90 days")
		if page := b.get("/"); strings.Contains(page.body, "of-channel") {
			t.Error("one channel is offered to choose from")
		}
		stall := c.call("POST", "/channels", map[string]any{"platform": "CUSTOM", "name": "Stall"})["channel"].(map[string]any)["id"]
		c.order("PROCESSING", map[string]any{"channelId": shop}, 2)
		c.order("PROCESSING", map[string]any{"channelId": stall, "customerName": "Mary Jackson"}, 1)
		has(t, b.get("/?days=7"), "All channels Stall Till", "Orders 2", "Revenue €29", "ORD-000001", "ORD-000002", "2 orders to ship")
		page := b.get("/?days=7&channelId=" + shop)
		has(t, page, "Orders 1", "Revenue €19", "Till Custom €19 · 1", "of every channel", "ORD-000001", "2 orders to ship")
		if strings.Contains(page.words(), "ORD-000002") || strings.Contains(page.words(), "Mary Jackson") {
			t.Errorf("an order of the other channel: %s", page.words())
		}
		for _, link := range []string{"/orders?channelId=" + shop, "/?days=90&amp;channelId=" + shop} {
			if !strings.Contains(page.body, `href="`+prefix+link+`"`) {
				t.Errorf("no link to %s", link)
			}
		}
		for _, channel := range []string{"x", "019a1c52-7c1e-7d40-9a55-00000000000c"} {
			if out := b.get("/?channelId=" + channel); out.status != 404 {
				t.Errorf("the channel %s: %d", channel, out.status)
			}
		}
	})
}

// A custom channel's key is shown once, works, and is in no later page; the channel goes when its name is typed.
func TestChannels(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		page := b.get("/channels/new?platform=CUSTOM")
		values := url.Values{"_key": {page.key(t, "/channels/new")}, "platform": {"CUSTOM"}, "name": {""}}
		if out := b.post("/channels/new", values); out.status != 422 || !strings.Contains(out.words(), "Name is required") {
			t.Fatalf("no name: %d %s", out.status, out.words())
		}
		values.Set("name", "Our ERP")
		out := b.post("/channels/new", values)
		at := strings.Index(out.body, "pk_live_")
		if out.status != 200 || at < 0 {
			t.Fatalf("%d %s", out.status, out.words())
		}
		key, _, _ := strings.Cut(out.body[at:], `"`)
		if again := b.post("/channels/new", values); !strings.Contains(again.body, key) {
			t.Errorf("a second click answers %d %s", again.status, again.words())
		}
		list := b.get("/channels")
		if strings.Count(list.body, ">Our ERP<") != 1 || strings.Contains(list.body, key) || strings.Contains(list.words(), "Last synchronised") {
			t.Errorf("the list: %s", list.words())
		}
		caller := s.browser()
		caller.header.Set("X-API-Key", key)
		order := `{"customerName":"Ada","items":[{"sku":"X","quantity":1,"unitPrice":1}]}`
		// the key is good, the SKU unknown
		if made := caller.send("POST", "/api/v1/orders", strings.NewReader(order), "application/json"); made.status != 400 ||
			!strings.Contains(made.body, "X") {
			t.Errorf("with the key: %d %s", made.status, made.body)
		}
		_, rest, _ := strings.Cut(list.body, prefix+"/channels/0")
		channel, _, _ := strings.Cut("0"+rest, `"`)
		if strings.Contains(s.log.String(), key) {
			t.Error("the key is in the log")
		}
		view := b.get("/channels/" + channel)
		if view.status != 200 || strings.Contains(view.body, key) || strings.Contains(view.words(), "Test the connection") {
			t.Errorf("%d %s", view.status, view.words())
		}
		if out := b.post("/channels/"+channel+"/test", nil); out.status != 400 {
			t.Errorf("a custom channel is tested: %d", out.status)
		}
		if out := b.follow(b.post("/channels/"+channel+"/status", url.Values{"status": {"inactive"}})); !strings.Contains(out.words(), "Undo") {
			t.Errorf("%s", out.words())
		}
		if out := b.post("/channels/"+channel+"/delete", url.Values{"name": {"our erp"}}); out.status != 422 {
			t.Errorf("another name: %d", out.status)
		}
		out = b.follow(b.post("/channels/"+channel+"/delete", url.Values{"name": {"Our ERP"}}))
		if !strings.Contains(out.words(), "No channels yet") {
			t.Errorf("%s", out.words())
		}
		if out := caller.send("GET", "/api/v1/orders", nil, ""); out.status != 401 {
			t.Errorf("the deleted channel's key: %d", out.status)
		}
	})
}

// The figures of an open overview follow the orders: those by channel and by day as those in all.
func TestOverviewFollowsOrders(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.window(t, s.owner)
	b.open("/")
	b.shows("By channel")
	const today = `document.querySelector('.chart tbody tr:last-child').innerText`
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('.chart details').open = true`))
	before := eval[string](b, today)
	c := s.shopper(t)
	shop := c.call("POST", "/channels", map[string]any{"platform": "CUSTOM", "name": "Pop-up"})["channel"].(map[string]any)["id"]
	c.call("POST", "/orders", map[string]any{"channelId": shop, "customerName": "Ada",
		"items": []any{map[string]any{"sku": "KIT-POT", "quantity": 1, "unitPrice": 89}}})
	b.until(`[...document.querySelectorAll('.share')].some(e => e.innerText.includes('Pop-up'))`)
	b.until(fmt.Sprintf("%s !== %q && document.querySelector('.chart details').open", today, before))
}

// The lists that the figures lead to have as many orders as the figures count: those of the span in the user's zone, in any currency,
// without cancelled ones.
func TestFiguresAreThoseOfTheirLists(t *testing.T) {
	now := time.Date(2026, 4, 8, 9, 30, 0, 0, time.UTC) // an evening in Auckland, three days after the clocks were set back: no day ends
	sitesWith(t, func(c *db.Config) { c.Now = func() time.Time { return now } }, func(t *testing.T, s *site) {
		c := s.shopper(t)
		c.articles()
		c.call("PATCH", "/account", map[string]any{"timeZone": "Pacific/Auckland"})
		shop := c.call("POST", "/channels", map[string]any{"platform": "CUSTOM", "name": "Pop-up"})["channel"].(map[string]any)["id"]
		b := s.as(s.owner)
		zone, err := time.LoadLocation("Pacific/Auckland")
		if err != nil {
			t.Fatal(err)
		}
		year, month, day := s.DB.Now().In(zone).Date()
		begins := time.Date(year, month, day-6, 0, 0, 0, 0, zone) // of the seven days
		for i, at := range []time.Time{begins.Add(-time.Second), begins, begins.Add(time.Hour), begins.Add(30 * time.Hour)} {
			for _, currency := range []string{"EUR", "JPY", "KWD"}[:1+i%3] {
				c.order("PROCESSING", map[string]any{"currency": currency, "channelId": shop, "createdAt": at.UTC().Format(time.RFC3339)}, 1)
			}
		}
		gone := c.order("PENDING", nil, 2)
		c.call("PATCH", "/orders/"+gone+"/status", map[string]any{"status": "CANCELLED"})
		page := b.get("/?days=7")
		if !strings.Contains(page.words(), "Days in Pacific/Auckland") {
			t.Errorf("the zone of the days: %s", page.words())
		}
		if !strings.Contains(page.words(), "Orders 6 ") || !strings.Contains(page.words(), "plus ¥20, KWD 10") {
			t.Errorf("the figures: %s", page.words())
		}
		for what, link := range map[string]*regexp.Regexp{"orders": regexp.MustCompile(`<a href="([^"]*)"><span>Orders</span>`),
			"the channel's": regexp.MustCompile(`<a class="hit" href="([^"]*)">Pop-up</a>`)} {
			found := link.FindStringSubmatch(page.body)
			if found == nil {
				t.Fatalf("%s: no link in %s", what, page.body)
			}
			list := b.send("GET", html.UnescapeString(found[1]), nil, "").words()
			if !strings.Contains(list, "6 orders") || !strings.Contains(list, "Status: all but Cancelled") {
				t.Errorf("%s: %s", what, list)
			}
		}
	})
}
