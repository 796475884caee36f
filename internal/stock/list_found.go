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
	var products []string
	err := search.Find(tx, search.Products, f.Search, func(id search.ID, _ int64) error {
		products = append(products, id.String())
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	p := &levelPage{reach: f.Offset + f.Limit}
	exactly := strings.TrimSpace(f.Search)
	some, err := someVariants(tx)
	if err != nil {
		return nil, 0, err
	}
	for len(products) > 0 {
		piece := db.Padded(products[:min(256, len(products))])
		products = products[min(256, len(products)):]
		err := f.add(tx, p, "products s", "s.id", piece, exactly)
		if err == nil && some {
			err = f.add(tx, p, "variants s", "s.product_id", piece, exactly)
		}
		if err != nil {
			return nil, 0, err
		}
	}
	w := db.AndIn(f.where(tx), "l.sku", []string{exactly})
	if err := tx.Each(p.add, "SELECT l.sku, l.warehouse_code FROM stock_levels l WHERE "+w.String(), w.Args()...); err != nil {
		return nil, 0, err
	}
	p.cut()
	list, err := readRows(tx, p.best[min(f.Offset, len(p.best)):])
	return list, p.total, err
}

// someVariants reports whether the account has variants.
func someVariants(tx *db.Tx) (some bool, err error) {
	err = tx.Row("SELECT EXISTS (SELECT 1 FROM variants WHERE tenant_id = $1)", []any{tx.Tenant}, &some)
	return some, err
}

// add adds the levels that match the filter of the SKUs of some products or variants s, but for one SKU.
func (f Filter) add(tx *db.Tx, p *levelPage, of, column string, ids []any, but string) error {
	w := f.where(tx).And("s.tenant_id = $1 AND l.sku = s.sku")
	db.AndIn(w, column, ids)
	w.And("s.sku <> " + w.Bind(but))
	return tx.Each(p.add, "SELECT l.sku, l.warehouse_code FROM "+of+" CROSS JOIN stock_levels l WHERE "+w.String(), w.Args()...)
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
			if err == nil && slices.Contains(piece, levelKey{row.SKU, row.Warehouse}) {
				list = append(list, row)
			}
			return err
		}, levelTable.Select("l")+" WHERE "+w.String(), w.Args()...)
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, func(a, b Row) int { return levelKey{a.SKU, a.Warehouse}.compare(levelKey{b.SKU, b.Warehouse}) })
	return list, nil
}

// levelKey is what lists of levels are sorted by.
type levelKey struct{ sku, warehouse string }

func (a levelKey) compare(b levelKey) int {
	return cmp.Or(cmp.Compare(a.sku, b.sku), cmp.Compare(a.warehouse, b.warehouse))
}

// levelPage selects, from any number of levels, those of one page and of the pages before it.
type levelPage struct {
	reach int
	total int64
	best  []levelKey
}

func (p *levelPage) add(r db.Rows) error {
	var key levelKey
	err := r.Scan(&key.sku, &key.warehouse)
	p.total++
	if p.best = append(p.best, key); len(p.best) >= 2*p.reach+1000 {
		p.cut()
	}
	return err
}

func (p *levelPage) cut() {
	slices.SortFunc(p.best, levelKey.compare)
	p.best = p.best[:min(p.reach, len(p.best))]
}
