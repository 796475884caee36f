package catalog

import (
	"strconv"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// A page can be read in two ways. Either the products that match are collected by an index on the filter and then
// sorted, or all products are read in the order of the sort, by its index, and those that do not match are skipped. A
// condition that must not lead the planner to an index is wrapped in an expression, and so is an order that no index
// shall serve.

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

// walk reads a page in the order of the sort and skips what does not match.
func (f Filter) walk(tx *db.Tx, fit func(w *db.Where)) ([]id.Product, error) {
	if f.Sort == ByName || f.Sort == ByPrice {
		return f.walkSorts(tx, fit)
	}
	from, w := "products p", db.NewWhere(tx, "p").And("p.deleted_at IS NULL")
	if f.Sort == BySKU { // the table of SKUs has that order
		from = "skus k CROSS JOIN products p"
		w.And("k.tenant_id = $1 AND k.variant_id IS NULL AND p.id = k.product_id")
	}
	fit(w)
	return f.ids(tx, from, w, f.walked())
}

// ids reads the ids of a page.
func (f Filter) ids(tx *db.Tx, from string, w *db.Where, order string) ([]id.Product, error) {
	return db.List(tx, scanID, "SELECT p.id FROM "+from+" WHERE "+w.String()+" ORDER BY "+order+
		" LIMIT "+w.Bind(f.Limit)+"::BIGINT OFFSET "+w.Bind(f.Offset)+"::BIGINT", w.Args()...)
}

func scanID(r db.Rows) (product id.Product, err error) { return product, r.Scan((*string)(&product)) }

// andStatuses adds the filter's statuses, if there are any; leading says whether the planner may use their index.
func (f Filter) andStatuses(w *db.Where, leading bool) {
	switch {
	case len(f.Statuses) == 0:
	case leading:
		db.AndIn(w, "p.status", f.Statuses)
	default:
		w.And(aside("p.status IN " + db.BindAll(w, f.Statuses)))
	}
}

// pageByStatus reads a page of all products, or of those with some statuses: total of all products match.
func (f Filter) pageByStatus(tx *db.Tx, total, all int64) ([]id.Product, error) {
	if len(f.Statuses) == 0 {
		return f.walk(tx, func(*db.Where) {})
	}
	if f.Sort == ByCreation {
		return f.pageOfBranches(tx)
	}
	if f.gathers(total, total, all) {
		w := db.NewWhere(tx, "p").And("p.deleted_at IS NULL")
		f.andStatuses(w, true)
		return f.ids(tx, "products p", w, f.sorted())
	}
	return f.walk(tx, func(w *db.Where) { f.andStatuses(w, false) })
}

// gathers reports whether collecting some products costs less than reading in the order of the sort, if n of all
// match, evenly distributed.
func (f Filter) gathers(some, n, all int64) bool {
	return float64(some)*float64(n) <= float64(f.Limit+f.Offset)*float64(all)
}

// pageOfBranches reads a page by creation of products with some statuses: each status in the order of its index, merged.
func (f Filter) pageOfBranches(tx *db.Tx) ([]id.Product, error) {
	w := db.NewWhere(tx, "p")
	reach := w.Bind(f.Limit + f.Offset)
	branches := ""
	for i, status := range f.Statuses {
		if i > 0 {
			branches += " UNION ALL "
		}
		branches += "SELECT * FROM (SELECT p.id AS id FROM products p WHERE p.tenant_id = $1 AND p.status = " + w.Bind(string(status)) +
			" AND p.deleted_at IS NULL ORDER BY p.id" + f.direction() + " LIMIT " + reach + "::BIGINT) AS b" + strconv.Itoa(i)
	}
	return db.List(tx, scanID, "SELECT id FROM ("+branches+") AS branches ORDER BY id"+f.direction()+
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
