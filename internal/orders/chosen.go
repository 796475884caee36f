package orders

import (
	"slices"

	"entrepot/internal/db"
	"entrepot/internal/search"
)

// listChosen reads a page by the index that is cheaper for as many orders as match.
func listChosen(tx *db.Tx, f Filter, matching *db.Pending[int64]) ([]Order, int64, error) {
	n, err := matching.Wait()
	if err != nil || n == 0 || int64(f.Offset) >= n {
		return []Order{}, n, err
	}
	read, way, walked := f, byStatus, int64(0)
	switch {
	case f.Sort == ByCreatedAt && f.Country != "":
		_, way = f.counts.led(f)
	case f.Sort == ByCreatedAt:
		var skip int64
		read.CountedFilter, skip, err = seek(tx, f.CountedFilter, f.Ascending, int64(f.Offset))
		read.Offset = int(skip)
	default:
		way, walked, err = f.shorter(tx, n)
	}
	if err != nil {
		return nil, 0, err
	}
	if looked := min(n, walked); f.Sort != ByCreatedAt && looked > fewRows {
		list, total, read, err := f.listRemembered(tx, looked)
		if err != nil || read {
			return list, total, err
		}
	}
	back := (way == bySort || f.Country != "" && f.inOrder(way)) && int64(f.Offset) > n/2 // closer to the list's end
	if back {
		read.Ascending = !f.Ascending
		read.Offset = int(max(0, n-int64(f.Offset)-int64(f.Limit)))
		read.Limit = int(min(int64(f.Limit), n-int64(f.Offset)))
		walked = walked * int64(read.Offset+read.Limit) / int64(f.Offset+f.Limit)
	}
	var list []Order
	if way == bySort && f.Sort == ByTotal && (f.some() || f.Country != "") && walked > fewRows {
		list, err = read.listPassing(tx, n, walked)
	} else {
		list, err = read.wait(prefetchPage(tx, read, way))
	}
	if back {
		slices.Reverse(list)
	}
	return list, n, err
}

// listRemembered reads a page for which so many orders would be looked at by the columns that the node keeps in memory. read is false if
// there are none.
func (f Filter) listRemembered(tx *db.Tx, looked int64) (list []Order, total int64, read bool, err error) {
	if f.Country != "" {
		return nil, 0, false, nil
	}
	if held, err := currentColumns(tx); err != nil || held != nil {
		list, total, err = held.list(tx, f, err)
		return list, total, true, err
	}
	if looked >= columnsWorth {
		wantColumns(tx)
	}
	return nil, 0, false, nil
}

// listPassing reads a page far along the totals, before which very many orders are passed. Their index alone has no more than total and id,
// and looking at each order takes many times as long as a comparison with the ids of those that match, or of those that do not.
func (f Filter) listPassing(tx *db.Tx, matching, walked int64) ([]Order, error) {
	others, err := f.others(tx, matching)
	if err != nil {
		return nil, err
	}
	every := f
	every.CountedFilter, every.RowFilter = CountedFilter{}, RowFilter{}
	if others.n == 0 {
		return f.wait(prefetchPage(tx, every, bySort))
	}
	if min(matching, others.n) > lookUpCost*walked {
		return f.wait(prefetchPage(tx, f, bySort))
	}
	ids, inSet := f.ids, true
	if others.n < matching {
		ids, inSet = others.ids, false
	}
	sql, args := ids(tx)
	set, err := search.ReadIDs(tx, sql, args...)
	if err != nil {
		return nil, err
	}
	page, err := every.along(tx, bySort, func(id search.ID) bool { return set[id] == inSet })
	return inOrder(tx, page, err)
}

// shorter is the index by which fewer of n matching orders are read, for a sort other than the counted index has, and how many orders are
// walked by that of the sort.
func (f Filter) shorter(tx *db.Tx, n int64) (way access, walk int64, err error) {
	if !f.some() && f.Country == "" {
		return bySort, 0, nil
	}
	led, by := n, byStatus // how many orders are read otherwise, to sort those that match
	if f.Country != "" {
		led, by = f.counts.led(f)
	}
	among := CountedFilter{} // orders among which the matching ones are evenly distributed
	if f.Sort == ByNumber {  // numbers grow with time
		among.From, among.To = f.From, f.To
	}
	all, err := prefetchTotal(tx, among).Wait()
	if err != nil {
		return bySort, 0, err
	}
	walked := float64(f.Limit+f.Offset) * float64(all) / float64(n)
	if passed, any := f.passed(); any {
		skipped, err := prefetchTotal(tx, passed).Wait()
		if err != nil {
			return bySort, 0, err
		}
		walked += float64(skipped)
	}
	if float64(led) <= walked {
		return by, int64(walked), nil
	}
	return bySort, int64(walked), nil
}

// passed are the orders that a list by number reads before it reaches the filter's bounds of time.
func (f Filter) passed() (passed CountedFilter, any bool) {
	switch {
	case f.Sort != ByNumber:
		return passed, false
	case f.Ascending:
		return CountedFilter{To: f.From - 1}, f.From > 1
	}
	return CountedFilter{From: f.To + 1}, f.To > 0
}
