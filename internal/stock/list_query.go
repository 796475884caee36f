package stock

import (
	"slices"
	"strings"

	"entrepot/internal/db"
	"entrepot/internal/lists"
	"entrepot/internal/search"
)

// A list's filters, with the indexes that serve them: each has levels in the order of lists, and package lists chooses among them.

// listed are levels as lists read them: by SKU, and those of one SKU by warehouse. A search finds products.
var listed = &lists.Noun{Rows: "stock_levels l", ID: "l.warehouse_code", Texts: true, Living: "l.deleted_at IS NULL", Search: search.Products}

var bySKU = lists.Sort{Column: "sku", Text: true}

var listReader = lists.Reader[Row]{Scan: rowScanner, ByKey: byKeys,
	Query: func(keys string) string {
		return "SELECT " + levelTable.Columns("l") + " FROM (" + keys + `) AS page CROSS JOIN stock_levels l
			WHERE l.tenant_id = $1 AND l.sku = page.k AND l.warehouse_code = page.id` // CROSS, so that SQLite takes the page first
	},
	Key: func(r *Row) lists.Key { return lists.Key{Text: r.SKU, ID: r.Warehouse} }}

// byKeys reads levels, in no order.
func byKeys(tx *db.Tx, keys []lists.Key) (list []Row, err error) {
	wanted, skus, scan := make(map[Place]bool, len(keys)), make([]string, len(keys)), rowScanner()
	for i, k := range keys {
		skus[i], wanted[Place{k.Text, k.ID}] = k.Text, true
	}
	err = db.WaitAll(db.PrefetchOf(tx, levelsOf, slices.Compact(skus), func(r db.Rows) error {
		row, err := scan(r)
		if wanted[row.Place()] {
			list = append(list, row)
		}
		return err
	}))
	return list, err
}

// query adds the filters and their indexes.
func (f Filter) query(tx *db.Tx) (lists.Query, error) {
	q := lists.Query{Noun: listed, Search: f.Search, Sort: bySKU, Offset: f.Offset, Limit: f.Limit, Uncounted: f.Uncounted}
	if f.Search != "" {
		q.Owned = ownedBy(f.Search)
	}
	if f.After != nil {
		q.After = &lists.Key{Text: f.After.SKU, ID: f.After.Warehouse}
	}
	counts, err := prefetchCounts(tx)()
	if err != nil {
		return q, err
	}
	all := sum(counts, "")
	q.All = lists.Known(all.Levels)
	for warehouse, c := range counts {
		if f.Warehouse == "" && c.Levels == all.Levels {
			f.Warehouse = warehouse // whose index has the keys alone, and so is passed twice as fast
		}
	}
	in := sum(counts, f.Warehouse)
	add := func(size func(*db.Tx) (int64, error), f lists.Filter) { q.Add(f, index(size)) }
	if f.Warehouse != "" {
		add(lists.Known(in.Levels), equal("warehouse_code", f.Warehouse))
	}
	if f.SKU != "" {
		add(nil, equal("sku", f.SKU))
	}
	if f.Low {
		add(lists.Known(all.Low), lists.Filter{Name: "low", Columns: []string{"low"}, Where: "{row}.low = TRUE" + inIndex})
	}
	if f.Oversold {
		add(nil, lists.Filter{Name: "oversold", Columns: []string{"on_hand", "reserved"},
			Where: "CASE WHEN {row}.on_hand < {row}.reserved THEN 1 ELSE 0 END = 1" + inIndex}) // written as in its index
	}
	every := index(q.All)
	every.Bounds = []lists.Bound{{}}
	q.Indexes = append(q.Indexes, every)
	if f.SKU == "" && !f.Oversold {
		n := in.Levels
		if f.Low {
			n = in.Low
		}
		q.Total = func(*db.Tx) *db.Pending[int64] { return &db.Pending[int64]{Value: n} }
	}
	return q, nil
}

// inIndex is true of every level. With it a planner takes the index of few levels, which begins with the SKU (see analytics.living).
const inIndex = " AND {row}.sku > ''"

// index returns an index of levels in the order of lists.
func index(size func(*db.Tx) (int64, error)) *lists.Index {
	return &lists.Index{From: listed.Rows, ID: listed.ID, Has: []string{"sku", "warehouse_code"}, Sort: bySKU.Column, Size: size}
}

// equal returns the filter that a column has a value.
func equal(column, value string) lists.Filter {
	return lists.Filter{Name: column, Columns: []string{column}, Where: "{row}." + column + " = ?", Args: []any{value}}
}

// countProducts returns how many products there are, from their maintained counts by status.
func countProducts(tx *db.Tx) (n int64, err error) {
	counts, err := db.Tallies[string](tx, "products")
	for _, of := range counts {
		n += of
	}
	return n, err
}

// ownedBy returns what a search finds: the levels of the products whose texts contain the term, and those of the SKU that equals it.
func ownedBy(term string) *lists.Owned {
	whole := strings.TrimSpace(term)
	return &lists.Owned{All: countProducts,
		Contains: lists.Filter{Name: "search", Columns: []string{"product_id"}, Args: []any{whole, db.Containing(search.Fold(term))},
			Where: `({row}.sku = ? OR (SELECT x.search FROM products x WHERE x.tenant_id = $1 AND x.id = {row}.product_id) LIKE ? ESCAPE '\')`},
		Rows: func(products []any) lists.Bound {
			if len(products) == 0 {
				return lists.Bound{Where: "l.sku = ?", Args: []any{whole}}
			}
			some := " IN (?" + strings.Repeat(",?", len(products)-1) + ")"
			return lists.Bound{Args: slices.Concat([]any{whole}, products, products), Where: "l.sku <> ? AND l.sku IN (" +
				db.OnPostgres("SELECT unnest(ARRAY(") + "SELECT s.sku FROM products s WHERE s.tenant_id = $1 AND s.id" + some +
				" UNION ALL SELECT s.sku FROM variants s WHERE s.tenant_id = $1 AND s.product_id" + some + db.OnPostgres("))") + ")"}
		}}
}
