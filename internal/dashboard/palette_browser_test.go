package dashboard

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The palette opens with Ctrl K on any page, lists what is typed, and is used with the keyboard alone.
func TestPalette(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.window(t, s.owner)
	b.look(1440, "light") // without motion: a page that is left while it comes in ends its transition with an exception
	b.open("/search?q=ada")
	ctrlK := chromedp.KeyEvent("k", chromedp.KeyModifiers(kb.ModifierCtrl))
	b.do(ctrlK)
	b.until("document.querySelector('#palette').open && document.activeElement.closest('#palette')")
	b.until("document.querySelector('#palette-list').innerText.includes('Overview')")
	b.keys("mug" + kb.Escape) // at once, whatever is typed
	b.until("!document.querySelector('#palette').open")
	b.do(ctrlK)
	b.until("document.querySelector('#palette').open")
	b.keys("mug-blue")
	b.until("document.querySelector('#palette-list a')?.innerText.includes('Blue mug')")
	b.keys(kb.ArrowDown)
	b.until("document.activeElement === document.querySelector('#palette-list a')")
	b.keys(kb.ArrowUp)
	b.until("document.activeElement.name === 'q'")
	b.keys(kb.Enter)
	b.until("location.pathname === '" + prefix + "/products/" + s.samples["/products"] + "'")
	b.click(".side .find input")
	b.until("document.querySelector('#palette').open")
	b.keys("api key" + kb.Enter) // what was typed just now, not what was listed before
	b.until("location.pathname === '" + prefix + "/keys'")
	b.look(390, "light") // where the sidebar is a menu, the bar above has the search
	b.open("/orders")
	b.click("#top [data-jump]")
	b.until("document.querySelector('#palette').open && document.activeElement.closest('#palette')")
}

// The counts of the sidebar follow what happens, also on a page that shows nothing of it.
func TestSidebarIsLive(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	b := s.window(t, s.owner)
	b.open("/settings/me")
	b.do(chromedp.Evaluate[chromedp.Void]("document.querySelector('#settings-me-password-password').value = 'half typed'"))
	c.order("PROCESSING", nil, 1)
	b.until("document.querySelector('#side').innerText.includes('to ship')")
	if kept := eval[string](b, "document.querySelector('#settings-me-password-password').value"); kept != "half typed" {
		t.Errorf("the page's form holds %q", kept)
	}
	if title := eval[string](b, "document.title"); title != "My login · Atelier Lumen · entrepot" {
		t.Errorf("the title is %q", title)
	}
}

// Of two keys that belong together, the second may come as late as it likes; a click in between is another thing.
func TestTwoKeysWithTimeBetween(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.window(t, s.owner)
	b.open("/")
	b.keys("g")
	b.do(chromedp.Evaluate[chromedp.Void]("{ const now = Date.now; Date.now = () => now() + 60000; }"))
	b.keys("o")
	b.until("location.pathname === '" + prefix + "/orders'")
	b.keys("g")
	b.click("h1")
	b.keys("p?")
	b.until("document.querySelector('#shortcuts').open")
	if b.path() != prefix+"/orders" {
		t.Errorf("it went to %s", b.path())
	}
}
