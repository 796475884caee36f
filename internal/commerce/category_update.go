package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/apperr"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// UpdateCategory changes a category (interface §4.5). Children and products that wait for its externalId are linked to it. Errors:
// NotFound for the category or the parent; Conflict when the externalId is taken; Invalid when it would come below itself.
func (s *Service) UpdateCategory(tx *db.Tx, _ accounts.Caller, category id.Category, draft catalog.CategoryDraft) (catalog.Category, error) {
	if err := tx.LockClock(); err != nil {
		return catalog.Category{}, err
	}
	tree, err := catalog.ReadTree(tx, []id.Category{category}, []catalog.CategoryDraft{draft})
	if err != nil {
		return catalog.Category{}, err
	}
	if tree.Node(category) == nil {
		return catalog.Category{}, apperr.Missing("category")
	}
	return placeCategory(tx, tree, category, draft)
}
