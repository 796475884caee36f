package catalog

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
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
		list = append(list, members{table: "product_categories", column: "category_id", of: f.Category})
	}
	if f.Channel != "" {
		list = append(list, members{table: "publications", column: "channel_id", of: f.Channel})
	}
	for i := range list {
		m := &list[i]
		err := tx.Row("SELECT count(*) FROM (SELECT DISTINCT product_id FROM "+m.table+" WHERE tenant_id = $1 AND "+m.column+
			" = $2::UUID) AS members",
			[]any{tx.Tenant, m.of}, &m.size)
		if err != nil {
			return nil, err
		}
	}
	if len(list) == 2 && list[1].size < list[0].size {
		list[0], list[1] = list[1], list[0]
	}
	return list, nil
}

// from joins the members m with their products.
func (m members) from(w *db.Where) string {
	return "(SELECT DISTINCT product_id FROM " + m.table + " WHERE tenant_id = $1 AND " + m.column + " = " + w.Bind(m.of) +
		"::UUID) AS m CROSS JOIN products p"
}

// has is the condition that p is one of the members.
func (m members) has(w *db.Where) string {
	return "EXISTS (SELECT 1 FROM " + m.table + " x WHERE x.tenant_id = $1 AND x.product_id = p.id AND x." + m.column + " = " + w.Bind(m.of) +
		"::UUID)"
}

// pageOfMembers reads a page of the products of a category, a channel or both.
func (f Filter) pageOfMembers(tx *db.Tx) (list []id.Product, total int64, err error) {
	of, err := f.memberships(tx)
	if err != nil || of[0].size == 0 {
		return []id.Product{}, 0, err
	}
	fewest := of[0]
	driven := func() (string, *db.Where) {
		w := db.NewWhere(tx, "p").And("p.deleted_at IS NULL AND p.id = m.product_id")
		f.andStatuses(w, false)
		for _, other := range of[1:] {
			w.And(aside(other.has(w)))
		}
		return fewest.from(w), w
	}
	from, w := driven()
	if err := tx.Row("SELECT count(*) FROM "+from+" WHERE "+w.String(), w.Args(), &total); err != nil || int64(f.Offset) >= total {
		return []id.Product{}, total, err
	}
	if f.Sort == ByCreation {
		from, w = driven()
		list, err = f.ids(tx, from, w, "m.product_id"+f.direction())
		return list, total, err
	}
	counts, err := Counts(tx)
	if err != nil {
		return nil, 0, err
	}
	var all int64
	for _, n := range counts {
		all += n
	}
	if f.gathers(fewest.size, total, all) {
		from, w = driven()
		list, err = f.ids(tx, from, w, f.sorted())
		return list, total, err
	}
	list, err = f.walk(tx, func(w *db.Where) {
		f.andStatuses(w, false)
		for _, m := range of {
			w.And(aside(m.has(w)))
		}
	})
	return list, total, err
}
