package stock

import (
	"cmp"
	"slices"
	"strings"

	"entrepot/internal/db"
	"entrepot/internal/search"
)

// pageOfFound reads a page of a search: the levels of products whose texts contain the term, and those of the SKU that
// equals it.
func (f Filter) pageOfFound(tx *db.Tx) ([]Row, int64, error) {
	rest, few, err := search.FindRest(tx, search.Products, f.Search, fewRest)
	if err != nil {
		return nil, 0, err
	}
	if few {
		return f.pageBut(tx, rest)
	}
	found, err := search.FindSet(tx, search.Products, f.Search, nil)
	if err != nil {
		return nil, 0, err
	}
	skus, err := skusOf(tx, found.IDs())
	if err != nil {
		return nil, 0, err
	}
	skus = append(skus, strings.TrimSpace(f.Search))
	slices.Sort(skus)
	p := &levelPage{reach: f.Offset + f.Limit}
	if f.After != nil {
		p.after = &levelKey{f.After.SKU, f.After.Warehouse}
	}
	if err := f.levels().each(tx, slices.Compact(skus), p.add); err != nil {
		return nil, 0, err
	}
	p.cut()
	list, err := readRows(tx, p.best[min(f.Offset, len(p.best)):])
	return list, p.total, err
}

// skusOf returns the SKUs of some products, which come in the order of their ids, and of their variants.
func skusOf(tx *db.Tx, ids []search.ID) (skus []string, err error) {
	products := make([]string, len(ids))
	for i := range ids {
		products[i] = ids[i].String()
	}
	add := func(_, sku string) { skus = append(skus, sku) }
	some, err := someVariants(tx)
	owned := func(tx *db.Tx) *db.Where { return db.NewWhere(tx, "s") }
	if err == nil {
		err = (&keyReader{table: "products s", key: "s.id", value: "s.sku", where: owned}).each(tx, products, add)
	}
	if err == nil && some {
		err = (&keyReader{table: "variants s", key: "s.product_id", value: "s.sku", where: owned}).each(tx, products, add)
	}
	return skus, err
}

// levels reads the levels of the filter, by SKU.
func (f Filter) levels() *keyReader {
	return &keyReader{table: "stock_levels l", key: "l.sku", value: "l.warehouse_code", where: f.where}
}

// someVariants reports whether the account has variants.
func someVariants(tx *db.Tx) (some bool, err error) {
	err = tx.Row("SELECT EXISTS (SELECT 1 FROM variants WHERE tenant_id = $1)", []any{tx.Tenant}, &some)
	return some, err
}

// readRows reads the levels of some keys, in their order.
func readRows(tx *db.Tx, keys []levelKey) ([]Row, error) {
	list := make([]Row, 0, len(keys))
	scan := rowScanner()
	for piece := range db.Pieces(keys) {
		w := db.NewWhere(tx, "l")
		skus := make([]string, len(piece))
		for i := range piece {
			skus[i] = piece[i].sku
		}
		db.AndIn(w, "l.sku", db.Padded(skus))
		err := tx.Each(func(r db.Rows) error {
			row, err := scan(r)
			if err == nil && slices.Contains(piece, row.key()) {
				list = append(list, row)
			}
			return err
		}, levelTable.Select("l")+" WHERE "+w.String(), w.Args()...)
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, func(a, b Row) int { return a.key().compare(b.key()) })
	return list, nil
}

// levelKey is what lists of levels are sorted by.
type levelKey struct{ sku, warehouse string }

func (r *Row) key() levelKey { return levelKey{r.SKU, r.Warehouse} }

func (a levelKey) compare(b levelKey) int {
	return cmp.Or(cmp.Compare(a.sku, b.sku), cmp.Compare(a.warehouse, b.warehouse))
}

// levelPage selects, from any number of levels, the levels of one page and of the pages before it.
type levelPage struct {
	reach int
	after *levelKey // where the page before ended; nil for none
	total int64
	best  []levelKey
}

func (p *levelPage) add(sku, warehouse string) {
	p.total++
	if p.after != nil && p.after.compare(levelKey{sku, warehouse}) >= 0 {
		return
	}
	if p.best = append(p.best, levelKey{sku, warehouse}); len(p.best) >= 2*p.reach+1000 {
		p.cut()
	}
}

func (p *levelPage) cut() {
	slices.SortFunc(p.best, levelKey.compare)
	p.best = p.best[:min(p.reach, len(p.best))]
}
