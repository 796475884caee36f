package orders

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/search"
)

// fewRows is the number of orders up to which a search reads each order and not the index of searches. Tests lower it.
var fewRows int64 = 2000

// listFound reads a page of a search, of all orders or of those that match the counted filter.
func listFound(tx *db.Tx, f Filter) ([]Order, int64, error) {
	if f.After != nil {
		f.Offset = 0
	}
	rest := f
	rest.Search = ""
	some, counted := f.some(), int64(0)
	if some {
		var err error
		counted, err = prefetchTotal(tx, f.CountedFilter).Wait()
		if err != nil || counted == 0 {
			return []Order{}, counted, err
		}
		if counted <= fewRows {
			return listLooking(tx, f, byStatus)
		}
	}
	all := !some && rest.RowFilter == (RowFilter{}) // the index of searches answers the filter alone
	var held *current
	if !all {
		var err error
		if f.byColumns() {
			held, err = currentColumns(tx)
		}
		if err != nil {
			return nil, 0, err
		}
		if list, total, few, err := listBut(tx, f, held); err != nil || few {
			return list, total, err
		}
	}
	page := newFoundPage(f)
	if all && f.Sort == ByCreatedAt {
		err := search.Find(tx, search.Orders, f.Search, func(id search.ID, created int64) error {
			page.Add(search.Hit{ID: id, Sort: created})
			return nil
		})
		return readFound(tx, page, err)
	}
	found, err := search.FindSet(tx, search.Orders, f.Search, nil)
	if err != nil {
		return nil, 0, err
	}
	if all && found.Len() > fewRows {
		if soon, err := f.endsSoon(tx, found.Len()); err != nil || soon {
			return listAlong(tx, rest, found, found.Len(), err)
		}
	}
	if !all && found.Len() > fewRows {
		if held != nil {
			return rest.listKept(tx, held.keep(rest, found), page)
		}
		if found.Len() >= columnsWorth && f.byColumns() {
			wantColumns(tx)
		}
		return listBoth(tx, rest, found, page)
	}
	return readFound(tx, page, rest.addMatching(tx, found.IDs(), page))
}

// endsSoon reports whether a page ends so soon in the order of the sort that fewer orders are passed than were found, which are evenly
// distributed.
func (f Filter) endsSoon(tx *db.Tx, found int64) (bool, error) {
	all, err := prefetchTotal(tx, CountedFilter{}).Wait()
	return float64(f.Offset+f.Limit)*float64(all) < float64(found)*float64(found), err
}

// alongStep is how many orders listAlong reads at once. Tests lower it.
var alongStep = 1000

// listAlong reads a page of the orders found that match the rest of the filter, which are total, by going along all that match it in the
// order of the sort.
func listAlong(tx *db.Tx, f Filter, found *search.Set, total int64, err error) ([]Order, int64, error) {
	if int64(f.Offset) >= total {
		return []Order{}, total, err
	}
	way := f.access()
	if !f.inOrder(way) {
		way = bySort
	}
	var page []search.ID
	if err == nil {
		page, err = f.along(tx, way, found.Has)
	}
	list, err := inOrder(tx, page, err)
	return list, total, err
}

// along are the ids of a page of those orders that count among all that match the filter, in the order of an index.
func (f Filter) along(tx *db.Tx, way access, counts func(search.ID) bool) (page []search.ID, err error) {
	step := f
	step.Offset, step.Limit = 0, alongStep
	for skip, read := f.Offset, alongStep; err == nil && len(page) < f.Limit && read == alongStep; {
		w := db.NewWhere(tx, "o")
		keys := step.keys(w, way)
		last := &Cursor{}
		read = 0
		err = tx.Each(func(r db.Rows) error {
			err := r.Scan(&last.Value, &last.ID)
			read++
			if id := search.ParseID(last.ID); len(page) < f.Limit && counts(id) {
				if skip--; skip < 0 {
					page = append(page, id)
				}
			}
			return err
		}, keys, w.Args()...)
		step.After = last
	}
	return page, err
}

// some reports whether the counted filter has a condition.
func (f CountedFilter) some() bool {
	return len(f.Statuses) > 0 || f.Channel != "" || f.From != 0 || f.To != 0
}

// listLooking reads a page of a search by examining each order.
func listLooking(tx *db.Tx, f Filter, way access) ([]Order, int64, error) {
	n, err := f.prefetchCount(tx, way).Wait()
	if err != nil || n == 0 || int64(f.Offset) >= n {
		return []Order{}, n, err
	}
	list, err := f.wait(prefetchPage(tx, f, way))
	return list, n, err
}

// addMatching adds those of some orders that match the filter to a page.
func (f Filter) addMatching(tx *db.Tx, found []search.ID, page *search.Page) error {
	for len(found) > 0 {
		piece := found[:min(256, len(found))]
		found = found[len(piece):]
		w := db.NewWhere(tx, "o")
		where := f.conditions(w.Bind, byID, part{states: f.Statuses})
		err := tx.Each(func(r db.Rows) error {
			var text string
			var h search.Hit
			err := r.Scan(&text, &h.Sort)
			h.ID = search.ParseID(text)
			page.Add(h)
			return err
		}, "SELECT o.id, o."+sortColumns[f.Sort]+" FROM orders o WHERE "+where+" AND o.id IN ("+search.Bind(w, piece)+")", w.Args()...)
		if err != nil {
			return err
		}
	}
	return nil
}

// newFoundPage is the page of a filter, empty.
func newFoundPage(f Filter) *search.Page {
	p := &search.Page{Offset: f.Offset, Limit: f.Limit, Ascending: f.Ascending}
	if f.After != nil {
		p.After = &search.Hit{ID: search.ParseID(string(f.After.ID)), Sort: f.After.Value}
	}
	return p
}

// readFound reads the orders of a page without lines, unless the search has failed.
func readFound(tx *db.Tx, page *search.Page, err error) ([]Order, int64, error) {
	hits := page.Hits()
	ids := make([]search.ID, len(hits))
	for i, h := range hits {
		ids[i] = h.ID
	}
	list, err := inOrder(tx, ids, err)
	return list, page.Total, err
}

// LastRecorded reads the orders recorded last that contain a term, at most n, without lines; searches of everything show these.
func LastRecorded(tx *db.Tx, term string, n int) ([]Order, error) {
	ids, err := search.Newest(tx, search.Orders, term, n, nil)
	return inOrder(tx, ids, err)
}

// inOrder reads orders without lines in the order of their ids given, unless the search that found them has failed.
func inOrder(tx *db.Tx, ids []search.ID, err error) ([]Order, error) {
	if err != nil || len(ids) == 0 {
		return []Order{}, err
	}
	at := make(map[id.Order]int, len(ids))
	for i := range ids {
		at[id.Order(ids[i].String())] = i
	}
	w := db.NewWhere(tx, "o")
	scan := table.Scanner()
	list := make([]Order, len(ids))
	return list, tx.Each(func(r db.Rows) error {
		o, err := scan(r)
		list[at[o.ID]] = o
		return err
	}, "SELECT "+table.Columns("o")+from+"WHERE "+w.String()+" AND o.id IN ("+search.Bind(w, ids)+")", w.Args()...)
}
