package commerce

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/records"
)

// UpdateCategory changes a category (interface §4.5.2). Children and products that wait for its externalId are linked
// to it; FinishCategories must follow. Errors: NotFound for the category or the parent; those of Expected; Conflict
// when the externalId or the slug is taken; Invalid when it would be below itself.
func (s *Service) UpdateCategory(tx *db.Tx, category id.Category, expected Expected,
	draft catalog.CategoryDraft) (catalog.Category, error) {
	tree, err := s.readTree(tx, []id.Category{category}, draft)
	if err != nil {
		return catalog.Category{}, err
	}
	c := tree.Node(category)
	if c == nil {
		return catalog.Category{}, catalog.MissingCategory()
	}
	if err := expected.checkCategory(c); err != nil {
		return catalog.Category{}, err
	}
	before := *c
	after, err := s.placeCategory(tx, tree, category, draft)
	if err != nil {
		return catalog.Category{}, err
	}
	if tree.More() {
		jobs.BeginAnew(tx, jobs.CategoryRenaming, string(category))
	}
	if after != before {
		after.UpdatedAt = tx.Micros()
	}
	return after, nil
}

func (e Expected) checkCategory(c *catalog.Category) error {
	return e.check(func(w *apijson.Writer) { records.WriteCategory(w, "data", *c) })
}
