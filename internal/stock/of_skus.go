package stock

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// OfSKUs reads the levels of SKUs in every warehouse, without deleted ones, by SKU, each in the order of the
// warehouses' codes.
func OfSKUs(r db.Reader, skus []string) (map[string][]Level, error) {
	return PrefetchOfSKUs(r, skus).Wait()
}

// PrefetchOfSKUs is OfSKUs as a pending read.
func PrefetchOfSKUs(r db.Reader, skus []string) *db.Pending[map[string][]Level] {
	p, scan := &db.Pending[map[string][]Level]{Value: make(map[string][]Level, len(skus))}, rowScanner()
	skus = slices.Compact(slices.Sorted(slices.Values(skus)))
	return p.Await(db.PrefetchOf(r, livingOf, skus, func(rows db.Rows) error {
		row, err := scan(rows)
		p.Value[row.SKU] = append(p.Value[row.SKU], row.Level)
		return err
	})...)
}

// PrefetchOfSKU prefetches the levels of one SKU in every warehouse, without deleted ones, in the order of the warehouses' codes.
func PrefetchOfSKU(r db.Reader, sku string) *db.Pending[[]Row] {
	p, scan := &db.Pending[[]Row]{Value: []Row{}}, rowScanner()
	return p.Await(db.PrefetchOf(r, livingOf, []string{sku}, func(rows db.Rows) error {
		row, err := scan(rows)
		p.Value = append(p.Value, row)
		return err
	})...)
}

// PrefetchOfProduct prefetches the levels of a product and its variants like OfSKUs.
func PrefetchOfProduct(r db.Reader, product id.Product) *db.Pending[map[string][]Level] {
	p := &db.Pending[map[string][]Level]{Value: map[string][]Level{}}
	return p.Await(db.PrefetchOf(r, ofProducts, []id.Product{product}, func(rows db.Rows) error {
		var row Row
		err := rows.Scan(append([]any{new(id.Product)}, levelTable.Places(&row)...)...)
		p.Value[row.SKU] = append(p.Value[row.SKU], row.Level)
		return err
	})...)
}

var (
	livingOf   = db.KeyedBy(levelTable.Select(""), "sku", " AND deleted_at IS NULL ORDER BY sku, warehouse_code")
	ofProducts = &db.Keyed{Build: func(n int) string {
		return "SELECT p.id, " + levelTable.Columns("l") + ` FROM (
				SELECT id, sku FROM products WHERE tenant_id = $1 AND id IN ` + db.In(n, 2) + `
				UNION ALL SELECT product_id, sku FROM variants WHERE tenant_id = $1 AND product_id IN ` + db.In(n, 2) + `) AS p
			CROSS JOIN stock_levels l WHERE l.tenant_id = $1 AND l.sku = p.sku AND l.deleted_at IS NULL
			ORDER BY l.sku, l.warehouse_code` // CROSS, so that SQLite takes the SKUs first
	}}
)
