package dashboard

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"entrepot/internal/accounts"
)

// Whatever the console reports, the policy refuses, or another host is asked, a window notices: stories rely on it.
func TestAWindowNoticesWhatMustNotBe(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.window(t, accounts.User{})
	for what, script := range map[string]string{
		"console.error":           `console.error("it went wrong")`,
		"exception":               `setTimeout(() => { throw new Error("nobody catches it") })`,
		"connect-src":             `fetch("https://elsewhere.example/").catch(() => {})`,
		"style-src":               `document.body.setAttribute("style", "color: red")`,
		"Trusted":                 `try { document.body.innerHTML = "<p>" } catch {}`,
		"a request to http://[::": `location.assign("http://[::1]:9/")`,
	} {
		b.open("/login")
		b.complaints()
		b.do(chromedp.Evaluate[chromedp.Void](script))
		noticed := ""
		b.wait(func() bool {
			noticed += b.complaints()
			return strings.Contains(noticed, what)
		}, what)
	}
	b.complaints()
}
