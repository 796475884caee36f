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
	for _, one := range f.apart() {
		matching, err := one.matching(tx)
		if err != nil || matching == 0 {
			return []Order{}, 0, err
		}
		others, err := one.others(tx, matching)
		switch {
		case err != nil:
		case others.n == 0: // all match
		case lookUpCost*found.Len() <= min(matching, others.n):
			return readFound(tx, page, f.addMatching(tx, found.IDs(), page))
		case others.n < matching:
			sql, args := others.ids(tx)
			found, err = found.Drop(tx, sql, args...)
		default:
			sql, args := one.ids(tx)
			found, err = found.Keep(tx, sql, args...)
		}
		if err != nil {
			return nil, 0, err
		}
	}
	return f.listKept(tx, found, page)
}

// listKept reads a page of orders found that match the rest of the filter.
func (f Filter) listKept(tx *db.Tx, found *search.Set, page *search.Page) ([]Order, int64, error) {
	if found.Len() <= fewRows {
		return readFound(tx, page, f.addMatching(tx, found.IDs(), page))
	}
	return listAlong(tx, f.inIndex(), found, found.Len(), nil)
}

// apart are filters that together are the filter, each of which an index has: that of totals has neither status, channel nor creation.
func (f Filter) apart() []Filter {
	if !f.countedOverTotals() || !f.some() {
		return []Filter{f}
	}
	totals, counted := f, f
	totals.CountedFilter, counted.RowFilter = CountedFilter{}, RowFilter{}
	return []Filter{totals, counted}
}

// inIndex is the filter without the conditions that the index of its sort does not have: orders that are known to fulfil these need not be
// looked at.
func (f Filter) inIndex() Filter {
	if f.Sort == ByCreatedAt {
		f.MinTotal, f.MaxTotal = nil, nil
		return f
	}
	f.CountedFilter, f.Country = CountedFilter{}, ""
	if f.Sort == ByNumber {
		f.MinTotal, f.MaxTotal = nil, nil
	}
	return f
}

// matching is how many orders match a filter of apart.
func (f Filter) matching(tx *db.Tx) (int64, error) {
	if f.countedOverTotals() {
		all, err := prefetchTotal(tx, CountedFilter{}).Wait()
		if err != nil {
			return 0, err
		}
		return f.countWithin(tx, all)
	}
	return prefetchMatching(tx, f).Wait()
}

// leftOut are all orders that a filter leaves out.
type leftOut struct {
	n   int64                                      // how many they are, or more
	ids func(r db.Reader) (sql string, args []any) // the query of their ids; nil where n is as many as match
}

// others are all orders that the filter leaves out, if it has statuses, a country or bounds of the total alone; matching have these.
// Otherwise they are taken for as many as match.
func (f Filter) others(tx *db.Tx, matching int64) (others leftOut, err error) {
	others.n = matching
	counted, rows := f.CountedFilter, f.RowFilter
	counted.Statuses, rows.Country = nil, ""
	totals := f.byTotals() && !f.some() && f.countedOverTotals()
	if totals {
		rows = RowFilter{}
	}
	if counted.some() || rows != (RowFilter{}) || len(f.Statuses) > 0 && f.Country != "" {
		return others, nil
	}
	all, err := prefetchTotal(tx, CountedFilter{}).Wait()
	if err != nil {
		return others, err
	}
	if totals {
		return leftOut{all - matching, f.idsBeyond}, nil
	}
	if f.Country == "" {
		rest := Filter{}
		rest.Statuses = f.statusesLeftOut()
		return leftOut{all - matching, rest.ids}, nil
	}
	if n, err := countries(tx); err != nil || n != all { // some have no country, and no index
		return others, err
	}
	return leftOut{all - matching, f.elsewhere}, nil
}

// statusesLeftOut are those that the filter does not ask for.
func (f Filter) statusesLeftOut() []Status {
	return slices.DeleteFunc(slices.Clone(Statuses), func(s Status) bool { return slices.Contains(f.Statuses, s) })
}

// idsBeyond writes the query of the ids of the orders whose totals are not within the filter's bounds.
func (f Filter) idsBeyond(r db.Reader) (sql string, args []any) {
	w := db.NewWhere(r, "o")
	for i, bounds := range f.beyondTotals() {
		if i > 0 {
			sql += " UNION ALL "
		}
		sql += "SELECT o.id FROM orders o WHERE " + Filter{RowFilter: bounds}.conditions(w.Bind, byTotal, part{})
	}
	return sql, w.Args()
}

// elsewhere writes the query of the ids of the orders of all countries but the filter's.
func (f Filter) elsewhere(r db.Reader) (sql string, args []any) {
	w := db.NewWhere(r, "o")
	where := w.String()
	country := w.Bind(f.Country)
	side := func(beyond string) string {
		return "SELECT o.id FROM orders o WHERE " + where + " AND o.country " + beyond + " " + country
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
