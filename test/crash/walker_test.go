package crash

import (
	"net/http"

	"entrepot/test/blackbox/harness"
)

// walker follows the feed of stock on both nodes in turn, by nextSince.
type walker struct {
	*shop
	since string
	calls int
	seen  map[string]string // id of a level → its newest changedAt
}

// step reads one page; more says that there is another one.
func (w *walker) step() (more bool) {
	path := harness.ChangesPath("inventory", w.since, 5)
	w.calls++
	page, err := w.on(w.calls).Call(http.MethodGet, path, nil)
	switch {
	case err != nil:
		w.t.Errorf("%s: %v", path, err)
		return true
	case page.Status == http.StatusServiceUnavailable:
		w.away(page)
		return true
	case page.Status != http.StatusOK:
		w.t.Errorf("%s", page)
		return false
	}
	for _, item := range page.List("data") {
		id, _ := harness.At(item, "id").(string)
		at, _ := harness.At(item, "changedAt").(string)
		if at < w.seen[id] {
			w.t.Errorf("the feed went back: %s was seen as of %s and came as of %s", id, w.seen[id], at)
		}
		w.seen[id] = at
	}
	w.since = page.Text("meta", "nextSince")
	return page.At("meta", "hasMore") == true
}

// missed reads to the end and counts the levels whose newest state it never got.
func (w *walker) missed() (n int) {
	for w.step() {
	}
	whole := &walker{shop: w.shop, seen: map[string]string{}}
	for whole.step() {
	}
	for id, at := range whole.seen {
		if w.seen[id] != at {
			n++
			w.t.Errorf("level %s: the feed has %s, the walker saw %q", id, at, w.seen[id])
		}
	}
	return n
}
