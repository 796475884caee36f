package commerce

import (
	"entrepot/internal/catalog"
	"entrepot/internal/db"
)

// CreateCategory creates a category (interface §4.5.2). Children and products that wait for its externalId are linked
// to it; FinishCategories must follow. Errors: NotFound for the parent; Conflict when the externalId or the slug is
// taken; Invalid.
func (s *Service) CreateCategory(tx *db.Tx, draft catalog.CategoryDraft) (catalog.Category, error) {
	tree, err := s.readTree(tx, nil, draft)
	if err != nil {
		return catalog.Category{}, err
	}
	c, err := s.placeCategory(tx, tree, "", draft)
	c.CreatedAt, c.UpdatedAt = tx.Micros(), tx.Micros()
	return c, err
}
