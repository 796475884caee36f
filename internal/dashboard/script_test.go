package dashboard

import (
	"testing"

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
