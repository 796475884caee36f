package api

import (
	"slices"
	"sync"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/limits"
)

// feedPage selects a part of a change feed (interface §4.3).
type feedPage struct {
	Since   int64 // microseconds; changes at this instant or later
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

// feedMeta is the meta of a page.
type feedMeta struct {
	Total int64 // all matching items, this page's included
	Count int
	More  bool
	Next  int64 // the since of the next page
	Now   int64 // the store's clock when the page was requested
}

// writeFeedMeta writes the meta of a page, and returns the number of bytes before the server's time, which no ETag
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

// feedSource has a feed's newest stamp, tombstones included, and counts its rows.
type feedSource interface {
	Newest(tx *db.Tx) (int64, error)
	Count(tx *db.Tx, since, until int64) (int64, error) // without deleted rows
	Tombstones(tx *db.Tx, since int64) (int64, error)
	All(tx *db.Tx) (int64, error) // how many rows there are, without deleted ones
}

// readMeta reads the meta of a page with count items; stamp is that of the last item.
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
	// they are removed later without a stamp, so their counts are not cached
	tombstones, err := source.Tombstones(tx, p.Since)
	m.Total += tombstones
	return m, err
}

// feedTotals caches counts of a feed's items after certain stamps, so that a caller who reads a large feed page by
// page does not have the remaining items counted for every page. Counts are valid as long as the feed's newest stamp
// is unchanged, because each change of an item raises it.
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

// mark is how many items, without deleted ones, have this stamp or a later one.
type mark struct{ since, total int64 }

// Bounds of the cached counts: marks of a feed, feeds in total, and their lifetime.
const (
	maxMarks   = 64
	maxFeeds   = 4096
	marksValid = 10 * 60 * 1_000_000 // microseconds
)

// total is how many items, without deleted ones, have the stamp since or a later one: counted from the nearest mark,
// if there is one.
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

// remember adds a mark.
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
