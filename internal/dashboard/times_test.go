package dashboard

import (
	"fmt"
	"strings"
	"testing"
)

// wholeTimes goes to every stop of the keyboard on the page, one after the other, and gives what it finds wrong: times that are never
// shown in full, times outside of <time>, rows with more stops than they need, and what makes the page wider than the screen.
const wholeTimes = `(() => {
	const wrong = [], seen = e => e.checkVisibility() && !e.closest("details:not([open])");
	for (const e of document.querySelectorAll("main details")) e.open = true;
	const times = new Set([...document.querySelectorAll("main time:not(.slip *)")].filter(seen));
	const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
	while (texts.nextNode()) {
		const text = texts.currentNode;
		if (/\bjust now\b|\d (min|h) ago|(yesterday|today|tomorrow), \d/.test(text.data) && !text.parentElement.closest("time, script")) {
			wrong.push("no <time>: " + text.data);
		}
	}
	for (const stop of document.querySelectorAll("main :is(a[href], button, input, select, textarea, summary, [tabindex='0'])")) {
		stop.focus();
		for (const time of times) {
			const tip = getComputedStyle(time, "::after");
			if (time.title && tip.content === JSON.stringify(time.title) && tip.display !== "none") times.delete(time);
		}
		const wide = document.documentElement.scrollWidth - innerWidth;
		if (wide > 0) wrong.push(wide + " px too wide at " + stop.outerHTML.slice(0, 120));
	}
	for (const time of times) wrong.push("never in full: " + time.outerHTML);
	for (const time of document.querySelectorAll("main tr:has(a[href]) time[tabindex]")) wrong.push("one stop too many: " + time.outerHTML);
	return wrong;
})()`

// A time that is written relative to now is shown in full to the keyboard as it is to the pointer: at the stop of its row, or at the time
// itself where its row has none.
func TestTheKeyboardSeesWholeTimes(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.window(t, s.owner)
	for _, path := range s.pages() {
		b.open(path)
		for _, width := range []int64{1440, 390} {
			b.look(width, "light")
			for i, what := range eval[[]string](b, wholeTimes) {
				if i < 5 {
					t.Errorf("%s, %d: %s", path, width, what)
				}
			}
		}
	}
}

// What covers other things can be put away without moving on.
func TestEscapePutsWholeTimesAway(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.window(t, s.owner)
	b.look(1440, "light")
	b.open("/events")
	shown := func(row int) bool {
		time := fmt.Sprintf("document.querySelectorAll('main tbody time')[%d]", row)
		content := eval[string](b, "getComputedStyle("+time+", '::after').content")
		return strings.Contains(content, "UTC")
	}
	b.keys("j")
	if !shown(0) || shown(1) {
		t.Errorf("at the first row: %t, %t", shown(0), shown(1))
	}
	b.keys("\x1b")
	if shown(0) {
		t.Error("it stays after Escape")
	}
	b.keys("j")
	if shown(0) || !shown(1) {
		t.Errorf("at the second row: %t, %t", shown(0), shown(1))
	}
}
