package commerce

import (
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/id"
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
	if s.Levels, err = stock.OfSKUs(tx, skus); err != nil {
		return s, err
	}
	s.Publications, err = catalog.PublicationsOf(tx, ids)
	return s, err
}
