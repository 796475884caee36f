package stock

import "entrepot/internal/db"

// removedWithThreshold selects the tombstones of a warehouse, $2, that have a threshold: their levels were removed
// because the warehouse was about to be deleted (decision 17). The condition is written as in the index of these rows.
const removedWithThreshold = "warehouse_code = $2 AND deleted_at IS NOT NULL AND threshold IS NOT NULL"

// RestoreLevels restores at most limit levels, with their thresholds, that RemoveEmpty has removed from a warehouse
// that is not deleted after all. It returns the number of restored levels. Levels of SKUs that are gone by now stay
// deleted.
func (w Warehouse) RestoreLevels(tx *db.Tx, limit int) (int, error) {
	rows, err := levelTable.All(tx, "AND "+removedWithThreshold+` AND EXISTS (SELECT 1 FROM skus WHERE skus.tenant_id = $1 AND skus.sku = stock_levels.sku
		AND skus.product_id = stock_levels.product_id) ORDER BY sku LIMIT $3::BIGINT`, w.Code, limit)
	var back writes
	for _, before := range levelsOfRows(rows) {
		before.Deleted = true
		after := before
		after.Deleted = false
		after.Low = after.below()
		back.add(&before, &after)
	}
	back.send(tx, Why{})
	return len(rows), err
}

// ForgetThresholds removes at most limit of the thresholds that RemoveEmpty left, and returns how many it has removed.
func ForgetThresholds(tx *db.Tx, warehouse string, limit int) (int, error) {
	skus, err := db.List(tx, func(r db.Rows) (sku string, err error) { return sku, r.Scan(&sku) },
		"SELECT sku FROM stock_levels WHERE tenant_id = $1 AND "+removedWithThreshold+" ORDER BY sku LIMIT $3::BIGINT", tx.Tenant, warehouse, limit)
	for piece := range db.Pieces(skus) {
		args := append(make([]any, 0, 1+2*len(piece)), tx.Tenant)
		for _, sku := range piece {
			args = append(args, sku, warehouse)
		}
		tx.Change(forgetText.For(len(piece), func(n int) string {
			return "WITH v(tenant, sku, warehouse_code) AS (VALUES " + rows(n, 2, 0, "(#::BIGINT,$::TEXT,$::TEXT)") +
				") UPDATE stock_levels SET threshold = NULL FROM v WHERE " + keyed + " AND " + dead
		}), args...)
	}
	return len(skus), err
}

var forgetText db.Text

// forgetThresholds removes all thresholds that RemoveEmpty left: the new warehouse is another one than the one that had
// them.
func forgetThresholds(tx db.Writer, warehouse string) {
	tx.Change("UPDATE stock_levels SET threshold = NULL WHERE tenant_id = $1 AND "+removedWithThreshold, tx.TenantID(), warehouse)
}
