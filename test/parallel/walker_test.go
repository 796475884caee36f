package parallel

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"entrepot/test/blackbox/harness"
)

// walker follows one change feed as a client would, and keeps the last it saw of every entity.
type walker struct {
	shop  *shop
	feed  string // products, categories, inventory
	way   string // how it keeps since
	limit int
	since string
	seen  map[string]entity
	node  int

	others  *history  // what all walkers of this feed got
	looked  int       // how far this one has looked through it
	pending []version // what it must have seen once its since is beyond
}

// version is a state of an entity, by its stamp.
type version struct{ id, changedAt string }

// history is all versions that any walker of a feed got: they are committed, so every walker must see them, or later ones, before
// its since passes them.
type history struct {
	mu       sync.Mutex
	versions []version
}

func (h *history) add(v version) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.versions = append(h.versions, v)
}

func (h *history) behind(n int) []version {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.versions[n:])
}

// entity is one item of a feed, as text.
type entity struct{ changedAt, item string }

// The ways to keep since (interface §4.3).
const (
	nextSince = "nextSince"
	changedAt = "last changedAt"
	ownClock  = "own clock"
)

// walkers are one for each feed and each way.
func (s *shop) walkers() []*walker {
	var all []*walker
	for _, feed := range []string{"products", "categories", "inventory"} {
		others := &history{}
		for n, way := range []string{nextSince, changedAt, ownClock} {
			all = append(all, &walker{shop: s, feed: feed, way: way, limit: []int{40, 100, 1000}[n], node: n,
				seen: map[string]entity{}, others: others})
		}
	}
	return all
}

// run is one visit: pages are drained while there are more. An own clock is read before the first of them.
func (w *walker) run() (whole bool) {
	committed := w.others.behind(w.looked)
	since, before := w.since, time.Now().UTC().Format("2006-01-02T15:04:05.000000Z")
	for {
		page, ok := w.page(since, w.limit)
		if !ok {
			return false // the next visit asks from the same since
		}
		items := page.List("data")
		for _, item := range items {
			w.keep(item)
		}
		since = page.Text("meta", "nextSince")
		if n := len(items); w.way == changedAt && n > 0 {
			since, _ = harness.At(items[n-1], "changedAt").(string)
		} else if w.way == changedAt {
			since = w.since
		}
		if w.way != ownClock {
			w.since = since
		}
		if page.At("meta", "hasMore") != true {
			break
		}
	}
	if w.way == ownClock {
		w.since = before
	}
	w.looked += len(committed)
	w.pending = slices.DeleteFunc(append(w.pending, committed...), func(v version) bool {
		if v.changedAt < w.since && w.seen[v.id].changedAt < v.changedAt {
			w.shop.defect("missed change", "%s by %s: since is %s, %s was committed before with %s and this one has seen %q",
				w.feed, w.way, w.since, v.id, v.changedAt, w.seen[v.id].changedAt)
		}
		return v.changedAt < w.since
	})
	return true
}

func (w *walker) page(since string, limit int) (harness.Answer, bool) {
	w.node++
	path := harness.ChangesPath(w.feed, since, limit)
	by := w.shop.on(w.node, w.shop.account.Key)
	page, ok := w.shop.send("GET feed "+w.feed+", "+w.way, by, harness.Request{Method: http.MethodGet, Path: path})
	if !ok && page.Status != 0 && page.Status < 500 {
		w.shop.defect("feed refused", "%s", page)
	}
	return page, ok
}

// keep takes over an item. An older state behind a newer one would undo it at the client.
func (w *walker) keep(item any) {
	id, _ := harness.At(item, "id").(string)
	at, _ := harness.At(item, "changedAt").(string)
	whole, _ := json.Marshal(item)
	if before, known := w.seen[id]; known && before.changedAt > at {
		w.shop.defect("feed went back", "%s by %s: %s was seen as of %s and came as of %s", w.feed, w.way, id, before.changedAt, at)
		return
	}
	w.seen[id] = entity{at, string(whole)}
	w.others.add(version{id, at})
}

// whole reads a feed from the beginning, with a walker that starts afresh; nil if it could not.
func (s *shop) whole(feed string) map[string]entity {
	w := &walker{shop: s, feed: feed, way: nextSince, limit: 1000, seen: map[string]entity{}, others: &history{}}
	if !w.run() {
		return nil
	}
	return w.seen
}

// auditFeeds holds what each walker has seen, after one last visit, against the whole feed.
func (s *shop) auditFeeds(walkers []*walker) {
	for _, feed := range []string{"products", "categories", "inventory"} {
		var truth map[string]entity
		if err := harness.Eventually(5*time.Minute, func() error { // what follows a deleted channel goes on for a moment
			before := s.whole(feed)
			for _, w := range walkers {
				if w.feed == feed && !w.run() {
					return fmt.Errorf("the feed of %s could not be read", feed)
				}
			}
			if truth = s.whole(feed); truth == nil || !maps.Equal(before, truth) {
				return fmt.Errorf("the feed of %s still moves", feed)
			}
			return nil
		}); err != nil {
			s.defect("feed", "%v", err)
		}
		deleted := 0
		for _, w := range walkers {
			if w.feed != feed {
				continue
			}
			missed := 0
			for _, id := range slices.Sorted(maps.Keys(truth)) {
				switch saw, known := w.seen[id]; {
				case !known:
					missed++
					s.defect("missed change", "%s by %s: never saw %s", feed, w.way, truth[id].item)
				case saw.changedAt != truth[id].changedAt:
					missed++
					s.defect("missed change", "%s by %s: saw %s as of %s, it is %s", feed, w.way, id, saw.changedAt, truth[id].item)
				case saw.item != truth[id].item:
					s.defect("change without a stamp", "%s by %s: saw %s, it is %s", feed, w.way, saw.item, truth[id].item)
				}
			}
			for id := range w.seen {
				if _, there := truth[id]; !there {
					s.defect("seen and gone", "%s by %s: %s is in the feed no more", feed, w.way, w.seen[id].item)
				}
			}
			s.t.Logf("walker of %s by %s: %d entities, %d missed", feed, w.way, len(w.seen), missed)
		}
		for _, e := range truth {
			if item, _ := harness.Decode([]byte(e.item)); harness.At(item, "deletedAt") != nil {
				deleted++
			}
		}
		s.t.Logf("feed of %s: %d entities, %d of them deleted", feed, len(truth), deleted)
	}
}
