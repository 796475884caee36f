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
	p := &levelPage{reach: f.Offset + f.Limit, scan: rowScanner()}
	exactly := strings.TrimSpace(f.Search)
	for len(products) > 0 {
		piece := products[:min(256, len(products))]
		products = products[len(piece):]
		skus, err := skusOf(tx, piece)
		if err != nil {
			return nil, 0, err
		}
		skus = slices.DeleteFunc(skus, func(sku string) bool { return sku == exactly })
		if err := f.add(tx, p, skus); err != nil {
			return nil, 0, err
		}
	}
	if err := f.add(tx, p, []string{exactly}); err != nil {
		return nil, 0, err
	}
	p.cut()
	return p.best[min(f.Offset, len(p.best)):], p.total, nil
}

// skusOf are the SKUs of some products and their variants.
func skusOf(tx *db.Tx, products []string) ([]string, error) {
	args := append([]any{tx.Tenant}, db.Padded(products)...)
	in := db.In(len(args)-1, 2)
	return db.List(tx, func(r db.Rows) (sku string, err error) { return sku, r.Scan(&sku) },
		"SELECT sku FROM products WHERE tenant_id = $1 AND id IN "+in+" UNION SELECT sku FROM variants WHERE tenant_id = $1 AND product_id IN "+
			in, args...)
}

// add adds the levels of some SKUs that match the filter.
func (f Filter) add(tx *db.Tx, p *levelPage, skus []string) error {
	for len(skus) > 0 {
		piece := skus[:min(256, len(skus))]
		skus = skus[len(piece):]
		w := f.where(tx)
		db.AndIn(w, "l.sku", db.Padded(piece))
		if err := tx.Each(p.add, levelTable.Select("l")+" WHERE "+w.String(), w.Args()...); err != nil {
			return err
		}
	}
	return nil
}

// levelPage selects, from any number of levels, those of one page and of the pages before it.
type levelPage struct {
	reach int
	scan  func(db.Rows) (Row, error)
	total int64
	best  []Row
}

func (p *levelPage) add(r db.Rows) error {
	row, err := p.scan(r)
	p.total++
	if p.best = append(p.best, row); len(p.best) >= 2*p.reach+1000 {
		p.cut()
	}
	return err
}

func (p *levelPage) cut() {
	slices.SortFunc(p.best, func(a, b Row) int { return cmp.Or(cmp.Compare(a.SKU, b.SKU), cmp.Compare(a.Warehouse, b.Warehouse)) })
	p.best = p.best[:min(p.reach, len(p.best))]
}
