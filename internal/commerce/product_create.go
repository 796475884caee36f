package commerce

import (
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// CreateProduct creates a product (interface §4.5.1). Errors: Conflict when a SKU or the slug is taken; Invalid for an
// unusable warehouse.
func (s *Service) CreateProduct(tx *db.Tx, who accounts.Caller, draft catalog.Draft) (*catalog.Product, error) {
	drafts := []catalog.Draft{draft}
	snapshot, err := readSnapshot(tx, who, drafts)
	if err != nil {
		return nil, err
	}
	r, errs := snapshot.diff(&drafts[0], false)
	if len(errs) == 0 && !r.IsNew() {
		errs = []catalog.ItemError{{Field: "sku", Code: "sku_taken", Message: "sku " + draft.SKU + " belongs to another product"}}
	}
	if err := refused(errs); err != nil {
		return nil, err
	}
	return snapshot.saveOne(tx, who, r)
}

// refused combines the errors of one product or category into one error; nil without any. A taken slug or SKU is a
// conflict, unless there is more to correct.
func refused(errs []catalog.ItemError) error {
	if len(errs) == 0 {
		return nil
	}
	details := make([]apperr.Detail, len(errs))
	for i, e := range errs {
		if e.Code == "sku_taken" {
			return apperr.New(apperr.Conflict, "sku_taken", "%s", e.Message)
		}
		details[i] = apperr.Detail{Path: e.Field, Message: strings.TrimPrefix(e.Message, e.Field+" ")}
	}
	if len(errs) == 1 && errs[0].Code == "slug_taken" {
		taken := apperr.New(apperr.Conflict, "slug_taken", "%s", errs[0].Message)
		taken.Details = details
		return taken
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
