package api

import (
	"entrepot/internal/apijson"
)

// page is which part of a list is wanted.
type page struct {
	Number int // from 1
	Limit  int
}

// Offset is how many rows come before the page.
func (p page) Offset() int { return (p.Number - 1) * p.Limit }

// readPage reads page and limit (perPage is the same); a limit above most is cut to it (interface §4.1).
func readPage(q *apijson.Query, usual, most int) page {
	p := page{Number: q.Int("page", 1, 1, 1_000_000_000), Limit: q.Int("limit", usual, 1, most)}
	if per := q.Int("perPage", usual, 1, most); q.Has("perPage") && !q.Has("limit") {
		p.Limit = per
	}
	return p
}

// writeMeta writes the meta of a paged list.
func writeMeta(w *apijson.Writer, p page, total int64, more func(w *apijson.Writer)) {
	w.Record(choose(more == nil, "PageMeta", "OrderPageMeta"), "meta")
	w.Int("page", int64(p.Number))
	w.Int("limit", int64(p.Limit))
	w.Int("total", total)
	w.Int("totalPages", (total+int64(p.Limit)-1)/int64(p.Limit))
	if more != nil {
		more(w)
	}
	w.End()
}
