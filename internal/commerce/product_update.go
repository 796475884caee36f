package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
)

// holdProduct reads a product that an operation changes. A product is in several tables, and all their writers hold
// the account's change clock: for a caller who expects certain versions, holdProduct locks the clock, too. Errors:
// NotFound; those of Expected.
func holdProduct(tx *db.Tx, who accounts.Caller, product id.Product, expected Expected) (*catalog.Product, error) {
	if expected.conditional() {
		if err := tx.LockClock(); err != nil {
			return nil, err
		}
	}
	p, err := catalog.ByID(tx, product)
	if err != nil {
		return nil, err
	}
	if !expected.conditional() || expected.Invalid != nil {
		return p, expected.Invalid
	}
	shown, err := ProductRecords(tx, who.Currency, []*catalog.Product{p})
	if err != nil {
		return nil, err
	}
	return p, expected.check(func(w *apijson.Writer) { shown.Write(w, "data", p) })
}

// UpdateProduct changes a product by the rules of the bulk import: absent fields stay (interface §4.5.1). A product
// never changes its SKU, because orders and the ledger refer to it. Errors: NotFound; those of Expected; Conflict when
// a variant's SKU or the slug is taken; Invalid.
func (s *Service) UpdateProduct(tx *db.Tx, who accounts.Caller, product id.Product, expected Expected,
	draft catalog.Draft) (*catalog.Product, error) {
	p, err := holdProduct(tx, who, product, expected)
	if err != nil {
		return nil, err
	}
	if draft.SKU != "" && draft.SKU != p.SKU {
		return nil, apperr.At("sku", "a product keeps its SKU: make a new product with the other one and delete this")
	}
	draft.SKU = p.SKU
	drafts := []catalog.Draft{draft}
	snapshot, err := readSnapshot(tx, who, drafts)
	if err != nil {
		return nil, err
	}
	r, errs := snapshot.diff(&drafts[0], draft.Replace)
	if err := refused(errs); err != nil {
		return nil, err
	}
	if r.IsNew() {
		return nil, catalog.Missing() // it was deleted meanwhile
	}
	if r.Before.ChangedAt != p.ChangedAt { // it is not the version that was checked
		return nil, db.ErrRetry
	}
	return snapshot.saveOne(tx, who, r)
}
