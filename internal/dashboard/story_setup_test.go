package dashboard

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"entrepot/internal/accounts"
	"entrepot/internal/db"
	"entrepot/internal/verify"
)

// An empty store is set up by a link that works once; the overview shows the first steps; the owner logs in again, and after ten wrong
// passwords no password is looked at.
func TestStoryOfTheFirstDay(t *testing.T) {
	s := emptySite(t, "sqlite", func(*db.Config) {})
	s.stopLimits()
	var token string
	s.do(db.Across, func(tx *db.Tx) error { token = accounts.NewSetupLink(tx); return nil })
	b := s.window(t, accounts.User{})
	b.open("/setup?token=" + token)
	b.fill("#setup-account", "Atelier Lumen")
	if proposed := eval[string](b, "document.querySelector('#setup-currency').value"); proposed != "EUR" {
		t.Errorf("the currency proposed is %s", proposed)
	}
	b.fill("#setup-currency", "chf")
	b.fill("#setup-name", "Olga Owner")
	b.fill("#setup-email", "olga@test.example")
	b.fill("#setup-password", password)
	b.click("main form button")
	b.shows("Welcome! Your account is ready")
	b.shows("First steps")
	for _, step := range []string{"Connect a channel", "Bring your products", "Hear of every change"} {
		b.shows(step)
	}
	b.open("/settings/account")
	b.until("document.querySelector('#settings-account-currency').value === 'CHF'")
	b.open("/")
	b.press("Add a channel")
	b.until("location.pathname === '" + prefix + "/channels/new'")
	b.open("/setup?token=" + token)
	b.shows("set-up link")
	if words := eval[string](b, "document.querySelector('main').innerText"); eval[bool](b, "!!document.querySelector('#setup-account')") {
		t.Errorf("the link works twice: %s", words)
	}

	b.open("/")
	b.press("Log out")
	b.shows("Logged out")
	logIn := func(password string) {
		b.fill("#login-email", "olga@test.example")
		b.fill("#login-password", password)
		b.do(chromedp.Evaluate[chromedp.Void]("document.marked = true"))
		b.click("main form button")
		b.until("!document.marked")
	}
	logIn(password)
	b.shows("First steps")
	b.press("Log out")
	for range 10 {
		b.until("!!document.querySelector('#login-password')")
		logIn("not the password")
		b.shows("The e-mail address or the password is wrong")
	}
	logIn("not the password")
	b.shows("Too many")
	logIn(password)
	b.shows("Too many")
}

// A channel of one's own system is made, its key copied from the page that shows it once, and an order placed with it. No later page, no
// log and no byte of the store has the key.
func TestStoryOfAnOwnSystem(t *testing.T) {
	s := newSite(t, "sqlite")
	s.shopper(t).articles()
	b := s.window(t, s.owner)
	b.open("/channels")
	b.press("Add a channel")
	b.until("!!document.querySelector('a[aria-label=\"Choose Your own system\"]')")
	b.click(`a[aria-label="Choose Your own system"]`)
	b.until("!!document.querySelector('#channels-new-name')")
	b.fill("#channels-new-name", "Our ERP")
	b.press("Create channel")
	b.shows("Our ERP is ready")
	b.allow("clipboard-write")
	b.click("#once-secret + button")
	b.shows("Copied")
	key := b.clipboard()
	if strings.Contains(b.path(), key) {
		t.Errorf("the address has the key: %s", b.path())
	}
	channel := eval[string](b, `document.querySelector('.once a.primary').pathname.split('/').pop()`)

	system := &shopper{s.browser(), t}
	system.header.Set("X-API-Key", key)
	system.order("PROCESSING", map[string]any{"channelId": channel}, 2)
	b.press("I have stored it")
	b.until("location.pathname === '" + prefix + "/channels/" + channel + "'")
	b.shows("Your system calls")
	_ = chromedp.Do(b.ctx, chromedp.NavigateBack()) // to the page of the key, which the browser may not keep
	if eval[bool](b, "document.documentElement.outerHTML.includes('"+key+"')") {
		t.Error("going back shows the key")
	}
	for _, path := range []string{"/channels", "/channels/" + channel, "/keys", "/settings/audit", "/settings/requests", "/events",
		"/orders"} {
		b.open(path)
		if eval[bool](b, "document.documentElement.outerHTML.includes('"+key+"')") {
			t.Errorf("%s has the key", path)
		}
	}
	b.shows("Our ERP")
	if strings.Contains(s.log.String(), key) {
		t.Error("the log has the key")
	}
	proof := &verify.Proof{}
	if err := verify.FindTexts(t.Context(), s.DB, proof, key); err != nil || !proof.Clean() || proof.Bytes == 0 {
		t.Errorf("%v %+v", err, proof)
	}
}
