package catalog

import (
	"cmp"
	"slices"
	"strconv"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// A page can be read in two ways. Either the products that match are collected by an index on the filter and then
// sorted, or all products are read in the order of the sort, by its index, and those that do not match are skipped. A
// condition that must not lead the planner to an index is wrapped in an expression, and so is an order that no index
// shall serve. What is skipped on the way to a deep page is read in an index alone wherever one has all that the filter
// asks for, and from the nearer end of the list.

// aside wraps a condition so that the planner uses no index for it.
func aside(condition string) string { return "CASE WHEN " + condition + " THEN TRUE ELSE FALSE END" }

// sorted is the ORDER BY of a page whose products are collected and sorted.
func (f Filter) sorted() string {
	direction := f.direction()
	switch f.Sort {
	case ByCreation:
		return "p.id" + direction
	case ByName, BySKU:
		return key[f.Sort] + " || ''" + direction + ", p.id" + direction
	}
	return key[f.Sort] + " + 0" + direction + ", p.id" + direction
}

// walked is the ORDER BY of a page read in the order of the sort's index, except for name and price (sorts.go). No two
// products have the same stamp or SKU.
func (f Filter) walked() string {
	if f.Sort == BySKU {
		return "k.sku" + f.direction()
	}
	return key[f.Sort] + f.direction()
}

func (f Filter) direction() string {
	if f.Descending {
		return " DESC"
	}
	return " ASC"
}

// fromNearerEnd reads a page with the filter, or, if the page is closer to the end of total products, with the filter
// of the reversed list.
func (f Filter) fromNearerEnd(total int64, read func(Filter) ([]id.Product, error)) ([]id.Product, error) {
	if int64(f.Offset) <= total/2 {
		return read(f)
	}
	f.Limit = int(min(int64(f.Limit), total-int64(f.Offset)))
	f.Offset = int(total) - f.Offset - f.Limit
	f.Descending = !f.Descending
	list, err := read(f)
	slices.Reverse(list)
	return list, err
}

// subject names the columns of a product that conditions are about.
type subject struct{ id, status string }

// Where a product's id and status stand: in its row, and in that of its sorts.
var (
	inProducts = subject{"p.id", "p.status"}
	inSorts    = subject{"s.product_id", "s.status"}
)

// fit adds the conditions of a filter.
type fit func(w *db.Where, of subject)

// walk reads a page in the order of the sort and skips what does not match.
func (f Filter) walk(tx *db.Tx, fit fit) ([]id.Product, error) {
	if f.Sort == ByName || f.Sort == ByPrice {
		return f.walkSorts(tx, fit)
	}
	from, w := "products p", db.NewWhere(tx, "p").And("p.deleted_at IS NULL")
	if f.Sort == BySKU { // the table of SKUs has that order
		from = "skus k CROSS JOIN products p"
		w.And("k.tenant_id = $1 AND k.variant_id IS NULL AND p.id = k.product_id")
	}
	fit(w, inProducts)
	return f.ids(tx, "p.id", from, w, f.walked())
}

// walkAll reads a page of all products in the order of the sort, except by creation.
func (f Filter) walkAll(tx *db.Tx) ([]id.Product, error) {
	switch f.Sort {
	case BySKU: // a deleted product has no SKU
		w := db.NewWhere(tx, "k").And("k.variant_id IS NULL")
		return f.ids(tx, "k.product_id", "skus k", w, "k.sku"+f.direction())
	case ByUpdate:
		return f.pageByStamp(tx)
	}
	return f.walkSorts(tx, func(*db.Where, subject) {})
}

// pageByStamp reads a page of all products by their change, first the stamps, which have an index of their own.
func (f Filter) pageByStamp(tx *db.Tx) ([]id.Product, error) {
	w := db.NewWhere(tx, "p").And("p.deleted_at IS NULL")
	stamps, err := db.List(tx, func(r db.Rows) (stamp int64, err error) { return stamp, r.Scan(&stamp) },
		"SELECT p.changed_at FROM products p WHERE "+w.String()+" ORDER BY p.changed_at"+f.direction()+
			" LIMIT "+w.Bind(f.Limit)+"::BIGINT OFFSET "+w.Bind(f.Offset)+"::BIGINT", w.Args()...)
	if err != nil || len(stamps) == 0 {
		return nil, err
	}
	w = db.AndIn(db.NewWhere(tx, "p"), "p.changed_at", db.Padded(stamps))
	return db.List(tx, scanID, "SELECT p.id FROM products p WHERE "+w.String()+" ORDER BY p.changed_at"+f.direction(), w.Args()...)
}

// behind adds the condition that products come behind the page before.
func (f Filter) behind(w *db.Where, column string) *db.Where {
	sign := ">"
	if f.Descending {
		sign = "<"
	}
	return db.AndGiven(w, column+" "+sign+" ?::UUID", f.After)
}

// ids reads the ids of a page.
func (f Filter) ids(tx *db.Tx, column, from string, w *db.Where, order string) ([]id.Product, error) {
	return db.List(tx, scanID, "SELECT "+column+" FROM "+from+" WHERE "+w.String()+" ORDER BY "+order+
		" LIMIT "+w.Bind(f.Limit)+"::BIGINT OFFSET "+w.Bind(f.Offset)+"::BIGINT", w.Args()...)
}

func scanID(r db.Rows) (product id.Product, err error) { return product, r.Scan((*string)(&product)) }

// andStatuses adds the filter's statuses, if there are any. No index of them is used.
func (f Filter) andStatuses(w *db.Where, of subject) {
	if len(f.Statuses) > 0 {
		w.And(aside(of.status + " IN " + db.BindAll(w, f.Statuses)))
	}
}

// pageByStatus reads a page of all products, or of those with some statuses: total products match.
func (f Filter) pageByStatus(tx *db.Tx, total int64, counts map[Status]int64) ([]id.Product, error) {
	if f.Sort == ByCreation {
		return f.pageByCreation(tx, total, counts)
	}
	if len(f.Statuses) == 0 {
		return f.walkAll(tx)
	}
	if f.gathers(total, total, sumOf(counts)) {
		w := db.AndIn(db.NewWhere(tx, "p").And("p.deleted_at IS NULL"), "p.status", f.Statuses)
		return f.ids(tx, "p.id", "products p", w, f.sorted())
	}
	return f.walk(tx, f.andStatuses)
}

// gathers reports whether collecting some products costs less than reading in the order of the sort, if n of all
// match, evenly distributed.
func (f Filter) gathers(some, n, all int64) bool {
	return float64(some)*float64(n) <= float64(f.Limit+f.Offset)*float64(all)
}

// pageByCreation reads a page by creation. On the way to a deep page the products of the commonest status are skipped in its
// index, and the few others are read first, as those that changed are by walkSorts: merging costs three times as much.
func (f Filter) pageByCreation(tx *db.Tx, total int64, counts map[Status]int64) ([]id.Product, error) {
	asked := slices.DeleteFunc(slices.Clone(Statuses), func(s Status) bool {
		return len(f.Statuses) > 0 && !slices.Contains(f.Statuses, s)
	})
	commonest := slices.MaxFunc(asked, func(a, b Status) int { return cmp.Compare(counts[a], counts[b]) })
	few := int(total - counts[commonest])
	if few == 0 || f.Offset <= 2*few {
		return f.pageOfBranches(tx, counts)
	}
	others, main := f, f
	others.Statuses, others.Offset, others.Limit = slices.DeleteFunc(asked, func(s Status) bool { return s == commonest }), 0, few
	late, err := others.pageOfBranches(tx, counts)
	if err != nil {
		return nil, err
	}
	main.Statuses, main.Offset, main.Limit = []Status{commonest}, f.Offset-few, f.Limit+few
	list, err := main.pageOfBranches(tx, counts)
	return f.mergePage(byID(list), nil, byID(late), main.Offset), err
}

// byID are products whose only sort value is their id.
func byID(ids []id.Product) []chosen {
	list := make([]chosen, len(ids))
	for i, product := range ids {
		list[i].id = product
	}
	return list
}

// pageOfBranches reads a page by creation: each status that any product has is read in the order of its index, and they are merged.
// SQLite merges the branches as far as the page reaches; PostgreSQL would sort them, so each says how far that is.
func (f Filter) pageOfBranches(tx *db.Tx, counts map[Status]int64) ([]id.Product, error) {
	w := f.behind(db.NewWhere(tx, "p"), "p.id")
	where := w.String()
	reach := w.Bind(f.Limit + f.Offset)
	branches := ""
	for i, status := range Statuses {
		if counts[status] == 0 || len(f.Statuses) > 0 && !slices.Contains(f.Statuses, status) {
			continue
		}
		if branches != "" {
			branches += " UNION ALL "
		}
		branches += db.OnPostgres("SELECT * FROM (") + "SELECT p.id AS id FROM products p WHERE " + where + " AND p.status = " +
			w.Bind(string(status)) + " AND p.deleted_at IS NULL" + db.OnPostgres(" ORDER BY p.id"+f.direction()+" LIMIT "+reach+
			"::BIGINT) AS b"+strconv.Itoa(i))
	}
	return db.List(tx, scanID, db.OnPostgres("SELECT id FROM (")+branches+db.OnPostgres(") AS branches")+" ORDER BY id"+f.direction()+
		" LIMIT "+w.Bind(f.Limit)+"::BIGINT OFFSET "+w.Bind(f.Offset)+"::BIGINT", w.Args()...)
}

// pageOfNamed reads a page of the products with some ids or a SKU, which are always few.
func (f Filter) pageOfNamed(tx *db.Tx) ([]id.Product, int64, error) {
	ids := f.IDs
	if f.SKU != "" {
		owners, err := db.List(tx, scanID, "SELECT product_id FROM skus WHERE tenant_id = $1 AND sku = $2", tx.Tenant, f.SKU)
		if err != nil {
			return nil, 0, err
		}
		if f.IDs == nil {
			ids = owners
		} else {
			ids = common(f.IDs, owners)
		}
	}
	chosen := &choice{filter: f}
	if err := chosen.look(tx, ids); err != nil {
		return nil, 0, err
	}
	return chosen.page(), chosen.total, nil
}

func common(a, b []id.Product) (both []id.Product) {
	for _, p := range a {
		for _, q := range b {
			if p == q {
				both = append(both, p)
			}
		}
	}
	return both
}
