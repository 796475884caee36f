package dashboard

import (
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// shifts are the elements of a page that have moved since it was first shown, as browsers measure it (cumulative layout shift).
const shifts = `new Promise(done => {
	const moved = [];
	const place = ({ x, y, width, height }) => [x, y, width, height].join(" ");
	const named = ({ node, previousRect, currentRect }) => (node?.outerHTML ?? node?.data ?? "gone").slice(0, 120) + " from " +
		place(previousRect) + " to " + place(currentRect);
	const add = list => { for (const one of list) moved.push(one.value + ": " + one.sources.map(named).join(", ")); };
	const seen = new PerformanceObserver(list => add(list.getEntries()));
	seen.observe({ type: "layout-shift", buffered: true });
	requestAnimationFrame(() => setTimeout(() => { add(seen.takeRecords()); done(moved); }));
})`

// Nothing on a page moves once it is shown, on a desk and on a phone.
func TestNothingMoves(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.window(t, s.owner)
	for _, width := range []int64{1440, 390} {
		b.look(width, "light")
		for _, path := range s.pages() {
			b.open(path)
			if moved := run(b, chromedp.Evaluate[[]string](shifts, chromedp.EvalAwaitPromise)); len(moved) > 0 {
				t.Errorf("%s at %d: what is shown moves: %q", path, width, moved)
			}
		}
	}
}

// Browsers show a page once an element at its end has come, which it names: what is in the middle of a line would move as the line grows.
func TestPagesAreShownWhole(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	for _, b := range []*browser{s.as(s.owner), s.browser()} {
		for _, path := range append(s.pages(), "/nowhere") {
			page := b.get(path)
			named := regexp.MustCompile(`<link rel="expect" href="#([a-z]+)" blocking="render">`).FindStringSubmatch(page.body)
			if page.status != 303 && (named == nil || !strings.Contains(page.body, `id="`+named[1]+`"`)) {
				t.Errorf("%s: it waits for %q", path, named)
			}
		}
	}
}
