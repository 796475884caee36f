package search

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"entrepot/internal/db"
)

// Hit is a record that a search has found, and its sort value.
type Hit struct {
	ID   ID
	Sort int64
}

// Page selects, from any number of hits, those of one page of a list and of the pages before it.
type Page struct {
	Offset, Limit int
	Ascending     bool
	After         *Hit  // the hit at which the page before ended, in place of Offset; nil for none
	Total         int64 // of all that were added

	best []Hit
	last *Hit // no hit after it is on the page; nil while there may be any
}

func (p *Page) compare(a, b Hit) int {
	by := cmp.Or(cmp.Compare(a.Sort, b.Sort), bytes.Compare(a.ID[:], b.ID[:]))
	if p.Ascending {
		return by
	}
	return -by
}

// Add counts a hit and stores it if it may be on the page.
func (p *Page) Add(h Hit) {
	p.Total++
	if p.After != nil && p.compare(*p.After, h) >= 0 {
		return
	}
	if p.last != nil && p.compare(h, *p.last) > 0 {
		return
	}
	reach := p.Offset + p.Limit
	if p.best = append(p.best, h); len(p.best) >= 2*reach+1000 {
		slices.SortFunc(p.best, p.compare)
		p.best = p.best[:reach]
		last := p.best[reach-1]
		p.last = &last
	}
}

// AddSet adds all records of a set to a page that sorts by id alone, without reading those on other pages.
func (p *Page) AddSet(s *Set) {
	p.Total += s.Len()
	ids := s.ids
	if p.After != nil {
		at, there := s.Find(p.After.ID)
		switch {
		case !p.Ascending:
			ids = ids[:at]
		case there:
			ids = ids[at+1:]
		default:
			ids = ids[at:]
		}
	}
	reach := min(p.Offset+p.Limit, len(ids))
	if p.Ascending {
		ids = ids[:reach]
	} else {
		ids = ids[len(ids)-reach:]
	}
	for _, id := range ids {
		p.best = append(p.best, Hit{ID: id})
	}
}

// Hits returns the hits of the page, in order.
func (p *Page) Hits() []Hit {
	slices.SortFunc(p.best, p.compare)
	return p.best[min(p.Offset, len(p.best)):min(p.Offset+p.Limit, len(p.best))]
}

// Bind adds ids to the arguments of a query and returns their placeholders.
func Bind(w *db.Where, ids []ID) string {
	texts := make([]string, len(ids))
	for i := range ids {
		texts[i] = ids[i].String()
	}
	marks := make([]string, 0, len(ids))
	for _, text := range db.Padded(texts) {
		marks = append(marks, w.Bind(text))
	}
	return strings.Join(marks, ",")
}
