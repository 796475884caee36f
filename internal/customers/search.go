package customers

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/search"
)

// lookUpCost is the cost of looking up one customer, as the number of index entries read in that time.
const lookUpCost = 4

// listFound reads a page of a search. If the filter has conditions beyond the index of searches, the customers found
// are read and checked. If a tag has not many more customers than were found, the tag's index says who of them has it.
func listFound(tx *db.Tx, f Filter) ([]Customer, int64, error) {
	found, err := findSearched(tx, f)
	f.Search = ""
	if err == nil && f.Tag != "" {
		found, f.Tag, err = keepTagged(tx, found, f.Tag)
	}
	page := &search.Page{Offset: f.Offset, Limit: f.Limit}
	if f.After != "" {
		page.After = &search.Hit{ID: search.ParseID(f.After)}
	}
	ids := found.IDs()
	if err == nil && f.Tag == "" && f.Segment == nil {
		page.AddSet(found)
		ids = nil
	}
	among := func(piece []search.ID) ([]id.Customer, error) { return meeting(tx, f, piece) }
	if err == nil && f.Segment != nil && len(ids) > 0 {
		var members *memberPage
		if members, err = membersOf(tx, f); members != nil {
			among = func(piece []search.ID) ([]id.Customer, error) { return members.among(tx, piece) }
		}
	}
	for len(ids) > 0 && err == nil {
		piece := ids[:min(256, len(ids))]
		ids = ids[len(piece):]
		var some []id.Customer
		some, err = among(piece)
		for _, c := range some {
			page.Add(search.Hit{ID: search.ParseID(c)})
		}
	}
	hits := page.Hits()
	shown := make([]search.ID, len(hits))
	for i, h := range hits {
		shown[i] = h.ID
	}
	list, err := readFound(tx, shown, err)
	return list, page.Total, err
}

// findSearched finds the customers of a search by their text alone.
func findSearched(tx *db.Tx, f Filter) (*search.Set, error) {
	found := search.SetOf(nil)
	for _, term := range wantedTerms(f.Search) {
		some, err := search.FindSet(tx, search.Customers, term, func(sort int64) bool { return sort != isSecondary || f.IncludeInactive })
		if err != nil {
			return nil, err
		}
		found = found.Union(some)
	}
	return found, nil
}

// meeting returns those of some customers who meet the filter's conditions.
func meeting(tx *db.Tx, f Filter, some []search.ID) ([]id.Customer, error) {
	w := f.where(tx)
	condition := " AND c.id IN (" + search.Bind(w, some) + ")"
	return db.List(tx, func(r db.Rows) (c id.Customer, err error) { return c, r.Scan(&c) },
		"SELECT c.id FROM customers c WHERE "+w.String()+condition, w.Args()...)
}

// keepTagged drops from the customers found those without a tag, and returns "" for the tag. If so many customers have
// the tag that checking each found customer costs less, keepTagged drops none and returns the tag.
func keepTagged(tx *db.Tx, found *search.Set, tag string) (*search.Set, string, error) {
	const with = "customer_tags WHERE tenant_id = $1 AND tag = $2"
	many, err := db.MoreThan(tx, int(lookUpCost*found.Len()), with, tag)
	if err != nil || many {
		return found, tag, err
	}
	found, err = found.Keep(tx, "SELECT customer_id FROM "+with, tx.Tenant, tag)
	return found, "", err
}

// LastRecorded reads the newest active customers that contain a term, at most n, for searches of everything.
func LastRecorded(tx *db.Tx, term string, n int) ([]Customer, error) {
	var ids []search.ID
	for _, one := range wantedTerms(term) {
		some, err := search.Newest(tx, search.Customers, one, n, func(sort int64) bool { return sort != isSecondary })
		if err != nil {
			return nil, err
		}
		ids = append(ids, some...)
	}
	slices.SortFunc(ids, func(a, b search.ID) int { return search.CompareIDs(b, a) })
	ids = slices.Compact(ids)
	return readFound(tx, ids[:min(n, len(ids))], nil)
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
