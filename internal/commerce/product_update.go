package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/apperr"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
)

// UpdateProduct revises a product by the rules of the bulk import: absent fields stay (interface §4.5). A product keeps its
// SKU for good: orders and the ledger know it by that. Errors: Conflict when a variant's SKU is taken; Invalid.
func (s *Service) UpdateProduct(tx *db.Tx, who accounts.Caller, p *catalog.Product, draft catalog.Draft) (*catalog.Product, error) {
	if draft.SKU != "" && draft.SKU != p.SKU {
		return nil, apperr.At("sku", "a product keeps its SKU: make a new product with the other one and delete this")
	}
	draft.SKU = p.SKU
	drafts := []catalog.Draft{draft}
	snapshot, err := readSnapshot(tx, who, drafts)
	if err != nil {
		return nil, err
	}
	r, faults := snapshot.diff(&drafts[0], false)
	if err := refused(faults); err != nil {
		return nil, err
	}
	if r.IsNew() {
		return nil, apperr.Missing("product") // it went meanwhile
	}
	if r.Before.ChangedAt != p.ChangedAt { // it is not the version that was judged
		return nil, db.Retry
	}
	return snapshot.saveOne(tx, who, r)
}
