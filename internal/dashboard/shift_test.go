package dashboard

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// shifts adds up how much of a page has moved since it was first shown, as browsers measure it (cumulative layout shift).
const shifts = `new Promise(done => {
	let moved = 0;
	const add = list => list.forEach(one => moved += one.value);
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
			if moved := run(b, chromedp.Evaluate[float64](shifts, chromedp.EvalAwaitPromise)); moved > 0 {
				t.Errorf("%s at %d: what is shown moves by %v", path, width, moved)
			}
		}
	}
}
