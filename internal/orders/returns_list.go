package orders

import (
	"cmp"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// ReturnFilter selects returns of all orders (interface §4.1).
type ReturnFilter struct {
	Statuses []ReturnStatus // none: all
	From, To int64          // of the creation, microseconds, both included; 0 for no bound
	After    id.Return      // the last return of the page before, "" for the first page
	Limit    int            // of the page
}

// ListedReturn is a return and the order that it is of, which has its lines.
type ListedReturn struct {
	Return
	Order *Order
}

// ListReturns reads a page of returns, newest first; more reports whether others follow.
func ListReturns(tx *db.Tx, f ReturnFilter) (list []ListedReturn, more bool, err error) {
	var rows []returnRow
	for _, part := range f.parts() { // one for each state: an index has each of them in the order of the list
		w := db.NewWhere(tx, "")
		if part.Statuses != nil {
			w.And("status = ?", part.Statuses[0])
		}
		db.AndWithin[id.Return](w, "", f.From, f.To)
		if f.After != "" {
			w.And("id < ?::UUID", f.After)
		}
		found, err := db.List(tx, returnTable.Scanner(), returnTable.Select("")+" WHERE "+w.String()+" ORDER BY id DESC LIMIT "+
			w.Bind(f.Limit+1)+"::BIGINT", w.Args()...)
		if err != nil {
			return nil, false, err
		}
		rows = append(rows, found...)
	}
	slices.SortFunc(rows, func(a, b returnRow) int { return cmp.Compare(b.ID, a.ID) })
	if more = len(rows) > f.Limit; more {
		rows = rows[:f.Limit]
	}
	list, err = withOrders(tx, rows)
	return list, more, err
}

// parts are filters that share no return, each of at most one state.
func (f ReturnFilter) parts() (list []ReturnFilter) {
	if len(f.Statuses) == 0 {
		return []ReturnFilter{f}
	}
	for _, s := range slices.Compact(slices.Sorted(slices.Values(f.Statuses))) {
		f.Statuses = []ReturnStatus{s}
		list = append(list, f)
	}
	return list
}

// withOrders adds to returns their lines and their orders.
func withOrders(tx *db.Tx, rows []returnRow) ([]ListedReturn, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	var ids []id.Order
	for _, r := range rows {
		ids = append(ids, r.order)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	lines, scan := map[id.Return][]ReturnLine{}, returnLineTable.Scanner()
	pending := db.PrefetchOf(tx, returnLinesOf, ids, func(row db.Rows) error {
		l, err := scan(row)
		lines[l.of] = append(lines[l.of], l.ReturnLine)
		return err
	})
	found, err := ByIDs(tx, ids)
	if err != nil {
		return nil, err
	}
	if err := db.WaitAll(pending); err != nil {
		return nil, err
	}
	of := make(map[id.Order]*Order, len(found))
	for i := range found {
		of[found[i].ID] = &found[i]
	}
	list := make([]ListedReturn, len(rows))
	for i, r := range rows {
		r.Lines = lines[r.ID]
		list[i] = ListedReturn{r.Return, of[r.order]}
	}
	return list, nil
}

// CountReturns counts the returns in a state.
func CountReturns(tx *db.Tx, s ReturnStatus) (n int64, err error) {
	return n, tx.Row("SELECT count(*) FROM order_returns WHERE tenant_id = $1 AND status = $2", []any{tx.Tenant, s}, &n)
}
