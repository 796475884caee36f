package dashboard

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp/kb"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
)

// Events, deliveries and movements of stock name what they are about as people do, and lead there.
func TestRecordsAreNamed(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.seed()
		c := s.shopper(t)
		order := c.order("PROCESSING", nil, 3)
		b := s.as(s.owner)
		number := regexp.MustCompile(`ORD-\d+`).FindString(b.get("/orders/" + order).words())
		list := b.get("/events?event=order.received&resourceId=" + order)
		link := fmt.Sprintf(`href="%s/orders/%s">%s</a>`, prefix, order, number)
		if number == "" || !strings.Contains(list.body, link) {
			t.Errorf("no %s in %.900s", link, list.body)
		}
		event := regexp.MustCompile(prefix + `(/events/[0-9a-f-]{36})`).FindStringSubmatch(list.body)
		if event == nil {
			t.Fatalf("%.300s", list.words())
		}
		if page := b.get(event[1]); !strings.Contains(page.body, link) {
			t.Errorf("no %s on the event's page: %.900s", link, page.words())
		}
		has(t, b.get("/events?event=product.created"), "MUG-BLUE", "POT-4")
		has(t, b.get("/events?event=customer.created"), "Byron", "ada@test.example")
		b.sendForm(t, b.get("/orders/"+order), "/orders/"+order+"/ship")
		has(t, b.get("/stock/MUG"), "Shipped "+number)
	})
}

// A job whose items have a report of their own leads there; it does not say that nothing went wrong.
func TestAJobLeadsToItsReport(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.seed()
		b := s.as(s.owner)
		page := b.get("/jobs/" + s.samples["/jobs"])
		has(t, page, "2 failed: the full report says why.", "Full report")
		has(t, b.get("/orders/bulk/"+s.samples["/jobs"]), "2 refused")
		if !strings.Contains(page.body, `href="`+prefix+"/orders/bulk/"+s.samples["/jobs"]+`"`) {
			t.Errorf("no way to the report: %.600s", page.body)
		}
	})
}

// Nobody packs what was cancelled or came back: it has no packing slip, neither in a view nor by its id.
func TestNoSlipOfWhatIsCancelled(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c := s.shopper(t)
		c.articles()
		wanted, cancelled, returned := c.order("PROCESSING", nil, 3), c.order("CANCELLED", nil, 3), c.order("RETURNED", nil, 3)
		b := s.as(s.owner)
		for _, query := range []string{"", "?ids=" + wanted + "," + cancelled + "," + returned} {
			if page := b.get("/orders/slip" + query); page.status != 200 || strings.Count(page.body, "<article") != 1 {
				t.Errorf("%q: %d, %d slips", query, page.status, strings.Count(page.body, "<article"))
			}
		}
		has(t, b.get("/orders/slip?ids="+cancelled), "Nothing to pack")
		has(t, b.get("/orders/slip?search=nobody"), "Nothing to pack")
		if head, _, _ := strings.Cut(b.get("/orders?search=nobody").body, `id="orders"`); strings.Contains(head, "Packing slips") {
			t.Error("an empty list leads to packing slips")
		}
		if page := b.get("/orders/slip?ids=" + string(id.New[id.Order]())); page.status != 404 {
			t.Errorf("a slip of an unknown order: %d", page.status)
		}
	})
}

// What is begun from a delivery is prefilled in the inputs for times, and means the same moment.
func TestReplayTimes(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.as(s.owner)
	delivery := b.get("/webhooks/deliveries/" + s.samples["/webhooks/deliveries"])
	link := regexp.MustCompile(`href="` + prefix + `(/webhooks/replay/[^"]+)"`).FindStringSubmatch(delivery.body)
	if link == nil {
		t.Fatalf("%.300s", delivery.words())
	}
	page := b.get(link[1])
	from := regexp.MustCompile(`name="from" type="datetime-local" step="1" value="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"`)
	if !from.MatchString(page.body) || !strings.Contains(page.words(), "Time zone: UTC") || !strings.Contains(page.words(), "Send ") {
		t.Fatalf("%s: %s", link[1], page.words())
	}
	at := strings.Split(strings.TrimPrefix(link[1], "/webhooks/replay/"), "?")[0]
	for given, shown := range map[string]string{"2026-01-31T12:30:00Z": "2026-01-31T12:30:00", "2026-01-31": "2026-01-31T00:00:00",
		"2026-01-31T12:30": "2026-01-31T12:30:00"} {
		if page := b.get("/webhooks/replay/" + at + "?from=" + url.QueryEscape(given)); !strings.Contains(page.body, `value="`+shown+`"`) {
			t.Errorf("%s is not shown as %s", given, shown)
		}
	}
}

// On the narrowest screen a row says what its figures are, shows its name whole, and its inputs stand beside each other; the tab of the
// page is in sight.
func TestNarrowRows(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.window(t, s.owner)
	label := func(css string) string {
		return eval[string](b, fmt.Sprintf("getComputedStyle(document.querySelector(%q), '::before').content", css))
	}
	b.look(320, "light")
	b.open("/keys")
	for css, want := range map[string]string{"td[data-at=sum]": `"Used "`, "td[data-at=state]": `"Expires "`} {
		if got := label(css); got != want {
			t.Errorf("keys: %s is labelled %s, not %s", css, got, want)
		}
	}
	b.open("/webhooks")
	if got := label("td[data-at=sum]"); got != `"Waiting "` {
		t.Errorf("webhooks: %s", got)
	}
	b.open("/stock")
	if got := label("td[data-at=more]"); got != `"Low below "` || !eval[bool](b, "document.querySelector('.rows .qty').checkVisibility()") {
		t.Errorf("thresholds: %s", got)
	}
	b.open("/orders")
	if cut := eval[[]string](b, `[...document.querySelectorAll('.rows [data-at=name]')].filter(cell => {
		const link = cell.querySelector('a').getBoundingClientRect(), box = cell.getBoundingClientRect();
		return link.right > box.right + 1 || link.bottom > box.bottom + 1 || cell.querySelector('a').scrollWidth > link.width + 1;
	}).map(cell => cell.innerText)`); len(cut) > 0 {
		t.Errorf("orders that are cut: %q", cut)
	}
	b.open("/jobs")
	if text := eval[string](b, "document.querySelector('table.rows').innerText"); !strings.Contains(text, "2 failed") {
		t.Errorf("jobs without their failures: %s", text)
	}
	b.open("/settings/requests")
	if text := eval[string](b, "document.querySelector('table.rows').innerText"); !strings.Contains(text, "3 times") {
		t.Errorf("refused requests without their number: %s", text)
	}
	b.open("/channels/" + s.samples["/channels"])
	if covered := eval[bool](b, `(() => { const text = document.createRange(); text.selectNodeContents(document.querySelector('.copy pre'));
		const button = document.querySelector('.copy button').getBoundingClientRect();
		return [...text.getClientRects()].some(line =>
			line.top < button.bottom - 1 && line.bottom > button.top + 1 && line.right > button.left) })()`); covered {
		t.Error("the button covers the command")
	}
	b.open("/products/" + s.samples["/products"])
	if overlaps := eval[int](b, `(() => { const boxes = [...document.querySelectorAll('.inputs input:not([type=hidden])')]
		.filter(input => input.checkVisibility()).map(input => input.getBoundingClientRect());
		return boxes.filter((a, i) => boxes.some((b, j) => i < j && a.left < b.right - 1 && b.left < a.right - 1 &&
			a.top < b.bottom - 1 && b.top < a.bottom - 1)).length })()`); overlaps > 0 {
		t.Errorf("%d inputs of variants lie over each other", overlaps)
	}
	b.open("/keys/" + s.samples["/keys"])
	if rows := eval[int](b, `[...document.querySelectorAll('.scopes tbody tr')].filter(row =>
		row.cells[0].offsetTop !== row.cells[2].offsetTop).length`); rows > 0 {
		t.Errorf("%d scopes are broken over lines", rows)
	}
	s.channel("Shop in the town behind the church, number twelve")
	b.open("/orders?choose=channelId")
	if b.is("[...document.querySelectorAll('.choices a > span')].some(name => name.scrollWidth > name.clientWidth || !name.clientWidth)") {
		t.Error("names of channels to choose from are cut")
	}
	b.open("/settings/requests")
	b.until(`(() => { const tab = document.querySelector('.views [aria-current]'), bar = tab.parentElement;
		return tab.getBoundingClientRect().right <= bar.getBoundingClientRect().right + 1 })()`)
}

// A long name in a narrow column is cut at its end: as one piece it would vanish whole.
func TestLongNamesAreCut(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.window(t, s.owner)
	b.look(1440, "light")
	b.open("/settings/audit")
	if whole := eval[[]string](b, `[...document.querySelectorAll('#audit td.trim a')].filter(a => getComputedStyle(a).display !== 'inline')
		.map(a => a.innerText)`); len(whole) > 0 {
		t.Errorf("names that vanish where they do not fit: %q", whole)
	}
}

// Words are for people: a country is named, a role refuses instead of a scope, a job without items has done none of none, a delivery says
// what it is about, and who did something has a name.
func TestWordsForPeople(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.seed()
		c := s.shopper(t)
		order := c.order("PROCESSING", nil, 2)
		b := s.as(s.owner)
		number := regexp.MustCompile(`ORD-\d+`).FindString(b.get("/orders/" + order).words())
		customer := b.get("/customers/" + s.samples["/customers"])
		has(t, customer, "75002 Paris France", "Shipping")
		has(t, customer, number+", ", "are not shipped yet, and their addresses go, too: ship or cancel them first.")
		has(t, b.get("/segments"), "in France")
		s.deliver(t)
		c.call("PATCH", "/orders/"+order, map[string]any{"notes": "Ring"})
		link := fmt.Sprintf(`href="%s/orders/%s">%s</a>`, prefix, order, number)
		for late := time.Now().Add(pageTimeout); !strings.Contains(b.get("/webhooks/deliveries?event=order.updated").body, link); {
			if time.Now().After(late) {
				t.Fatalf("no %s in %.900s", link, b.get("/webhooks/deliveries?event=order.updated").words())
			}
		}
		b.sendForm(t, b.get("/orders/"+order), "/orders/"+order+"/ship")
		has(t, b.get("/stock/MUG"), "by Olga Owner")
		has(t, s.as(s.newUser("adam@test.example", accounts.Admin)).get("/orders/"+order), "by Olga Owner")
		viewer := s.as(s.newUser("vera2@test.example", accounts.Viewer))
		if out := viewer.get("/products/import"); out.status != 403 || !strings.Contains(out.words(), "Your role is viewer") {
			t.Errorf("%d %s", out.status, out.words())
		}
		log := b.get("/events?event=channel.sync_completed")
		job := regexp.MustCompile(`href="` + prefix + `(/jobs/[0-9a-f-]{36})"`).FindStringSubmatch(log.body)
		if job == nil || b.get(job[1]).status != 200 {
			t.Errorf("an event of a channel leads to %q", job)
		}
		if strings.Contains(b.get("/jobs").words(), "0 of 0") {
			t.Error("none of none is a figure")
		}
	})
	for name, words := range map[string]string{"url": "URL", "baseUrl": "Base URL", "consumerKey": "Consumer key", "apiKey": "API key"} {
		if got := memberWords(name); got != words {
			t.Errorf("%s is called %s", name, got)
		}
	}
}

// A custom channel is not synchronised, so that its page has no state and offers to stop nothing; one that was made inactive by the API is
// activated there.
func TestCustomChannelsHaveNoState(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		channel := c.call("POST", "/channels", map[string]any{"platform": "CUSTOM", "name": "ERP"})["channel"].(map[string]any)["id"].(string)
		home := "/channels/" + channel
		for _, path := range []string{"/channels", home} {
			page := b.get(path)
			for _, words := range []string{"Active", "Deactivate", "Last synchronised"} {
				if strings.Contains(page.words(), words) {
					t.Errorf("%s says %q: %.600s", path, words, page.words())
				}
			}
		}
		c.call("PATCH", home, map[string]any{"status": "inactive"})
		has(t, b.follow(b.sendForm(t, b.get(home), home+"/status")), "Activated the channel")
	})
}

// On paper each packing slip is a page of its own, with the address and the lines and without prices.
func TestSlipsOnPaper(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	for range 3 {
		c.order("PROCESSING", nil, 1)
	}
	b := s.window(t, s.owner)
	b.open("/orders/slip")
	paper := call(b, page.PrintToPDF, page.PrintToPDFParams{})
	if pages := regexp.MustCompile(`/Type\s*/Page\b`).FindAll(paper.Data, -1); len(pages) != 3 {
		t.Errorf("3 slips are %d pages", len(pages))
	}
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	shown := eval[string](b, "document.body.innerText")
	if !strings.Contains(shown, "ORD-000001") || strings.Contains(shown, "€") || strings.Contains(shown, "Packing slips") {
		t.Errorf("printed: %.600s", shown)
	}
}

// Who prints the page of an order has its number, customer, address and total on paper, and nothing to press.
func TestAnOrderOnPaper(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	address := map[string]any{"name": "Ada Lovelace", "line1": "1 rue de la Paix", "postalCode": "75002", "city": "Paris", "country": "FR"}
	order := c.order("PROCESSING", map[string]any{"customerName": "Ada Lovelace", "shippingAddress": address}, 3)
	b := s.window(t, s.owner)
	b.open("/orders/" + order)
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	shown := eval[string](b, "document.body.innerText")
	for _, words := range []string{"ORD-000001", "Ready to ship", "Ada Lovelace", "1 rue de la Paix", "The MUG", "€28.50"} {
		if !strings.Contains(shown, words) {
			t.Errorf("%q is not printed: %.900s", words, shown)
		}
	}
	if left := eval[string](b, `[...document.querySelectorAll('button, .btn, input:not([type=hidden])')].filter(el => el.checkVisibility())
		.map(el => el.innerText || el.name).join(', ')`); left != "" {
		t.Errorf("printed: %s", left)
	}
}

// Where a table is as wide as a desk, the names of events are not broken in the middle of a word.
func TestEventNamesAreWhole(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.window(t, s.owner)
	for _, path := range []string{"/webhooks/deliveries", "/events"} {
		for _, width := range []int64{1440, 1000} {
			b.look(width, "light")
			b.open(path)
			broken := eval[[]string](b, "[...document.querySelectorAll('td[data-at=name] a')].filter(a => {"+
				" const text = document.createRange(); text.selectNodeContents(a); return text.getClientRects().length > 1 }).map(a => a.innerText)")
			if len(broken) > 0 {
				t.Errorf("%s at %d: %q", path, width, broken)
			}
		}
	}
}

// Around the middle of each tick box of an endpoint's events there are twelve pixels in which nothing else is pressed (WCAG 2.5.8).
func TestEventsAreEasyToTick(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.window(t, s.owner)
	b.open("/webhooks/new")
	near := eval[[]string](b, `(() => {
		for (const d of document.querySelectorAll("main details")) d.open = true;
		return [...document.querySelectorAll("details.events input")].filter(box => {
			const r = box.getBoundingClientRect(), x = r.x + r.width / 2, y = r.y + r.height / 2;
			return [...document.querySelectorAll("main :is(summary, input, a, button)")].some(other => {
				const o = other.getBoundingClientRect(), dx = Math.max(o.left - x, 0, x - o.right), dy = Math.max(o.top - y, 0, y - o.bottom);
				return other !== box && Math.hypot(dx, dy) < 12;
			});
		}).map(box => box.value) })()`)
	if len(near) > 0 {
		t.Errorf("too near to something else: %q", near)
	}
}

// outOfCells are what is written in the cells of lists and does not fit into them: it is cut in its middle, or lies over its neighbours.
const outOfCells = `[...document.querySelectorAll("table.rows td")].filter(cell => cell.checkVisibility() &&
	cell.scrollWidth > cell.clientWidth + 1 && getComputedStyle(cell).textOverflow !== "ellipsis").map(cell => cell.outerHTML.slice(0, 200))`

// With letters of twice their size no page is wider than its window, also that of a phone, and nothing in a list lies over its neighbours:
// tables become cards where their letters leave too little room.
func TestLargeLetters(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	c := s.shopper(t)
	order := c.order("PROCESSING", map[string]any{"currency": "KWD", "shippingAmount": "1234567.891"}, 3)
	b := s.window(t, s.owner)
	call(b, page.SetFontSizes, page.SetFontSizesParams{FontSizes: &page.FontSizes{Standard: 32, Fixed: 26}})
	for _, path := range append(s.pages(), "/orders/"+order) {
		b.open(path)
		for _, width := range []int64{1440, 1280, 900, 390, 320} {
			b.look(width, "light")
			if wide := eval[[]string](b, tooWide); len(wide) > 0 {
				t.Errorf("%s at %d: too wide: %s", path, width, wide[0])
			}
			if size := eval[string](b, "getComputedStyle(document.documentElement).fontSize"); size != "32px" {
				t.Fatalf("letters of %s", size)
			}
			if out := eval[[]string](b, outOfCells); len(out) > 0 {
				t.Errorf("%s at %d: does not fit: %s", path, width, out[0])
			}
		}
	}
}

// The bar of what is done with ticked orders covers nothing that the keyboard comes to, however many lines its buttons take.
func TestBarCoversNoFocus(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	for range 25 {
		c.order("PENDING", nil, 1)
	}
	b := s.window(t, s.owner)
	for _, width := range []int64{1000, 390, 320} {
		b.look(width, "light")
		b.open("/orders")
		b.click("#orders tbody input[name=id]")
		b.until("document.querySelector('#bulk').checkVisibility()")
		for range 45 {
			b.keys(kb.Tab)
			if covered := eval[string](b, `(() => { const on = document.activeElement, at = on.getBoundingClientRect();
				return on.closest("tbody") && document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2)?.closest("#bulk")
					? on.ariaLabel || on.innerText : "" })()`); covered != "" {
				t.Fatalf("%d px: the bar covers %s", width, covered)
			}
		}
	}
}

// What lies above a page stands out from it: cards, menus and messages have their shadows, in both schemes.
func TestShadowsAreDrawn(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.window(t, s.owner)
	for _, scheme := range []string{"light", "dark"} {
		b.look(1440, scheme)
		b.open("/orders")
		for _, part := range []string{".card", ".menu", ".palette"} {
			if shadow := eval[string](b, fmt.Sprintf("getComputedStyle(document.querySelector(%q)).boxShadow", part)); shadow == "none" {
				t.Errorf("%s: %s has no shadow", scheme, part)
			}
		}
	}
}
