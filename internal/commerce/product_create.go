package commerce

import (
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/apperr"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// CreateProduct creates a product (interface §4.5). Errors: Conflict when a SKU is taken; Invalid for an unusable slug
// or warehouse.
func (s *Service) CreateProduct(tx *db.Tx, who accounts.Caller, draft catalog.Draft) (*catalog.Product, error) {
	drafts := []catalog.Draft{draft}
	snapshot, err := readSnapshot(tx, who, drafts)
	if err != nil {
		return nil, err
	}
	r, faults := snapshot.diff(&drafts[0], false)
	if len(faults) == 0 && !r.IsNew() {
		faults = []catalog.ItemError{{Field: "sku", Code: "sku_taken", Message: "sku " + draft.SKU + " belongs to another product"}}
	}
	if err := refused(faults); err != nil {
		return nil, err
	}
	return snapshot.saveOne(tx, who, r)
}

// refused converts the errors of one product or category into one error; nil without any.
func refused(faults []catalog.ItemError) error {
	if len(faults) == 0 {
		return nil
	}
	details := make([]apperr.Detail, len(faults))
	for i, f := range faults {
		if f.Code == "sku_taken" {
			return apperr.New(apperr.Conflict, "sku_taken", "%s", f.Message)
		}
		details[i] = apperr.Detail{Path: f.Field, Message: strings.TrimPrefix(f.Message, f.Field+" ")}
	}
	return apperr.Validation(details)
}

// saveOne saves one change and returns the new product.
func (s *snapshot) saveOne(tx *db.Tx, who accounts.Caller, r catalog.Change) (*catalog.Product, error) {
	changes := []catalog.Change{r}
	moved, err := s.save(tx, who, changes)
	if err != nil {
		return nil, err
	}
	webhooks.Record(tx, append(productEvents(changes, who), moved...)...)
	p := r.After
	if r.IsNew() {
		p.CreatedAt = tx.Micros()
	}
	if r.Changed() {
		p.UpdatedAt = tx.Micros()
	}
	return &p, nil
}
