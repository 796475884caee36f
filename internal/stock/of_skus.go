package stock

import (
	"cmp"
	"slices"

	"entrepot/internal/db"
)

// OfSKUs reads the levels of SKUs in every warehouse, without deleted ones, by SKU, each in the order of the
// warehouses' codes.
func OfSKUs(tx *db.Tx, skus []string) (map[string][]Level, error) {
	found := make(map[string][]Level, len(skus))
	err := readLevels(tx, slices.Clone(skus), func(l Level) {
		if !l.Deleted {
			found[l.SKU] = append(found[l.SKU], l)
		}
	})
	for _, levels := range found {
		slices.SortFunc(levels, func(a, b Level) int { return cmp.Compare(a.Warehouse, b.Warehouse) })
	}
	return found, err
}
