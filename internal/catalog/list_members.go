package catalog

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// members are the products of a category or a channel, which an index has in the order of their ids.
type members struct {
	table, column string
	of            any
	size          int64
}

// memberships are the category and the channel of a filter, the one with fewer products first.
func (f Filter) memberships(tx *db.Tx) (list []members, err error) {
	if f.Category != "" {
		counts, err := CountProducts(tx, []id.Category{f.Category})
		if err != nil {
			return nil, err
		}
		list = append(list, members{table: "product_categories", column: "category_id", of: f.Category, size: counts[f.Category]})
	}
	if f.Channel != "" {
		counts, err := CountPublications(tx)
		if err != nil {
			return nil, err
		}
		list = append(list, members{table: "publications", column: "channel_id", of: f.Channel, size: counts[f.Channel].All()})
	}
	if len(list) == 2 && list[1].size < list[0].size {
		list[0], list[1] = list[1], list[0]
	}
	return list, nil
}

// where are the conditions of the rows m that make products members: one for each product, and none for a deleted one.
func (m members) where(tx *db.Tx) *db.Where {
	return db.NewWhere(tx, "m").And("m."+m.column+" = ?::UUID", m.of)
}

// has is the condition that a product is one of the members.
func (m members) has(w *db.Where, product string) string {
	return "EXISTS (SELECT 1 FROM " + m.table + " x WHERE x.tenant_id = $1 AND x.product_id = " + product + " AND x." + m.column + " = " +
		w.Bind(m.of) + "::UUID)"
}

// all writes the conditions that a product is in all of the memberships, which lead to no index.
func all(of []members, w *db.Where, product string) {
	for _, m := range of {
		w.And(aside(m.has(w, product)))
	}
}

// pageOfMembers reads a page of the products of a category, a channel or both.
func (f Filter) pageOfMembers(tx *db.Tx) (list []id.Product, total int64, err error) {
	of, err := f.memberships(tx)
	if err != nil || of[0].size == 0 {
		return []id.Product{}, 0, err
	}
	counts, err := Counts(tx)
	if err != nil {
		return nil, 0, err
	}
	// Of a category and a channel with a million products each nobody knows without comparing all of them how many are in both, unless
	// one has every product: that is known from the kept counts, and then it selects nothing.
	of = slices.DeleteFunc(of, func(m members) bool { return m.size == sumOf(counts) })
	if len(of) == 0 {
		return f.pageOfAll(tx, counts)
	}
	if total, err = f.countMembers(tx, of, counts); err != nil || int64(f.Offset) >= total {
		return []id.Product{}, total, err
	}
	list, err = f.fromNearerEnd(total, func(f Filter) ([]id.Product, error) { return f.pageAmong(tx, of, total, sumOf(counts)) })
	return list, total, err
}

func sumOf(counts map[Status]int64) (all int64) {
	for _, n := range counts {
		all += n
	}
	return all
}

// countMembers counts the members that match the filter. It reads the rows of the smaller membership, unless there are
// fewer products with the statuses that are asked for, or with all others.
func (f Filter) countMembers(tx *db.Tx, of []members, counts map[Status]int64) (n int64, err error) {
	if len(f.Statuses) == 0 && len(of) == 1 {
		return of[0].size, nil
	}
	others := slices.DeleteFunc(slices.Clone(Statuses), func(s Status) bool { return slices.Contains(f.Statuses, s) })
	asked := f.asked(counts)
	rest := sumOf(counts) - asked
	switch {
	case len(f.Statuses) > 0 && asked < of[0].size && asked <= rest:
		return countWith(tx, of, f.Statuses)
	case len(f.Statuses) > 0 && rest < of[0].size && len(of) == 1:
		n, err = countWith(tx, of, others)
		return of[0].size - n, err
	}
	from, w := f.among(tx, of)
	return n, tx.Row("SELECT count(*) FROM "+from+" WHERE "+w.String(), w.Args(), &n)
}

// countWith counts the members with some statuses, product by product.
func countWith(tx *db.Tx, of []members, statuses []Status) (n int64, err error) {
	if len(statuses) == 0 {
		return 0, nil
	}
	w := db.AndIn(db.NewWhere(tx, "p").And("p.deleted_at IS NULL"), "p.status", statuses)
	all(of, w, inProducts.id)
	return n, tx.Row("SELECT count(*) FROM products p WHERE "+w.String(), w.Args(), &n)
}

// among is the FROM and the conditions of the members m that match the filter, each with its product p if the filter
// asks for a status.
func (f Filter) among(tx *db.Tx, of []members) (from string, w *db.Where) {
	from, w = of[0].table+" m", of[0].where(tx)
	if len(f.Statuses) > 0 {
		from += " CROSS JOIN products p"
		w.And("p.tenant_id = $1 AND p.id = m.product_id")
		f.andStatuses(w, inProducts)
	}
	all(of[1:], w, "m.product_id")
	return from, w
}

// pageAmong reads a page of the total members that match; products is how many there are of any kind.
func (f Filter) pageAmong(tx *db.Tx, of []members, total, products int64) ([]id.Product, error) {
	if f.Sort == ByCreation {
		from, w := f.among(tx, of)
		f.behind(w, "m.product_id")
		return f.ids(tx, "m.product_id", from, w, "m.product_id"+f.direction())
	}
	if f.gathers(of[0].size, total, products) {
		w := of[0].where(tx).And("p.tenant_id = $1 AND p.id = m.product_id")
		f.andStatuses(w, inProducts)
		all(of[1:], w, inProducts.id)
		return f.ids(tx, "p.id", of[0].table+" m CROSS JOIN products p", w, f.sorted())
	}
	return f.walk(tx, func(w *db.Where, s subject) {
		f.andStatuses(w, s)
		all(of, w, s.id)
	})
}
