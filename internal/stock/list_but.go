package stock

import (
	"slices"
	"strings"

	"entrepot/internal/db"
	"entrepot/internal/search"
)

// fewRest is how many products at most may not match a search that is read as the list of all levels without theirs, which are in memory
// meanwhile. Tests lower it.
var fewRest = 300_000

// pageBut reads a page of a search that most products match: that of the list without a search, from which the levels of these are
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
	first, err := f.firstBut(tx, out)
	if err != nil {
		return nil, 0, err
	}
	return first.walkBut(tx, out, f.Limit)
}

// firstBut returns the filter without its search, from where the page begins: behind as many more levels as are left
// out before it.
func (f Filter) firstBut(tx *db.Tx, out []levelKey) (Filter, error) {
	f.Search = ""
	if f.After != nil {
		return f, nil
	}
	for before := 0; ; {
		at := f
		at.Offset, at.Limit = f.Offset+before, 1
		list, _, err := List(tx, at)
		if err != nil || len(list) == 0 {
			return at, err
		}
		passed, _ := slices.BinarySearchFunc(out, list[0].key(), levelKey.compare)
		if passed == before {
			return at, nil
		}
		before = passed
	}
}

// butStep is how many levels are read at most at once to fill a page.
const butStep = 1000

// walkBut reads a page of the levels from where the filter begins without those that are left out, and how many there are in all.
func (f Filter) walkBut(tx *db.Tx, out []levelKey, limit int) (page []Row, total int64, err error) {
	page = make([]Row, 0, limit)
	for f.Limit = limit; ; f.Limit = min(2*f.Limit, butStep) {
		list, all, err := List(tx, f)
		if err != nil {
			return nil, 0, err
		}
		for _, r := range list {
			if _, left := slices.BinarySearchFunc(out, r.key(), levelKey.compare); !left && len(page) < limit {
				page = append(page, r)
			}
		}
		if len(page) == limit || len(list) < f.Limit {
			return page, all - int64(len(out)), nil
		}
		last := &list[len(list)-1]
		f.After, f.Offset = &Place{SKU: last.SKU, Warehouse: last.Warehouse}, 0
	}
}
