package commerce

import (
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/records"
	"entrepot/internal/stock"
)

// ProductRecords reads what reads of products show beyond the catalog: stock and publications. Prices are in the given
// currency.
func ProductRecords(tx *db.Tx, currency string, list []*catalog.Product) (s records.Products, err error) {
	s.Currency = currency
	var skus []string
	ids := make([]id.Product, len(list))
	for i, p := range list {
		ids[i] = p.ID
		skus = append(skus, p.SKUs()...)
	}
	if len(list) == 0 {
		return s, nil
	}
	levels, publications := stock.PrefetchOfSKUs(tx, skus), catalog.PrefetchPublications(tx, ids)
	if s.Levels, err = levels.Wait(); err != nil {
		return s, err
	}
	s.Publications, err = publications.Wait()
	return s, err
}

// ReadProduct reads one product with what reads of products show, all at once. Errors: NotFound.
func ReadProduct(r db.Reader, currency string, product id.Product) (p *catalog.Product, s records.Products, err error) {
	pending, levels := catalog.PrefetchByID(r, product), stock.PrefetchOfProduct(r, product)
	publications := catalog.PrefetchPublications(r, []id.Product{product})
	s.Currency = currency
	if p, err = pending.Wait(); err != nil {
		return nil, s, err
	}
	if s.Levels, err = levels.Wait(); err != nil {
		return nil, s, err
	}
	s.Publications, err = publications.Wait()
	return p, s, err
}
