package api

import (
	"slices"
	"sync"

	"entrepot/internal/apijson"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/limits"
)

// feedPage is which part of a change feed is wanted (interface §4.3).
type feedPage struct {
	Since   int64 // microseconds; changes since then, this instant included
	Given   bool  // since was given
	Limit   int
	Deleted bool // tombstones too
}

// readFeed reads the parameters of a change feed.
func readFeed(q *apijson.Query) feedPage {
	since, given := q.Time("since", false)
	p := feedPage{Given: given, Limit: q.Int("limit", limits.MaxFeed, 1, limits.MaxFeed), Deleted: q.Bool("includeDeleted")}
	if given {
		p.Since = since.UnixMicro()
	}
	return p
}

// feedMeta is what a page says of itself.
type feedMeta struct {
	Total int64 // all that match, this page's among them
	Count int
	More  bool
	Next  int64 // the since of the next page
	Now   int64 // the store's clock when the page was asked for
}

// writeFeedMeta writes the meta of a change feed's page. It gives how many bytes were written up to the server's time, which no ETag
// covers.
func writeFeedMeta(w *apijson.Writer, p feedPage, m feedMeta) (covered int) {
	w.Record("FeedMeta", "meta")
	w.Int("total", m.Total)
	if p.Given {
		w.Stamp("since", p.Since)
	} else {
		w.TextOrNull("since", "")
	}
	w.Int("count", int64(m.Count))
	w.Bool("hasMore", m.More)
	w.Stamp("nextSince", m.Next)
	covered = w.Len()
	w.Stamp("serverTime", m.Now)
	w.End()
	return covered
}

// feedSource is what a feed is read from: its newest stamp, tombstones included, and counts of its rows.
type feedSource interface {
	Newest(tx *db.Tx) (int64, error)
	Count(tx *db.Tx, since, until int64) (int64, error) // of living rows
	Tombstones(tx *db.Tx, since int64) (int64, error)
	All(tx *db.Tx) (int64, error) // how many living rows there are
}

// readMeta works out the meta of a page whose last item (of count) has the given stamp.
func (t *feedTotals) readMeta(tx *db.Tx, name string, source feedSource, p feedPage, count int, more bool, last int64) (m feedMeta,
	err error) {
	m = feedMeta{Count: count, More: more}
	newest, err := source.Newest(tx)
	if err != nil {
		return m, err
	}
	switch {
	case count > 0:
		m.Next = last + 1
	case p.Given:
		m.Next = p.Since
	default:
		m.Next = newest + 1
	}
	if !more {
		m.Total = int64(count)
		return m, nil
	}
	key := feedKey{tx.Tenant, name}
	if m.Total, err = t.total(tx, key, source, newest, p.Since); err != nil {
		return m, err
	}
	if !p.Deleted {
		t.remember(tx, key, newest, m.Next, m.Total-int64(count))
		return m, nil
	}
	t.remember(tx, key, newest, p.Since, m.Total)
	tombstones, err := source.Tombstones(tx, p.Since) // they are swept without a trace, so their counts are not remembered
	m.Total += tombstones
	return m, err
}

// feedTotals remembers how many items of a feed are left behind certain stamps, so that a caller who walks through a large
// feed does not have it counted from there to its end on every page. What it remembers of a feed holds exactly as long as
// the feed's newest stamp stays: each change of an item moves that.
type feedTotals struct {
	mu    sync.Mutex
	feeds map[feedKey]*knownTotals
}

type feedKey struct {
	tenant id.Tenant
	feed   string
}

type knownTotals struct {
	newest int64
	at     int64
	marks  []mark // oldest first
}

// mark says how many live items have this stamp or a later one.
type mark struct{ since, total int64 }

// Bounds of what is remembered: marks of a feed, feeds in all, and for how long.
const (
	maxMarks   = 64
	maxFeeds   = 4096
	marksValid = 10 * 60 * 1_000_000 // microseconds
)

// total gives how many live items have the stamp since or a later one: counted from the nearest mark, if there is one.
func (t *feedTotals) total(tx *db.Tx, key feedKey, source feedSource, newest, since int64) (int64, error) {
	if since <= 0 {
		return source.All(tx)
	}
	near, ok := t.nearest(tx, key, newest, since)
	if !ok {
		return source.Count(tx, since, newest+1)
	}
	if near.since == since {
		return near.total, nil
	}
	between, err := source.Count(tx, min(since, near.since), max(since, near.since))
	if since > near.since {
		between = -between
	}
	return near.total + between, err
}

// nearest finds the mark whose stamp is closest.
func (t *feedTotals) nearest(tx *db.Tx, key feedKey, newest, since int64) (best mark, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.feeds[key]
	if known == nil || known.newest != newest || tx.Micros()-known.at > marksValid {
		return best, false
	}
	for _, m := range known.marks {
		if !ok || distance(m.since, since) < distance(best.since, since) {
			best, ok = m, true
		}
	}
	return best, ok
}

func distance(a, b int64) int64 { return max(a, b) - min(a, b) }

// remember notes a mark.
func (t *feedTotals) remember(tx *db.Tx, key feedKey, newest, since, total int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.feeds[key]
	if known == nil || known.newest != newest || tx.Micros()-known.at > marksValid {
		if len(t.feeds) >= maxFeeds {
			clear(t.feeds)
		}
		if t.feeds == nil {
			t.feeds = map[feedKey]*knownTotals{}
		}
		known = &knownTotals{newest: newest, at: tx.Micros()}
		t.feeds[key] = known
	}
	if slices.Contains(known.marks, mark{since, total}) {
		return
	}
	if len(known.marks) == maxMarks {
		known.marks = slices.Delete(known.marks, 0, 1)
	}
	known.marks = append(known.marks, mark{since, total})
}

var _ feedSource = catalog.Products
