package stock

import (
	"slices"
	"strings"

	"entrepot/internal/db"
	"entrepot/internal/search"
)

// fewRest is how many products at most may not match a search that is read as the list of all levels without theirs. Tests lower it.
var fewRest = 2000

// pageBut reads a page of a search that all products match but a few: that of the list without a search, from which the levels of these are
// left out.
func (f Filter) pageBut(tx *db.Tx, rest []search.ID) ([]Row, int64, error) {
	slices.SortFunc(rest, search.CompareIDs)
	skus, err := skusOf(tx, rest)
	if err != nil {
		return nil, 0, err
	}
	whole := strings.TrimSpace(f.Search) // a level of this SKU matches, whatever its product is called
	skus = slices.DeleteFunc(skus, func(sku string) bool { return sku == whole })
	slices.Sort(skus)
	var out []levelKey // levels that are left out
	if err := f.levels().each(tx, skus, func(sku, warehouse string) { out = append(out, levelKey{sku, warehouse}) }); err != nil {
		return nil, 0, err
	}
	slices.SortFunc(out, levelKey.compare)
	all := f
	all.Search, all.Limit = "", f.Limit+len(out)
	list, total, err := List(tx, all)
	if err != nil || len(list) == 0 {
		return list, total - int64(len(out)), err
	}
	skip := 0
	if f.After == nil { // of the levels that were passed, so many do not count
		skip, _ = slices.BinarySearchFunc(out, list[0].key(), levelKey.compare)
	}
	list = slices.DeleteFunc(list, func(r Row) bool {
		_, left := slices.BinarySearchFunc(out, r.key(), levelKey.compare)
		return left
	})
	list = list[min(skip, len(list)):]
	return list[:min(f.Limit, len(list))], total - int64(len(out)), nil
}
