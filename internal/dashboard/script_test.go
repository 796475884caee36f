package dashboard

import (
	"strings"
	"testing"

	browsers "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// openOrder opens the page of an order of three units, of which none is shipped.
func openOrder(t *testing.T) (b *window, c *shopper, order string) {
	t.Helper()
	s := newSite(t, "sqlite")
	c = s.shopper(t)
	c.articles()
	order = c.order("PROCESSING", nil, 3)
	b = s.window(t, s.owner)
	b.open("/orders/" + order)
	return b, c, order
}

// A form that is refused stays where it is: the error beside the input, the cursor in it, and the address unchanged.
func TestRefusedFormsKeepTheirPlace(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.window(t, s.owner)
	b.open("/settings/me")
	b.fill("#settings-me-password-currentPassword", "wrong password")
	b.fill("#settings-me-password-password", "another long passphrase")
	b.do(chromedp.Evaluate[chromedp.Void]("document.marked = 1; document.querySelector('main form button').click()"))
	b.shows("Current password is not your password")
	if marked := eval[bool](b, "document.marked === 1"); !marked {
		t.Error("the page was loaded anew")
	}
	if id := eval[string](b, "document.activeElement.id"); id != "settings-me-password-currentPassword" {
		t.Errorf("the cursor is in %q", id)
	}
	if b.path() != prefix+"/settings/me" {
		t.Errorf("the address is %s", b.path())
	}
}

// The links to what is wrong, and the one that skips the menu, lead to places of the page: nothing is loaded, and what was typed stays.
func TestLinksWithinAPage(t *testing.T) {
	b, _, _ := openOrder(t)
	b.fill("[name=carrier]", "DHL")
	b.fill("input.qty", "9")
	b.click("#ship")
	b.click(".problems a")
	b.until("location.hash")
	b.do(chromedp.Evaluate[chromedp.Void]("document.querySelector('a.skip').click()"))
	b.until("location.hash === '#main'")
	b.asks("")
	b.do(chromedp.NavigateBack())
	b.until("location.hash !== '#main'")
	if list := b.asks(prefix); len(list) > 0 {
		t.Errorf("asked for %q", list)
	}
	if carrier := eval[string](b, "document.querySelector('[name=carrier]').value"); carrier != "DHL" {
		t.Errorf("the carrier is %q", carrier)
	}
	if !b.is("document.querySelector('.problems')") {
		t.Error("what was wrong is no longer said")
	}
	b.check(t)
}

// What leads to the page that is shown is no step of the history: one step back is the page before. The keyboard goes on in the page,
// also when the button that was pressed is gone.
func TestBackAfterAChange(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	order := c.order("PROCESSING", nil, 3)
	b := s.window(t, s.owner)
	b.open("/orders")
	b.open("/orders/" + order)
	b.fill("input.qty", "1")
	b.click("#ship")
	b.shows("1 of 3")
	b.click("#ship")
	b.shows("3 of 3")
	b.until("document.activeElement.id === 'main'") // the button that had the focus is gone
	b.do(chromedp.NavigateBack())
	b.until("location.pathname === '" + prefix + "/orders'")
}

// A file can be loaded again and again: the button that sent it is free once it came.
func TestExportTwice(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	c.order("PROCESSING", nil, 3)
	b := s.window(t, s.owner)
	call(b, browsers.SetDownloadBehavior, browsers.SetDownloadBehaviorParams{Behavior: browsers.SetDownloadBehaviorBehaviorAllow,
		DownloadPath: t.TempDir(), BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID})
	b.open("/orders")
	b.press("Export")
	for range 2 {
		b.asks("")
		b.press("CSV")
		b.wait(func() bool { return len(b.asks("/orders/export")) > 0 }, "a request for the file")
		b.until("!document.querySelector('[aria-busy], [data-busy]')")
	}
}

// When the session has ended, a form keeps what was typed until somebody has logged in in another tab; then it is sent.
func TestSessionEndsBeforeAForm(t *testing.T) {
	b, _, _ := openOrder(t)
	b.fill("[name=carrier]", "DHL")
	call(b, network.ClearBrowserCookies, cdp.Empty{})
	const bar = "document.querySelector('#ended').checkVisibility()"
	b.do(chromedp.Evaluate[chromedp.Void]("dispatchEvent(new Event('online'))")) // as news do
	b.until(bar)
	b.asks("")
	b.click("#ship")
	b.wait(func() bool { return len(b.asks("/ship")) > 0 }, "a request to ship")
	b.until("!document.querySelector('[data-busy]')")
	b.shows("Your session has ended")
	if carrier := eval[string](b, "document.querySelector('[name=carrier]').value"); carrier != "DHL" {
		t.Errorf("the carrier is %q", carrier)
	}
	cookie := b.s.as(b.s.owner).client.Jar.Cookies(mustURL(t, b.s.url+prefix+"/"))[0]
	call(b, network.SetCookie, network.SetCookieParams{Name: cookie.Name, Value: cookie.Value, URL: b.s.url + prefix + "/"})
	b.click("#ship")
	b.shows("3 of 3")
	b.until("!" + bar)
}

// What was typed into a form that makes something is there after the session has ended, too, and after somebody has logged in again.
func TestSessionEndsBeforeSomethingIsMade(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.window(t, s.owner)
	for _, made := range []struct{ path, input, typed, also, button, shows string }{
		{"/channels/new?platform=CUSTOM", "[name=name]", "Our ERP", "", "Create channel", "Our ERP is ready"},
		{"/channels/new?platform=WOOCOMMERCE", "[name='credentials.url']", "http://127.0.0.1:1/shop",
			"for (const e of document.querySelectorAll('main input:required')) e.value ||= 'typed'", "Create and test",
			"Created typed. The connection does not work"},
		{"/webhooks/new", "[name=url]", "http://127.0.0.1:1/", "document.querySelector('main [type=checkbox]').checked = true", "Add endpoint",
			"I have stored it"},
		{"/keys/new", "[name=name]", "Report", "document.querySelector('[name=scopes]').checked = true", "Create key", "pk_live_"},
		{"/products/new", "[name=name]", "Lamp",
			"document.querySelector('[name=sku]').value = 'L-1', document.querySelector('[name=price]').value = '9'",
			"Create product", "Created L-1"},
	} {
		b.open(made.path)
		b.fill(made.input, made.typed)
		if made.also != "" {
			b.do(chromedp.Evaluate[chromedp.Void]("(() => { " + made.also + " })()"))
		}
		call(b, network.ClearBrowserCookies, cdp.Empty{})
		b.press(made.button)
		b.until("document.querySelector('#ended')?.checkVisibility()")
		if now := eval[string](b, "document.querySelector(\""+made.input+"\").value"); now != made.typed {
			t.Errorf("%s: the input holds %q", made.path, now)
		}
		cookie := s.as(s.owner).client.Jar.Cookies(mustURL(t, s.url+prefix+"/"))[0]
		call(b, network.SetCookie, network.SetCookieParams{Name: cookie.Name, Value: cookie.Value, URL: s.url + prefix + "/"})
		b.until("!document.querySelector('[data-busy]')")
		b.press(made.button)
		b.until("(document.body.innerText + (document.querySelector('#once-secret')?.value ?? '')).includes('" + made.shows + "')")
		b.until("!document.querySelector('#ended').checkVisibility()")
	}
	if list := s.shopper(t).list("/channels"); len(list) != 2 {
		t.Errorf("%d channels", len(list))
	}
}

// When no answer comes, or only one of a proxy before the service, nothing is said of what was done; sent again, it is done once.
func TestAnswerThatIsLost(t *testing.T) {
	b, _, _ := openOrder(t)
	b.fill("input.qty", "2")
	b.do(chromedp.Evaluate[chromedp.Void](`(() => { const ask = fetch;
		window.fetch = async (...args) => {
			if (args[1]?.method !== "POST") return ask(...args);
			window.fetch = ask;
			return new Response("<h1>Bad gateway</h1>", { status: 502, headers: { "Content-Type": "text/html" } });
		} })()`))
	b.click("#ship")
	b.shows("send it again")
	if b.is("document.querySelector('#ended').checkVisibility() || !document.querySelector('#ship')") {
		t.Error("the answer of a proxy is taken for the end of the session")
	}
	b.do(chromedp.Evaluate[chromedp.Void]("document.querySelector('#toasts').replaceChildren()"))
	b.do(chromedp.Evaluate[chromedp.Void](`(() => { const ask = fetch;
		window.fetch = async (...args) => {
			const answer = await ask(...args);
			if (args[1]?.method !== "POST") return answer; // news
			window.fetch = ask;
			throw new TypeError("the connection broke");
		} })()`))
	b.click("#ship")
	b.shows("send it again")
	b.click("#ship")
	b.shows("2 of 3")
	// It is undone in place, and the cursor is not at the beginning of the page.
	b.do(chromedp.Evaluate[chromedp.Void]("window.same = true"))
	b.click("#toasts button")
	b.shows("0 of 3")
	b.until("window.same && document.activeElement.id === 'main'")
	b.check(t)
}

// What is wrong with no single input is where the cursor is, also on a page that was loaded anew.
func TestCursorOnWhatIsWrong(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.window(t, s.owner)
	b.open("/webhooks/new")
	b.fill("[name=url]", "https://shop.example/hooks")
	b.press("Add endpoint")
	b.shows("Events must name at least one event")
	b.until("document.activeElement.matches('main [role=alert]')")
}

// Without a connection a bar says so, until there is one. It covers no message, and no list says that it is live.
func TestOffline(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.window(t, s.owner)
	b.open("/orders")
	const bar = "document.querySelector('#offline').checkVisibility()"
	b.until("!" + bar)
	offline := func(off bool) {
		call(b, network.OverrideNetworkState, network.OverrideNetworkStateParams{Offline: off, DownloadThroughput: -1, UploadThroughput: -1})
	}
	offline(true)
	b.until(bar)
	b.shows("You are offline")
	if b.is("document.querySelector('.live').checkVisibility()") {
		t.Error("the list says that it is live")
	}
	if room := eval[float64](b, `(() => { const toast = document.createElement("div");
		toast.className = "toast", toast.innerText = "No answer came", document.querySelector("#toasts").replaceChildren(toast);
		return document.querySelector("#offline").getBoundingClientRect().top - toast.getBoundingClientRect().bottom })()`); room < 0 {
		t.Errorf("the bar covers %v pixels of a message", -room)
	}
	offline(false)
	b.until("!" + bar + " && document.querySelector('.live').checkVisibility()")
}

// A dialog asks before what cannot be undone; it opens with the script and without.
func TestDialogs(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.window(t, s.owner)
	without := s.withoutScript(t, s.owner)
	for _, b := range []*window{b, without} {
		b.open("/settings/me")
		b.click("[commandfor=log-out-everywhere]")
		b.until("document.querySelector('#log-out-everywhere:modal')")
		b.click("#log-out-everywhere [command=close]")
		b.until("!document.querySelector('#log-out-everywhere').open && document.activeElement.matches('[commandfor=log-out-everywhere]')")
	}
	without.click("[commandfor=log-out-everywhere]")
	without.click("#log-out-everywhere button.primary")
	without.shows("Logged out everywhere")
}

// What is being searched, and the page that one returns to, are marked as busy once the answer takes its time, and no longer than that.
func TestSlowAnswersAreMarked(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	c.order("PENDING", nil, 1)
	b := s.window(t, s.owner)
	b.open("/orders")
	b.do(chromedp.Evaluate[chromedp.Void](`(() => { const ask = fetch, held = [];
		window.asked = []; // news are asked for, too
		window.fetch = (...args) => new Promise(go => { held.push(() => go(ask(...args))); asked.push(String(args[0])); });
		window.release = () => held.splice(0).forEach(go => go()) })()`))
	b.focus("#orders-search")
	b.keys("nobody")
	b.until("document.querySelector('#orders[aria-busy=true]') && asked.some(url => url.endsWith('search=nobody'))")
	if words := eval[string](b, "document.querySelector('#orders').innerText"); strings.Contains(words, "No order matches") {
		t.Errorf("it is marked after the answer: %s", words)
	}
	const idle = "!document.querySelector('[aria-busy]')"
	b.do(chromedp.Evaluate[chromedp.Void]("release()"))
	b.shows("No order matches")
	b.until(idle)
	b.do(chromedp.Evaluate[chromedp.Void]("history.back()"))
	b.until("document.querySelector('#main[aria-busy=true]')")
	b.do(chromedp.Evaluate[chromedp.Void]("release()"))
	b.shows("ORD-000001")
	b.until(idle)
}

// What somebody types on a slow line while a form is being saved stays, and is saved with the next click.
func TestTypingWhileAFormIsSaved(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.window(t, s.owner)
	b.open("/products/" + s.samples["/products"])
	b.do(chromedp.Evaluate[chromedp.Void](`(() => { const ask = fetch;
		window.fetch = (...args) => {
			const answer = ask(...args), text = document.querySelector("main [name=description]");
			if (args[1]?.method === "POST" && text.value !== "Of clay") {
				text.focus();
				text.select();
				document.execCommand("insertText", false, "Of clay");
			}
			return answer;
		} })()`))
	b.fill("main [name=name]", "Cup")
	b.press("Save")
	b.until("document.querySelector('h1').innerText === 'Cup'")
	const text = "document.querySelector('main [name=description]')"
	if got := eval[string](b, text+".value"); got != "Of clay" || b.is(text+".defaultValue === 'Of clay'") {
		t.Fatalf("the description is %q", got)
	}
	b.press("Save")
	b.until(text + ".defaultValue === 'Of clay'")
}

// What a form answered at its own address, such as the result of a connection test, stays when there are news, and is not said twice.
func TestNewsKeepWhatAFormAnswered(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	made := c.call("POST", "/channels", map[string]any{"name": "Shop", "platform": "WOOCOMMERCE",
		"credentials": map[string]any{"url": "http://127.0.0.1:9", "consumerKey": "ck_1", "consumerSecret": "cs_1"}})
	channel := made["channel"].(map[string]any)["id"].(string)
	b := s.window(t, s.owner)
	b.open("/channels/" + channel)
	b.press("Test the connection")
	b.shows("The connection does not work")
	b.do(chromedp.Evaluate[chromedp.Void]("document.marked = 1"))
	b.asksForNews("")
	c.call("PATCH", "/channels/"+channel, map[string]any{"name": "Paris shop"})
	b.until("document.querySelector('h1').innerText === 'Paris shop'")
	if len(b.asksForNews("/channels/"+channel+"/test")) == 0 {
		t.Error("the news are of another page")
	}
	n, text := eval[int](b, "document.querySelectorAll('main .callout').length"), b.text()
	if n != 1 || !strings.Contains(text, "The connection does not work") {
		t.Errorf("%d messages: %.900s", n, text)
	}
	if !eval[bool](b, "document.marked === 1") {
		t.Error("the page was loaded anew")
	}
}

// News that come while the page is left for another place of itself are shown all the same.
func TestNewsBesideAStepWithinThePage(t *testing.T) {
	b, c, order := openOrder(t)
	b.do(chromedp.Evaluate[chromedp.Void](`{
		const ask = fetch;
		let steps = 0;
		window.fetch = async (...what) => { const answer = await ask(...what); location.hash = "step" + ++steps; return answer; };
	}`))
	c.call("PATCH", "/orders/"+order+"/status", map[string]any{"status": "SHIPPED"})
	b.shows("Mark delivered")
}

// Where browsers lend the clipboard to no page, such as one that came by http, what is copied is selected for it.
func TestCopyWithoutAClipboard(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.window(t, s.owner)
	b.allow("clipboard-write")
	b.open("/products")
	b.do(chromedp.Evaluate[chromedp.Void](`window.lent = navigator.clipboard;
		Object.defineProperty(navigator, 'clipboard', { value: undefined })`))
	b.click("[data-copy]")
	b.shows("Copied")
	b.allow("clipboard-read")
	copied := run(b, chromedp.Evaluate[string]("lent.readText()", chromedp.EvalAwaitPromise))
	if !strings.HasPrefix(copied, "curl ") {
		t.Errorf("copied %q", copied)
	}
}

// A total that is no number stays in its menu of filters.
func TestWrongTotalsOfAFilter(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	c.order("PENDING", nil, 1)
	b := s.window(t, s.owner)
	b.open("/orders")
	b.click("[popovertarget=f-total]")
	b.click("#f-minTotal")
	b.keys("5-5")
	b.press("Apply")
	b.until("document.activeElement.matches('#f-minTotal:invalid')")
	b.do(chromedp.Evaluate[chromedp.Void]("document.activeElement.value = ''"))
	b.keys("9.5")
	b.press("Apply")
	b.shows("Total: from 9.5")
	b.shows("ORD-000001")
}

// What is typed into a search and refused is said, where the list would look like what was found; the cursor stays where it is.
func TestSearchThatIsRefused(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	c.order("PENDING", nil, 1)
	b := s.window(t, s.owner)
	for _, page := range []string{"/orders", "/products", "/stock", "/customers"} {
		b.open(page)
		b.click("main input[type=search]")
		b.do(chromedp.Evaluate[chromedp.Void]("document.execCommand('insertText', false, 'long '.repeat(200))")) // as one pastes
		b.until("(document.querySelector('main [role=alert]') ?? document.querySelector('#toasts')).innerText.includes('at most')")
		if !b.is("document.activeElement.matches('main input[type=search]') && document.querySelector('main :is(tbody tr, [role=alert])')") {
			t.Errorf("%s: %s", page, b.text())
		}
		b.fill("main input[type=search]", "nobody")
		b.until("!document.querySelector('main tbody tr')")
	}
}

// On a slow line somebody types into a search before the page's script has come: it is searched for all the same.
func TestTypingBeforeTheScript(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	c.order("PENDING", nil, 1)
	b := s.window(t, s.owner)
	b.inject(`document.addEventListener("readystatechange", () => {
		if (document.readyState === "interactive") document.querySelector("main input[type=search]").value = "nobody"; })`)
	for _, page := range []string{"/orders", "/products", "/stock", "/customers"} {
		b.open(page)
		b.until("location.search === '?search=nobody' && !document.querySelector('main tbody tr')")
	}
}
