package dashboard

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The message of what was done waits for its page: a part of a page that is read meanwhile, for news or for what stands aside, leaves it.
func TestPartsOfPagesLeaveTheMessage(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.as(s.owner)
	made := b.submit(t, b.get("/segments"), "/segments", "name", "Everybody")
	const message = "Created the segment"
	for _, part := range []string{"Entrepot-Live", "Entrepot-Aside"} {
		b.header = http.Header{part: {"1"}}
		if page := b.get("/segments"); page.status != 200 || strings.Contains(page.words(), message) {
			t.Errorf("%s: %d %.600s", part, page.status, page.words())
		}
	}
	b.header = nil
	has(t, b.follow(made), message)
}

// A form that is sent as soon as it was typed into shows nothing aside any more; what it shows aside is read as a part.
func TestAFormThatIsSentShowsNothingAside(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.window(t, s.owner)
	b.open("/segments")
	typed := func(then string) {
		b.asks("")
		b.do(chromedp.Evaluate[chromedp.Void](`{
			const form = document.querySelector("#card-editor form"), ask = fetch;
			window.fetch = (url, options) => { window.part = options.headers["Entrepot-Aside"]; return ask(url, options); };
			form.elements.name.value = "Everybody";
			form.elements.name.dispatchEvent(new Event("input", { bubbles: true }));
			` + then + `
		}`))
		run(b, chromedp.Evaluate[bool]("new Promise(over => setTimeout(() => over(true), 201))", chromedp.EvalAwaitPromise))
	}
	typed("")
	b.shows("0 customers are in it now")
	if asked := b.asks("/segments"); len(asked) != 1 || !b.is("window.part === '1'") {
		t.Errorf("aside of what is typed: %v", asked)
	}
	typed("form.requestSubmit(form.querySelector('.primary'))")
	b.shows("Created the segment")
	if asked := b.asks("/segments"); len(asked) != 2 { // the form, and the page that it leads to
		t.Errorf("of a form that is sent: %v", asked)
	}
}
