package orders

import (
	"cmp"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/search"
)

// fewBut is how many orders at most may not match a search that is read as the list without it, from which they are left out.
const fewBut = 16_000

// entriesPerLook is how many entries of an index are compared with what a search found while one order far from all others is looked up.
// Tests lower it.
var entriesPerLook int64 = 8

// listBut reads a page of a search that nearly all orders match: that of the list without the search, from which the few others are left
// out that this has. Otherwise few is false, as for a list that no index has: counting it takes as long as narrowing what is found.
func listBut(tx *db.Tx, f Filter, held *current) (list []Order, total int64, few bool, err error) {
	if held == nil && len(f.apart()) > 1 {
		return nil, 0, false, nil
	}
	usual, err := search.Usual(tx, search.Orders, f.Search)
	if err != nil || !usual {
		return nil, 0, false, err
	}
	term := f.Search
	f.Search = ""
	most := int64(fewBut)
	if held == nil {
		entries, err := f.narrows(tx)
		if err != nil {
			return nil, 0, false, err
		}
		most = min(most, entries/entriesPerLook)
	}
	without, few, err := search.FindRest(tx, search.Orders, term, int(most))
	if err != nil || !few {
		return nil, 0, false, err
	}
	out := newFoundPage(f)
	out.After, out.Offset, out.Limit = nil, 0, len(without)
	if held == nil && int64(len(without)) >= columnsWorth && f.byColumns() {
		wantColumns(tx)
	}
	if held != nil {
		held.add(f, without, out)
	} else if err := f.addMatching(tx, without, out); err != nil {
		return nil, 0, false, err
	}
	list, total, err = f.readBut(tx, out.Hits())
	return list, total, true, err
}

// narrows is how many entries of an index are read to narrow what a search has found. It notes how many orders are within bounds of totals.
func (f *Filter) narrows(tx *db.Tx) (int64, error) {
	matching, err := f.matching(tx)
	if err != nil {
		return 0, err
	}
	if f.countedOverTotals() {
		f.within = &matching
	}
	others, err := f.others(tx, matching)
	return min(matching, others.n), err
}

// readBut reads a page of the list without some of its orders, which are in its order.
func (f Filter) readBut(tx *db.Tx, out []search.Hit) (page []Order, total int64, err error) {
	left := make(map[id.Order]bool, len(out))
	for _, h := range out {
		left[id.Order(h.ID.String())] = true
	}
	at := f
	at.Limit = f.Limit + min(len(out), f.Limit/10+1)
	list, all, err := at.listBehind(tx, out)
	total = all - int64(len(out))
	if total <= int64(f.Offset) && f.After == nil {
		return []Order{}, total, err
	}
	page = make([]Order, 0, f.Limit)
	for err == nil {
		for i := range list {
			if !left[list[i].ID] && len(page) < f.Limit {
				page = append(page, list[i])
			}
		}
		if len(page) == f.Limit || len(list) < at.Limit {
			break
		}
		after := f.CursorOf(&list[len(list)-1])
		at.After, at.Offset, at.Limit = &after, 0, min(2*at.Limit, alongStep)
		list, _, err = listHeads(tx, at)
	}
	return page, total, err
}

// listBehind reads the list from where the page begins if some of its orders are left out: as many places later as of these come before.
func (f Filter) listBehind(tx *db.Tx, out []search.Hit) (list []Order, all int64, err error) {
	for before, offset := 0, f.Offset; ; {
		f.Offset = offset + before
		list, all, err = listHeads(tx, f)
		if err != nil || len(list) == 0 || f.After != nil {
			return list, all, err
		}
		passed, _ := slices.BinarySearchFunc(out, search.Hit{ID: search.ParseID(list[0].ID), Sort: f.CursorOf(&list[0]).Value}, f.compareHits)
		if passed == before {
			return list, all, nil
		}
		before = passed
	}
}

// compareHits compares two orders by their places in the list.
func (f Filter) compareHits(a, b search.Hit) int {
	by := cmp.Or(cmp.Compare(a.Sort, b.Sort), search.CompareIDs(a.ID, b.ID))
	if !f.Ascending {
		by = -by
	}
	return by
}
