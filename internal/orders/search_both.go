package orders

import (
	"slices"

	"entrepot/internal/db"
	"entrepot/internal/search"
)

// lookUpCost is about how many entries of an index are read while one order is looked up.
const lookUpCost = 4

// listBoth reads a page of the orders found that match the rest of the filter, too. Where both are very many, an index has those that match
// the rest, or all others if these are fewer.
func listBoth(tx *db.Tx, f Filter, found *search.Set, page *search.Page) ([]Order, int64, error) {
	matching, err := prefetchMatching(tx, f).Wait()
	if err != nil || matching == 0 {
		return []Order{}, 0, err
	}
	others, rest, err := f.others(tx, matching)
	if err != nil {
		return nil, 0, err
	}
	switch {
	case rest == 0: // all match
	case lookUpCost*found.Len() <= min(matching, rest):
		return readFound(tx, page, f.addMatching(tx, found.IDs(), page))
	case rest < matching:
		sql, args := others.ids(tx)
		found, err = found.Drop(tx, sql, args...)
	default:
		sql, args := f.ids(tx)
		found, err = found.Keep(tx, sql, args...)
	}
	if err == nil && found.Len() <= fewRows {
		return readFound(tx, page, f.addMatching(tx, found.IDs(), page))
	}
	return listAlong(tx, f, found, found.Len(), err)
}

// others is the filter of all orders that this one leaves out, and how many they are, if it has statuses alone; matching have these.
// Otherwise they are too many.
func (f Filter) others(tx *db.Tx, matching int64) (others Filter, n int64, err error) {
	alone := f.CountedFilter
	if alone.Statuses = nil; f.RowFilter != (RowFilter{}) || alone.some() {
		return others, matching, nil
	}
	all, err := prefetchTotal(tx, CountedFilter{}).Wait()
	others.Statuses = slices.DeleteFunc(slices.Clone(Statuses), func(s Status) bool { return slices.Contains(f.Statuses, s) })
	return others, all - matching, err
}

// ids writes the query of the ids of all orders that match the filter, from the entries of an index alone.
func (f Filter) ids(r db.Reader) (sql string, args []any) {
	way := f.access()
	switch {
	case f.RowFilter == (RowFilter{}):
		way = byStatus
	case f.countedOverTotals():
		way = byTotal
	}
	w := db.NewWhere(r, "o")
	return "SELECT o.id FROM orders o WHERE " + f.conditions(w.Bind, way, part{states: f.Statuses}), w.Args()
}
