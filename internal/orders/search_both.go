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
	others, err := f.others(tx, matching)
	if err != nil {
		return nil, 0, err
	}
	switch {
	case others.n == 0: // all match
	case lookUpCost*found.Len() <= min(matching, others.n):
		return readFound(tx, page, f.addMatching(tx, found.IDs(), page))
	case others.n < matching:
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

// leftOut are all orders that a filter leaves out.
type leftOut struct {
	n   int64                                      // how many they are, or more
	ids func(r db.Reader) (sql string, args []any) // the query of their ids; nil where n is as many as match
}

// others are all orders that the filter leaves out, if it has statuses or a country alone; matching have these. Otherwise they are taken
// for as many as match.
func (f Filter) others(tx *db.Tx, matching int64) (others leftOut, err error) {
	others.n = matching
	counted, rows := f.CountedFilter, f.RowFilter
	counted.Statuses, rows.Country = nil, ""
	if counted.some() || rows != (RowFilter{}) || len(f.Statuses) > 0 && f.Country != "" {
		return others, nil
	}
	all, err := prefetchTotal(tx, CountedFilter{}).Wait()
	if err != nil {
		return others, err
	}
	if f.Country == "" {
		rest := Filter{}
		rest.Statuses = slices.DeleteFunc(slices.Clone(Statuses), func(s Status) bool { return slices.Contains(f.Statuses, s) })
		return leftOut{all - matching, rest.ids}, nil
	}
	sql, args := f.elsewhere(tx, "count(*)")
	if err := tx.Row("SELECT sum(n)::BIGINT FROM ("+sql+") AS counted", args, &others.n); err != nil {
		return others, err
	}
	if matching+others.n != all { // some have no country, and no index
		others.n = matching
		return others, nil
	}
	others.ids = func(r db.Reader) (string, []any) { return f.elsewhere(r, "o.id") }
	return others, nil
}

// elsewhere writes the query of something of the orders of all countries but the filter's.
func (f Filter) elsewhere(r db.Reader, what string) (sql string, args []any) {
	w := db.NewWhere(r, "o")
	where := w.String()
	country := w.Bind(f.Country)
	side := func(beyond string) string {
		return "SELECT " + what + " AS n FROM orders o WHERE " + where + " AND o.country " + beyond + " " + country
	}
	return side("<") + " UNION ALL " + side(">"), w.Args()
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
