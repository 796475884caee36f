package orders

import (
	"entrepot/internal/db"
	"entrepot/internal/search"
)

// firstReach is how many orders are counted at first on each side of the bounds of a total. Tests lower it.
var firstReach int64 = 16_000

// listWithin reads a page of orders with bounded totals, and perhaps conditions that the kept figures can count by.
func listWithin(tx *db.Tx, f Filter) ([]Order, int64, error) {
	if held, err := currentColumns(tx); err != nil || held != nil {
		return held.list(tx, f, err)
	}
	all, err := prefetchTotal(tx, CountedFilter{}).Wait()
	if err != nil {
		return nil, 0, err
	}
	counted := all
	if f.some() {
		if counted, err = prefetchTotal(tx, f.CountedFilter).Wait(); err != nil || counted == 0 {
			return []Order{}, 0, err
		}
	}
	var within int64
	if f.within != nil {
		within = *f.within
	} else if within, err = f.countWithin(tx, all); err != nil {
		return nil, 0, err
	}
	if f.some() && min(counted, within) >= columnsWorth || !f.some() && min(within, all-within) >= columnsWorth {
		wantColumns(tx)
	}
	if within == 0 {
		return []Order{}, 0, nil
	}
	n := within
	if f.some() {
		if n, err = f.countBoth(tx, counted, within, all); err != nil {
			return nil, 0, err
		}
	}
	if int64(f.Offset) >= n {
		return []Order{}, n, nil
	}
	list, err := f.wait(prefetchPage(tx, f, f.wayWithin(n, counted, within, all)))
	return list, n, err
}

// wayWithin is the index by which the fewest orders are looked at for a page of a list with bounded totals: in the order of the list, as
// far as the page is, or all that one condition has. n match, counted fulfil the counted conditions, within the bounds.
func (f Filter) wayWithin(n, counted, within, all int64) access {
	along, among := byStatus, counted
	switch f.Sort {
	case ByTotal:
		along, among = byTotal, within
	case ByNumber:
		along, among = bySort, all
	}
	passed := float64(f.Offset+f.Limit) * float64(among) / float64(n)
	if f.Sort == ByNumber && (f.From != 0 || f.To != 0) { // they may all be at the other end
		passed = float64(all)
	}
	switch {
	case passed <= float64(min(counted, within)):
		return along
	case counted < within:
		return byStatus
	}
	return byTotal
}

// beyondTotals are the bounds of all other totals.
func (f Filter) beyondTotals() (list []RowFilter) {
	if f.MinTotal != nil {
		below := *f.MinTotal - 1
		list = append(list, RowFilter{MaxTotal: &below})
	}
	if f.MaxTotal != nil {
		above := *f.MaxTotal + 1
		list = append(list, RowFilter{MinTotal: &above})
	}
	return list
}

// countWithin counts the orders whose totals are within the bounds, or the others if these are fewer. It does not know which are fewer
// before one side has come to its end, so it counts both in turn, each time farther.
func (f Filter) countWithin(tx *db.Tx, all int64) (int64, error) {
	for reach := firstReach; ; reach *= 8 {
		within, err := countTotals(tx, []RowFilter{{MinTotal: f.MinTotal, MaxTotal: f.MaxTotal}}, reach)
		if err != nil || within < reach {
			return within, err
		}
		beyond, err := countTotals(tx, f.beyondTotals(), reach)
		if err != nil || beyond < reach {
			return all - beyond, err
		}
	}
}

// countTotals counts the orders whose totals are within any of some bounds; of more than reach it may count no more than these.
func countTotals(tx *db.Tx, bounds []RowFilter, reach int64) (n int64, err error) {
	for _, b := range bounds {
		var one int64
		w := db.NewWhere(tx, "o")
		err := tx.Row("SELECT count(*) FROM (SELECT 1 AS one FROM orders o WHERE "+Filter{RowFilter: b}.conditions(w.Bind, byTotal, part{})+
			" LIMIT "+w.Bind(reach)+"::BIGINT) AS few", w.Args(), &one)
		if err != nil {
			return 0, err
		}
		n += one
	}
	return n, nil
}

// countBoth counts the orders that fulfil the counted conditions, as counted do, and are within the bounds of the total, as within are.
// Looking at each order takes long if there are very many of both. Then the ids of those that fulfil the conditions, or of the others if
// only statuses are asked for and these are fewer, are compared with the ids of those within the bounds, or of the others.
func (f Filter) countBoth(tx *db.Tx, counted, within, all int64) (n int64, err error) {
	rest := f.CountedFilter
	rest.Statuses = nil
	side, sideIsAsked := counted, rest.some() || counted <= all-counted
	if !sideIsAsked {
		side = all - counted
	}
	bounds, totals, boundsAreAsked := []RowFilter{{MinTotal: f.MinTotal, MaxTotal: f.MaxTotal}}, within, within <= all-within
	if !boundsAreAsked {
		bounds, totals = f.beyondTotals(), all-within
	}
	if lookUpCost*min(counted, within) <= side+totals {
		way := byTotal
		if counted < within {
			way = byStatus
		}
		return f.prefetchCount(tx, way).Wait()
	}
	asked := Filter{CountedFilter: f.CountedFilter}
	if !sideIsAsked {
		asked.Statuses = f.statusesLeftOut()
	}
	both := int64(0)
	if side > 0 && totals > 0 {
		sql, args := asked.ids(tx)
		set, err := search.ReadIDs(tx, sql, args...)
		if err != nil {
			return 0, err
		}
		for _, b := range bounds {
			sql, args := Filter{RowFilter: b, Sort: ByTotal}.ids(tx)
			var order db.Buffer
			err := tx.Each(func(r db.Rows) error {
				err := r.Scan(&order)
				if set[search.ParseID(order)] {
					both++
				}
				return err
			}, sql, args...)
			if err != nil {
				return 0, err
			}
		}
	}
	switch {
	case sideIsAsked && boundsAreAsked:
		return both, nil
	case sideIsAsked:
		return counted - both, nil
	case boundsAreAsked:
		return within - both, nil
	}
	return counted - (totals - both), nil
}
