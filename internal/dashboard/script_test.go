package dashboard

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// A form that is refused stays where it is: the error beside the input, the cursor in it, and the address unchanged.
func TestRefusedFormsKeepTheirPlace(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.window(t, s.owner)
	b.open("/settings/me")
	b.do(chromedp.SendKeys(chromedp.CSS("#settings-me-password-currentPassword"), "wrong password"),
		chromedp.SendKeys(chromedp.CSS("#settings-me-password-password"), "another long passphrase"),
		chromedp.Evaluate[chromedp.Void]("document.marked = 1; document.querySelector('main form button').click()"))
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

// Without a connection a bar says so, until there is one.
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
	offline(false)
	b.until("!" + bar)
}

// A dialog asks before what cannot be undone; it opens with the script and without.
func TestDialogs(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.window(t, s.owner)
	b.open("/settings/me")
	b.do(chromedp.Click(chromedp.CSS("[data-dialog=log-out-everywhere]")))
	b.until("document.querySelector('#log-out-everywhere').open")
	b.do(chromedp.Click(chromedp.CSS("#log-out-everywhere [data-close]")))
	b.until("!document.querySelector('#log-out-everywhere').open")
	b.open("/settings/me#log-out-everywhere")
	b.until("document.querySelector('#log-out-everywhere').checkVisibility()")
	b.do(chromedp.Click(chromedp.CSS("#log-out-everywhere button.primary")))
	b.shows("You are logged out everywhere")
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
		window.fetch = (...args) => new Promise(go => held.push(() => go(ask(...args))));
		window.release = () => held.splice(0).forEach(go => go()) })()`))
	b.do(chromedp.Focus(chromedp.CSS("#orders-search")))
	b.keys("nobody")
	b.until("document.querySelector('#orders[aria-busy=true]')")
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
