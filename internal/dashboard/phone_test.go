package dashboard

import (
	"slices"
	"testing"
)

// On a phone, the thumb reaches where one goes and what one does: the bar at the bottom, the act of the page and the bar of ticked rows
// above it. Buttons stand in two rows at most, ticks are 24 px, and no page is wider than the screen.
func TestThumbsReachTheActs(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.window(t, s.owner)
	const rows = `(selector => new Set([...document.querySelectorAll(selector)].filter(e => e.checkVisibility())
		.map(e => Math.round(e.getBoundingClientRect().top))).size)`
	for _, width := range []int64{390, 320} {
		b.look(width, "dark")
		for _, path := range []string{"/", "/orders", "/products", "/stock", "/customers", "/channels", "/webhooks", "/products/" + s.samples["/products"],
			"/orders/" + s.samples["/orders"]} {
			b.open(path)
			if wide := eval[float64](b, "document.documentElement.scrollWidth"); int64(wide) > width {
				t.Errorf("%s at %d is %.0f wide", path, width, wide)
			}
			if n := eval[float64](b, rows+`(".head > .do .btn:not(.primary)")`); n > 2 {
				t.Errorf("%s at %d: %.0f rows of buttons", path, width, n)
			}
			if at := eval[float64](b, "innerHeight - document.querySelector('.top').getBoundingClientRect().bottom"); at != 0 {
				t.Errorf("%s at %d: the bar is %.0f above the bottom", path, width, at)
			}
			if slices.Contains([]string{"/products", "/customers", "/channels", "/webhooks"}, path) &&
				!eval[bool](b, "document.querySelector('.head .btn.primary').getBoundingClientRect().top > innerHeight * 2 / 3") {
				t.Errorf("%s at %d: its act is out of reach", path, width)
			}
		}
		b.open("/orders")
		b.click(".rows [name=id]")
		b.until("document.querySelector('#bulk').checkVisibility()")
		if n := eval[float64](b, rows+`("#bulk > .btn")`); n > 2 {
			t.Errorf("at %d: %.0f rows of buttons for ticked orders", width, n)
		}
		if !eval[bool](b, `(() => { const bulk = document.querySelector("#bulk").getBoundingClientRect(), tick = document.querySelector(".rows [name=id]");
			return bulk.bottom <= document.querySelector(".top").getBoundingClientRect().top && bulk.top > innerHeight / 2 &&
				tick.getBoundingClientRect().width === 24; })()`) {
			t.Errorf("at %d: the bar of ticked rows is out of reach, or ticks are small", width)
		}
		b.click("#bulk [type=reset]")
	}
	b.click(`.top a[href$="/products"]`) // the page is changed in place
	b.until("document.querySelector('h1').innerText === 'Products' && document.querySelector('.top [aria-current]').innerText.trim() === 'Products'")
}
