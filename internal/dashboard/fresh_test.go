package dashboard

import (
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"entrepot/internal/accounts"
	"entrepot/internal/db"
)

// The page of an order shows all of what a colleague does, cards that it did not have included; what is open stays open, and the
// keyboard goes on in the page when the button that had the focus is gone.
func TestOrderChangedByAColleague(t *testing.T) {
	nodes(t, func(t *testing.T, here, there *site) {
		c := there.shopper(t)
		c.articles()
		order := c.order("PROCESSING", nil, 3)
		b := here.window(t, here.owner)
		b.open("/orders/" + order + "?open=json")
		b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#ship").focus()`))
		line := c.call("GET", "/orders/"+order, nil)["items"].([]any)[0].(map[string]any)["id"]
		c.call("POST", "/orders/"+order+"/shipments", map[string]any{"carrier": "DHL", "trackingNumber": "JD014",
			"items": []any{map[string]any{"orderItemId": line, "quantity": 3}}})
		b.until("document.querySelector('#lines')?.innerText.includes('3 of 3')")
		for _, so := range []string{"document.querySelector('#head').innerText.includes('Shipped')", "!document.querySelector('#ship')",
			"document.querySelector('#shipments')?.innerText.includes('JD014')", "document.querySelector('#json .body')",
			"!document.querySelector('#addresses form')", "document.activeElement.id === 'main'"} {
			if !b.is(so) {
				t.Errorf("it is not so: %s\n%s", so, b.text())
			}
		}
		c.call("PATCH", "/orders/"+order, map[string]any{"notes": "Leave it with the neighbour"})
		b.until("document.querySelector('#note')?.innerText.includes('Leave it with the neighbour')")
	})
}

// What somebody is typing stays when a colleague does it first, with the digests of what the form was filled from, so that sending it is
// refused; all around is new.
func TestTypingBesideAColleague(t *testing.T) {
	b, c, order := openOrder(t)
	b.fill("[name=carrier]", "DHL")
	c.call("PATCH", "/orders/"+order+"/status", map[string]any{"status": "SHIPPED"})
	b.until("document.querySelector('#shipments') && document.querySelector('#head').innerText.includes('Shipped')")
	if carrier := eval[string](b, "document.querySelector('[name=carrier]').value"); carrier != "DHL" {
		t.Errorf("the carrier is %q", carrier)
	}
	b.click("#ship")
	b.shows("nothing is left to ship")
	b.shows("3 of 3")
	if after := c.call("GET", "/orders/"+order, nil); len(after["shipments"].([]any)) != 1 {
		t.Errorf("%v", after["shipments"])
	}
	// The words stay beside what is news.
	c.call("PATCH", "/orders/"+order, map[string]any{"notes": "Ring twice"})
	b.until("document.querySelector('#note')?.innerText.includes('Ring twice')")
	b.shows("nothing is left to ship")
}

// A form that was only entered is renewed once it is left.
func TestFormThatIsLeft(t *testing.T) {
	b, c, order := openOrder(t)
	b.click("[name=carrier]")
	c.call("PATCH", "/orders/"+order+"/status", map[string]any{"status": "SHIPPED"})
	b.until("document.querySelector('#shipments')")
	b.until("document.activeElement.name === 'carrier'")
	b.do(chromedp.Evaluate[chromedp.Void]("document.activeElement.blur()"))
	b.until("document.querySelector('#lines').innerText.includes('3 of 3')")
}

// A refusal stays to be read, with what was typed, while the page around it follows.
func TestRefusalBesideNews(t *testing.T) {
	b, c, order := openOrder(t)
	b.fill(".qty", "9")
	b.click("#ship")
	b.shows("only 3 remaining")
	c.call("PATCH", "/orders/"+order, map[string]any{"notes": "Ring twice"})
	b.until("document.querySelector('#note')?.innerText.includes('Ring twice')")
	b.shows("only 3 remaining")
	if !b.is("document.querySelector('.qty').value === '9' && document.querySelector('.qty').matches('[aria-invalid=true]')") {
		t.Errorf("the form is not as it was: %s", b.text())
	}
	b.fill(".qty", "3")
	b.click("#ship")
	b.shows("3 of 3")
	b.until("!document.querySelector('[aria-invalid], main [role=alert]')")
}

// The form of the note stays while somebody types, also when a colleague adds a note, which stands in another place. It is refused with
// the note of the colleague beside it, and can then be sent.
func TestTwoNotes(t *testing.T) {
	b, c, order := openOrder(t)
	b.do(chromedp.Evaluate[chromedp.Void]("document.querySelector('#note').open = true"))
	b.fill("#note textarea", "Knock")
	c.call("PATCH", "/orders/"+order, map[string]any{"notes": "Ring"})
	b.until("document.querySelector('#timeline').innerText.includes('Details edited')")
	if typed := eval[string](b, "document.querySelector('#note textarea').value"); typed != "Knock" {
		t.Errorf("the note is %q", typed)
	}
	b.press("Save note")
	b.shows("Changed meanwhile: it is “Ring” now")
	b.press("Save note")
	b.shows("Saved the ")
	if note := c.call("GET", "/orders/"+order, nil)["notes"]; note != "Knock" {
		t.Errorf("the note is %v", note)
	}
}

// Saving one form of a page keeps what was typed into another one.
func TestSavingOneFormKeepsAnother(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	id := c.call("POST", "/customers", map[string]any{"email": "ada@test.example", "firstName": "Ada"})["id"].(string)
	b := s.window(t, s.owner)
	b.open("/customers/" + id)
	b.fill("[name=firstName]", "Augusta")
	b.fill("#card-tags [name=list]", "vip")
	b.press("Save tags")
	b.until("document.querySelector('#card-tags [name=list]').defaultValue === 'vip'")
	if name := eval[string](b, "document.querySelector('[name=firstName]').value"); name != "Augusta" {
		t.Errorf("the name is %q", name)
	}
	b.fill("[name=siret]", "12") // it is refused
	b.press("Save")
	b.until("document.querySelector('[name=siret][aria-invalid]')")
	b.fill("#card-tags [name=list]", "vip, b2b")
	b.press("Save tags")
	b.until("document.querySelector('#card-tags [name=list]').defaultValue === 'vip, b2b'")
	b.until("document.querySelector('[name=siret][aria-invalid]').value === '12'")
}

// A record that a colleague deletes is gone from the screen too; what was being typed is not lost.
func TestRecordThatIsGone(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	id := c.list("/products?search=MUG")[0]["id"].(string)
	reader, writer := s.window(t, s.owner), s.window(t, s.owner)
	reader.open("/products/" + id)
	writer.open("/products/" + id)
	writer.fill("[name=description]", "A long text")
	c.send("DELETE", "/api/v1/products/"+id, nil, "")
	for _, b := range []*window{reader, writer} {
		b.shows("Nothing here")
		if left := eval[int](b, "document.querySelectorAll('main form').length"); left != map[*window]int{writer: 1}[b] {
			t.Errorf("%d forms are left", left)
		}
	}
	if typed := eval[string](writer, "document.querySelector('[name=description]').value"); typed != "A long text" {
		t.Errorf("what was typed is %q", typed)
	}
}

// Pages of other records follow, too, and what is typed there stays.
func TestRecordsFollow(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	product := c.list("/products?search=MUG")[0]["id"].(string)
	order := c.order("PROCESSING", nil, 1)
	customer := c.call("GET", "/orders/"+order, nil)["customerId"].(string)
	received := func(n int) map[string]any { return map[string]any{"sku": "MUG", "type": "receive", "quantity": n} }
	b := s.window(t, s.owner)
	for _, one := range []struct {
		page, typed, method, path, shows string
		body                             map[string]any
	}{
		{"/products/" + product, "[name=description]", "PATCH", "/products/" + product, "The big mug", map[string]any{"name": "The big mug"}},
		{"/products/" + product, "[name=slug]", "POST", "/inventory/movements", "103", received(3)},
		{"/stock/MUG", "[name=quantity]", "POST", "/inventory/movements", "ledger 107, on hand 107", received(4)},
		{"/customers/" + customer, "[name=phone]", "PATCH", "/customers/" + customer, "Grace Lovelace", map[string]any{"firstName": "Grace"}},
		{"/categories", "[name=name]", "POST", "/categories", "Garden", map[string]any{"name": "Garden"}},
	} {
		b.open(one.page)
		b.fill("main form[method=post] "+one.typed, "7")
		c.call(one.method, one.path, one.body)
		b.until("[...document.querySelectorAll('main h1, main td, main p')].some(e => e.innerText.includes('" + one.shows + "'))")
		if typed := eval[string](b, "document.querySelector('main form[method=post] "+one.typed+"').value"); typed != "7" {
			t.Errorf("%s: what was typed is %q", one.page, typed)
		}
		b.check(t)
	}
}

// Orders that newer ones push to the next page while somebody chooses stay chosen; one that a colleague moved out of the view does not.
func TestTicksOfOrdersThatMoveOn(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	oldest := c.order("PENDING", nil, 1)
	second := c.order("PENDING", nil, 1)
	for range perPage - 2 {
		c.order("PENDING", nil, 1)
	}
	b := s.window(t, s.owner)
	b.open("/orders?status=PENDING")
	b.click("#t-" + oldest)
	b.click("#t-" + second)
	c.order("PENDING", nil, 1)
	b.until("!document.querySelector('#t-" + oldest + "')")
	b.until("document.querySelector('#bulk').innerText.includes('2 selected, 1 on the next page')")
	c.call("PATCH", "/orders/"+second+"/status", map[string]any{"status": "PROCESSING"}) // the oldest is on the page again
	b.until("document.querySelector('#t-" + oldest + "')?.checked && !document.querySelector('#t-" + second + "')")
	b.until("document.querySelector('#bulk').innerText.includes('1 selected')")
	for range 2 {
		c.order("PENDING", nil, 1)
	}
	b.until("document.querySelector('#bulk').innerText.includes('1 selected, 1 on the next page')")
	b.press("Move to")
	b.press("Release to ship")
	b.shows("0 of 1")
	b.until("document.querySelector('tbody a.hit')?.getAttribute('href') === '" + prefix + "/orders/" + oldest + "'")
}

// When the last ticked order has left the list, nothing is selected: its bar is gone, and with it what would be done with all.
func TestBulkOfAListThatBecameEmpty(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	order := c.order("PENDING", nil, 1)
	b := s.window(t, s.owner)
	b.open("/orders?status=PENDING")
	b.click("#orders tbody input[name=id]")
	b.click("#bulk [name=all]")
	b.until("document.querySelector('#bulk')?.checkVisibility()")
	c.call("PATCH", "/orders/"+order+"/status", map[string]any{"status": "PROCESSING"})
	b.until("!document.querySelector('#orders tbody')")
	b.until("!document.querySelector('#bulk').checkVisibility() && !document.querySelector('#bulk [name=all]').checked")
}

// What was ticked on a page to which somebody returns is what the form was filled from then: a colleague's change is not undone. Rows of a
// list are not ticked again, because others may stand there now.
func TestReturnToAForm(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	kitchen := c.call("POST", "/categories", map[string]any{"name": "Kitchen"})["id"]
	mug := c.list("/products?search=MUG")[0]["id"].(string)
	c.call("PATCH", "/products/"+mug, map[string]any{"categoryIds": []any{kitchen}})
	c.order("PENDING", nil, 1)
	b := s.window(t, s.owner)
	b.open("/products/" + mug)
	b.fill("[name=description]", "Half a text")
	b.open("/attributes")
	c.call("PATCH", "/products/"+mug, map[string]any{"categoryIds": []any{}})
	b.do(chromedp.NavigateBack())
	b.until("document.querySelector('[name=description]')?.value === 'Half a text'")
	if !b.is("document.querySelector('[name=categoryIds]').checked") {
		t.Skip("this browser does not tick again what was ticked")
	}
	b.press("Save")
	b.shows("In these categories changed")
	if now := c.call("GET", "/products/"+mug, nil)["categoryIds"].([]any); len(now) > 0 {
		t.Errorf("the product is in %v", now)
	}
	b.open("/orders")
	b.click("tbody input[name=id]")
	b.open("/attributes")
	c.order("PENDING", nil, 1)
	b.do(chromedp.NavigateBack())
	b.until("document.querySelectorAll('tbody input[name=id]').length === 2")
	if b.is("document.querySelector('tbody :checked')") {
		t.Error("another order is ticked")
	}
}

// Times of a page on which nothing happens grow old all the same.
func TestTimesGrowOld(t *testing.T) {
	var since atomic.Int64 // of the order, on the store's clock, which stands still meanwhile
	began := time.Now()
	s := newSiteOn(t, "sqlite", func(c *db.Config) { c.Now = func() time.Time { return began.Add(time.Duration(since.Load())) } })
	c := s.shopper(t)
	c.articles()
	c.order("PENDING", nil, 1)
	b := s.window(t, s.owner)
	b.inject("{ const every = setInterval; window.setInterval = (run, ms) => every(run, ms < 60000 ? ms : 500) }")
	b.open("/orders")
	b.until("document.querySelector('#orders time')?.innerText === 'just now'")
	since.Store(int64(3 * time.Minute))
	b.until("document.querySelector('#orders time')?.innerText === '3 min ago'")
}

// The first order of an empty list can be ticked at once; so can those that a wider search finds.
func TestBulkOfAListThatWasEmpty(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	b := s.window(t, s.owner)
	b.open("/orders")
	b.shows("No orders yet")
	c.order("PENDING", nil, 1)
	b.click("#orders tbody input[name=id]")
	b.until("document.querySelector('#bulk')?.checkVisibility()")
	b.open("/orders?search=nobody")
	b.shows("No order matches")
	b.fill("#orders-search", "ada")
	b.click("#orders tbody input[name=id]")
	b.until("document.querySelector('#bulk')?.checkVisibility()")
}

// A form that is left alone is found again by the id of the card around it: without one, it could stand twice.
func TestFormsOfPagesThatFollowHaveAPlace(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.window(t, s.owner)
	for _, path := range s.pages() {
		page := s.as(s.owner).get(path)
		if found := regexp.MustCompile(`<main [^>]*data-topic`).FindString(page.body); found == "" {
			continue
		}
		b.open(path)
		lost := eval[string](b, `[...document.querySelectorAll("main form[method=post]")].filter(f => !f.closest("main [id]") &&
			f.querySelector("input:not([type=hidden]), textarea, select")).map(f => f.getAttribute("action")).join(" ")`)
		if lost = strings.TrimSpace(lost); lost != "" {
			t.Errorf("%s: %s", path, lost)
		}
	}
}

// What colleagues do with channels, endpoints, keys and users is in no event, and shows all the same.
func TestWhatIsAuditedShows(t *testing.T) {
	nodes(t, func(t *testing.T, here, there *site) {
		c := there.shopper(t)
		channel := c.call("POST", "/channels", map[string]any{"name": "Till", "platform": "CUSTOM"})["channel"].(map[string]any)["id"].(string)
		endpoint := c.call("POST", "/developer/webhooks", map[string]any{"url": "http://127.0.0.1:9/h", "description": "Old name",
			"events": []any{"*"}})["id"].(string)
		attribute := c.call("POST", "/attributes", map[string]any{"code": "care", "label": "Care", "type": "text"})["id"].(string)
		segment := c.call("POST", "/segments", map[string]any{"name": "Regulars", "rules": map[string]any{"minOrders": 3}})["id"].(string)
		warehouse := c.call("POST", "/warehouses", map[string]any{"code": "EAST", "name": "Depot"})["id"].(string)
		vera := string(there.newUser("vera@test.example", accounts.Viewer).ID)
		b := here.window(t, here.owner)
		for _, one := range []struct {
			page, method, path, shows string
			body                      map[string]any
		}{
			{"/channels", "POST", "/channels", "Market", map[string]any{"name": "Market", "platform": "CUSTOM"}},
			{"/channels/" + channel, "PATCH", "/channels/" + channel, "Till two", map[string]any{"name": "Till two"}},
			{"/webhooks", "POST", "/developer/webhooks", "A second one", map[string]any{"url": "http://127.0.0.1:9/2", "events": []any{"*"},
				"description": "A second one"}},
			{"/webhooks/" + endpoint, "PATCH", "/developer/webhooks/" + endpoint, "New name", map[string]any{"description": "New name"}},
			{"/keys", "POST", "/developer/api-keys", "Robot", map[string]any{"name": "Robot", "scopes": []any{"read:orders"}}},
			{"/settings/users", "PATCH", "/users/" + vera, "Vera Voss", map[string]any{"name": "Vera Voss"}},
			{"/attributes", "PATCH", "/attributes/" + attribute, "How to wash it", map[string]any{"label": "How to wash it"}},
			{"/segments", "PATCH", "/segments/" + segment, "Old friends", map[string]any{"name": "Old friends"}},
			{"/stock/warehouses", "PATCH", "/warehouses/" + warehouse, "Depot east", map[string]any{"name": "Depot east"}},
			{"/stock/warehouses/" + warehouse, "POST", "/warehouses", "Depot west", map[string]any{"name": "Depot west", "code": "WEST"}},
			{"/settings/users/" + vera, "PATCH", "/users/" + vera, "Disabled", map[string]any{"status": "disabled"}},
		} {
			b.open(one.page)
			c.call(one.method, one.path, one.body)
			b.until(fmt.Sprintf("[...document.querySelectorAll('main h1, main .badge, main a.hit')].some(e => e.innerText.includes(%q))", one.shows))
			b.check(t)
		}
	})
}

// News that were read before something was sent, and come after its answer, do not bring back the page of before.
func TestNewsOlderThanAnAnswer(t *testing.T) {
	b, c, order := openOrder(t)
	b.do(chromedp.Evaluate[chromedp.Void](`{
		const ask = fetch;
		window.held = [];
		window.fetch = async (...what) => {
			const answer = await ask(...what);
			if (what[1]?.headers["Entrepot-Live"] && held) await new Promise(go => held.push(go));
			return answer;
		};
	}`))
	c.call("PATCH", "/orders/"+order, map[string]any{"notes": "Ring"})
	b.until("held.length")
	b.fill("[name=carrier]", "DHL")
	b.click("#ship")
	b.shows("3 of 3")
	b.do(chromedp.Evaluate[chromedp.Void](`{
		new MutationObserver(() => { document.old ||= document.querySelector("#lines").innerText.includes("0 of 3"); })
			.observe(document.querySelector("main"), { subtree: true, childList: true, characterData: true });
		const all = held;
		window.held = null;
		for (const go of all) go();
	}`))
	b.asksForNews("")
	b.wait(func() bool { return len(b.asksForNews("/orders/"+order)) > 0 }, "another look at the news")
	b.until("document.querySelector('#note')?.innerText.includes('Ring')")
	if b.is("document.old") {
		t.Error("the page of before came back")
	}
}
