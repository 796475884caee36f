package catalog

import (
	"slices"
	"strconv"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// walkSorts reads a page of matching products in the order of name or price: those unchanged since the sorts were
// updated, in the index of the sort alone, merged with those changed since.
func (f Filter) walkSorts(tx *db.Tx, fit fit) ([]id.Product, error) {
	until, err := ProductSorts.Until(tx)
	if err != nil {
		return nil, err
	}
	late, err := f.changedSince(tx, until, fit)
	if err != nil {
		return nil, err
	}
	stale, err := f.staleSince(tx, until, fit)
	if err != nil {
		return nil, err
	}
	w := db.NewWhere(tx, "s")
	fit(w, inSorts)
	from := max(0, f.Offset-len(late)) // this many of the changed products may come before
	column := "s." + string(f.Sort)
	list, err := f.listChosen(tx, "SELECT s.product_id, "+column+" FROM product_sorts s WHERE "+w.String()+
		" ORDER BY "+column+f.direction()+", s.product_id"+f.direction()+
		" LIMIT "+w.Bind(f.Limit+len(late)+len(stale))+"::BIGINT OFFSET "+w.Bind(from)+"::BIGINT", w.Args()...)
	if err != nil {
		return nil, err
	}
	return f.mergePage(list, stale, late, from), nil
}

// behindStamp is the condition that a product changed since a stamp. The stamp is part of the text: where it is an argument, PostgreSQL
// plans for any stamp, and looks through all products.
func behindStamp(until int64) string { return "p.changed_at > " + strconv.FormatInt(until, 10) }

// changedSince reads the matching products that changed since a stamp, in the order of the page.
func (f Filter) changedSince(tx *db.Tx, until int64, fit fit) ([]chosen, error) {
	w := db.NewWhere(tx, "p").And("p.deleted_at IS NULL AND " + behindStamp(until))
	fit(w, inProducts)
	late, err := f.listChosen(tx, "SELECT p.id, p."+string(f.Sort)+" FROM products p WHERE "+w.String(), w.Args()...)
	slices.SortFunc(late, f.compare)
	return late, err
}

// staleSince reads the rows of the sorts that match but whose products changed or were deleted since a stamp, in the order of the page.
func (f Filter) staleSince(tx *db.Tx, until int64, fit fit) ([]chosen, error) {
	w := db.NewWhere(tx, "p").And(behindStamp(until) + " AND s.tenant_id = $1 AND s.product_id = p.id")
	fit(w, inSorts)
	stale, err := f.listChosen(tx, "SELECT s.product_id, s."+string(f.Sort)+" FROM products p CROSS JOIN product_sorts s WHERE "+w.String(),
		w.Args()...)
	slices.SortFunc(stale, f.compare)
	return stale, err
}

// listChosen reads products with their sort values.
func (f Filter) listChosen(tx *db.Tx, sql string, args ...any) ([]chosen, error) {
	return db.List(tx, func(r db.Rows) (c chosen, err error) {
		if f.Sort == ByName {
			return c, r.Scan((*string)(&c.id), &c.text)
		}
		return c, r.Scan((*string)(&c.id), &c.number)
	}, sql, args...)
}

// mergePage merges two lists in the page's order. The first is a part of the sorts, behind from of its rows; the stale
// ones are left out. The second, late, is complete.
func (f Filter) mergePage(list, stale, late []chosen, from int) []id.Product {
	page := db.MergePage(list, stale, late, f.compare, from, f.Offset, f.Limit)
	ids := make([]id.Product, len(page))
	for i := range page {
		ids[i] = page[i].id
	}
	return ids
}
