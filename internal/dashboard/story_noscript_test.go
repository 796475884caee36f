package dashboard

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"entrepot/internal/accounts"
)

// Without script: log in, read every page, filter, ship, make a channel and a key, retry a delivery, import a file.
func TestStoryWithoutScript(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	c := s.shopper(t)
	order := c.order("PROCESSING", nil, 3)
	b := s.withoutScript(t, accounts.User{})
	b.open("/orders")
	b.fill("#login-email", "owner@test.example")
	b.fill("#login-password", password)
	b.press("Log in")
	b.until("location.pathname === '" + prefix + "/orders'")
	for _, path := range s.pages() {
		b.open(path)
		if !eval[bool](b, "!!document.querySelector('main h1')?.checkVisibility()") {
			t.Errorf("%s shows no heading", path)
		}
	}
	b.open("/orders")
	b.fill("#orders-search", "web-shipped")
	b.keys("\r")
	b.shows("1 order")
	b.press("Status")
	b.press("Pending")
	b.shows("Status: Pending")

	b.open("/orders/" + order)
	b.fill(".qty", "9")
	b.click("#ship")
	b.shows("only 3 remaining")
	b.fill(".qty", "1")
	b.click("#ship")
	b.shows("1 of 3")
	b.press("Undo")
	b.shows("0 of 3")

	b.open("/channels/new?platform=CUSTOM")
	b.fill("[name=name]", "Our ERP")
	b.press("Create channel")
	b.until("document.querySelector('#once-secret')?.value.startsWith('pk_live_')")
	b.press("I have stored it")
	b.shows("Your system calls")
	b.press("Delete channel…")
	b.fill("#delete-channel [name=name]", "another name")
	b.click("#delete-channel button.primary")
	b.shows("is not the channel's name")

	b.open("/keys/new")
	b.fill("#keys-new-name", "Reader")
	b.click(`[value="read:orders"]`)
	b.click("main form button.primary")
	b.until("document.querySelector('#once-secret')?.value.startsWith('pk_live_')")

	b.open("/webhooks/deliveries/" + s.samples["/webhooks/deliveries"])
	b.press("Retry now")
	b.until("!!document.querySelector('#toasts .toast')")

	path := filepath.Join(t.TempDir(), "mugs.csv")
	if err := os.WriteFile(path, []byte(mugs), 0o600); err != nil {
		t.Fatal(err)
	}
	b.open(importsPath)
	b.settle()
	b.do(chromedp.SetUploadFiles(chromedp.CSS(".drop input[type=file]"), []string{path}))
	b.press("Read the file")
	b.shows("mugs.csv")
	b.shows("3 rows")
}
