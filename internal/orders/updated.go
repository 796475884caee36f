package orders

import (
	"entrepot/internal/db"
	"entrepot/internal/search"
)

// named reports whether the list is of the orders with an external reference or external id.
func (f RowFilter) named() bool { return f.Reference != "" || f.ExternalID != "" }

// updatedBetween reports whether updatedAt is bounded.
func (f RowFilter) updatedBetween() bool { return f.UpdatedFrom != 0 || f.UpdatedTo != 0 }

// byUpdates reports whether the list needs updatedAt.
func (f Filter) byUpdates() bool { return f.updatedBetween() || f.Sort == ByUpdatedAt }

// listUpdated reads a page of a list by updatedAt or by external ids, without lines. Callers poll such lists: what they ask for is mostly
// the last minutes, or one order.
func listUpdated(tx *db.Tx, f Filter) ([]Order, int64, error) {
	lead := f.access()
	if f.Search != "" && !f.named() && !f.byOwnIndex() {
		return searchUpdated(tx, f)
	}
	var matching *db.Pending[int64]
	if f.RowFilter == (RowFilter{}) {
		matching = prefetchTotal(tx, f.CountedFilter)
	} else {
		matching = f.prefetchCount(tx, lead)
	}
	n, err := matching.Wait()
	if err != nil || n == 0 || int64(f.Offset) >= n {
		return []Order{}, n, err
	}
	if !f.inOrder(lead) { // sorting many takes longer than passing those that do not match
		soon, err := f.endsSoon(tx, n)
		if err != nil {
			return nil, 0, err
		}
		if soon {
			lead = bySort
		}
	}
	list, err := f.wait(prefetchPage(tx, f, lead))
	return list, n, err
}

// searchUpdated reads a page of a search by updatedAt.
func searchUpdated(tx *db.Tx, f Filter) ([]Order, int64, error) {
	if f.updatedBetween() {
		between := RowFilter{UpdatedFrom: f.UpdatedFrom, UpdatedTo: f.UpdatedTo}
		n, err := Filter{RowFilter: between}.prefetchCount(tx, byUpdated).Wait()
		if err != nil || n == 0 {
			return []Order{}, n, err
		}
		if n <= fewRows {
			return listLooking(tx, f, byUpdated)
		}
	}
	if f.After != nil {
		f.Offset = 0
	}
	found, err := search.FindSet(tx, search.Orders, f.Search, nil)
	if err != nil {
		return nil, 0, err
	}
	f.Search = ""
	if !f.some() && f.RowFilter == (RowFilter{}) && found.Len() > fewRows {
		return listAlong(tx, f, found, found.Len(), nil)
	}
	page := newFoundPage(f)
	return readFound(tx, page, f.addMatching(tx, found.IDs(), page))
}
