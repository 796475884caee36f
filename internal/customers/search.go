package customers

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/search"
)

// listFound reads a page of a search. If the filter has conditions beyond the index of searches, the customers found
// are read and checked.
func listFound(tx *db.Tx, f Filter) ([]Customer, int64, error) {
	page := &search.Page{Offset: f.Offset, Limit: f.Limit}
	if f.After != "" {
		page.After = &search.Hit{ID: search.ParseID(string(f.After))}
	}
	var found []search.ID
	look := f.Tag != "" || f.Segment != nil
	err := search.Find(tx, search.Customers, f.Search, func(id search.ID, sort int64) error {
		switch {
		case sort == isSecondary && !f.IncludeInactive:
		case look:
			found = append(found, id)
		default:
			page.Add(search.Hit{ID: id})
		}
		return nil
	})
	f.Search = ""
	var members *memberPage
	if f.Segment != nil && len(found) > 0 && err == nil {
		members, err = membersOf(tx, f)
	}
	for len(found) > 0 && err == nil {
		piece := found[:min(256, len(found))]
		found = found[len(piece):]
		if members != nil {
			var some []id.Customer
			some, err = members.among(tx, piece)
			for _, c := range some {
				page.Add(search.Hit{ID: search.ParseID(string(c))})
			}
			continue
		}
		w := f.where(tx)
		err = tx.Each(func(r db.Rows) error {
			var text string
			err := r.Scan(&text)
			page.Add(search.Hit{ID: search.ParseID(text)})
			return err
		}, "SELECT c.id FROM customers c WHERE "+w.String()+" AND c.id IN ("+search.Bind(w, piece)+")", w.Args()...)
	}
	hits := page.Hits()
	ids := make([]search.ID, len(hits))
	for i, h := range hits {
		ids[i] = h.ID
	}
	list, err := readFound(tx, ids, err)
	return list, page.Total, err
}

// LastRecorded reads the newest active customers that contain a term, at most n; searches of everything show these.
func LastRecorded(tx *db.Tx, term string, n int) ([]Customer, error) {
	ids, err := search.Newest(tx, search.Customers, term, n, func(sort int64) bool { return sort != isSecondary })
	return readFound(tx, ids, err)
}

// readFound reads customers, newest first, unless the search that found them has failed.
func readFound(tx *db.Tx, found []search.ID, err error) ([]Customer, error) {
	if err != nil || len(found) == 0 {
		return []Customer{}, err
	}
	ids := make([]id.Customer, len(found))
	for i := range found {
		ids[i] = id.Customer(found[i].String())
	}
	return newestFirst(tx, ids)
}
