package commerce

import (
	"entrepot/internal/apijson"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/records"
)

// holdCategory locks the account's change clock, as every writer of categories does, and reads what a change of a
// category affects. Errors: NotFound; those of Expected.
func holdCategory(tx *db.Tx, category id.Category, expected Expected, drafts ...catalog.CategoryDraft) (*catalog.Tree, *catalog.Category,
	error) {
	if err := tx.LockClock(); err != nil {
		return nil, nil, err
	}
	tree, err := catalog.ReadTree(tx, []id.Category{category}, drafts)
	if err != nil {
		return nil, nil, err
	}
	c := tree.Node(category)
	if c == nil {
		return nil, nil, catalog.MissingCategory()
	}
	return tree, c, expected.check(func(w *apijson.Writer) { records.WriteCategory(w, "data", *c) })
}

// UpdateCategory changes a category (interface §4.5). Children and products that wait for its externalId are linked to
// it; FinishCategories must follow. Errors: NotFound for the category or the parent; those of Expected; Conflict when the
// externalId is taken; Invalid when it would be below itself.
func (s *Service) UpdateCategory(tx *db.Tx, category id.Category, expected Expected,
	draft catalog.CategoryDraft) (catalog.Category, error) {
	tree, c, err := holdCategory(tx, category, expected, draft)
	if err != nil {
		return catalog.Category{}, err
	}
	before := *c
	after, err := s.placeCategory(tx, tree, category, draft)
	if after != before {
		after.UpdatedAt = tx.Micros()
	}
	return after, err
}
