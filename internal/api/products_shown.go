package api

import (
	"entrepot/internal/apijson"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/records"
	"entrepot/internal/stock"
)

// readShown reads what a list of products shows beyond the catalog: stock and publications.
func readShown(tx *db.Tx, currency string, list []*catalog.Product) (s records.Products, err error) {
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

func sampleProductAnswer(w *apijson.Writer) {
	data(func(w *apijson.Writer) { records.SampleProducts().Write(w, "data", records.SampleProduct()) })(w)
}

func sampleProductList(w *apijson.Writer) {
	w.Object("")
	w.List("data")
	records.SampleProducts().Write(w, "", records.SampleProduct())
	w.EndList()
	writeMeta(w, page{Number: 1, Limit: 20}, 1, nil)
	w.End()
}
