package stock

import (
	"cmp"
	"slices"

	"entrepot/internal/db"
)

// Returning returns inputs that restore, unchanged, the deleted levels of SKUs that a product has again: levels with
// reservations of open orders, or with movements after the deletion. Levels of warehouses that are gone stay deleted.
func Returning(tx *db.Tx, skus []string) (*Snapshot, []StockInput, error) {
	if len(skus) == 0 {
		return nil, nil, nil
	}
	var deleted int // zero in most accounts that import
	err := tx.Row("SELECT count(*) FROM (SELECT 1 FROM stock_levels WHERE tenant_id = $1 AND deleted_at > 0 LIMIT 1) t", []any{tx.Tenant},
		&deleted)
	if err != nil || deleted == 0 {
		return nil, nil, err
	}
	var list []StockInput
	err = readLevels(tx, slices.Clone(skus), func(l Level) {
		if l.Deleted && (l.Reserved != 0 || l.OnHand != 0) {
			list = append(list, StockInput{SKU: l.SKU, Warehouse: l.Warehouse, Quantity: l.OnHand})
		}
	})
	if err != nil || len(list) == 0 {
		return nil, nil, err
	}
	slices.SortFunc(list, func(a, b StockInput) int {
		return cmp.Or(cmp.Compare(a.SKU, b.SKU), cmp.Compare(a.Warehouse, b.Warehouse))
	})
	s, err := ReadSnapshot(tx, list)
	if err != nil {
		return nil, nil, err
	}
	return s, slices.DeleteFunc(slices.Clone(list), func(t StockInput) bool { return !s.Knows(t.Warehouse) }), nil
}
