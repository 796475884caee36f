package commerce

import (
	"slices"

	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/records"
)

// CategoryImport is a bulk import of categories: the valid items, and those that were rejected when they were read.
type CategoryImport struct {
	Drafts []catalog.CategoryDraft
	Errors []records.ItemError
}

// ImportedCategories is the outcome of a CategoryImport.
type ImportedCategories struct {
	Created int
	Updated int // existing categories, including unchanged ones
	Errors  []records.ItemError
}

// ImportCategories creates and updates categories by externalId, in any order: children may come before their parents,
// even in an earlier request (interface §4.2). Rejected items do not affect the others. FinishCategories must follow.
func (s *Service) ImportCategories(tx *db.Tx, in CategoryImport) (ImportedCategories, error) {
	tree, err := s.readTree(tx, nil, in.Drafts...)
	if err != nil {
		return ImportedCategories{}, err
	}
	out := ImportedCategories{Errors: slices.Clone(in.Errors)}
	for i := range in.Drafts {
		d := &in.Drafts[i]
		target := tree.ByExternal(d.ExternalID.Value)
		if _, errs := tree.Diff(target, d); len(errs) > 0 {
			out.Errors = append(out.Errors, joined(d.Index, d.ExternalID.Value, errs))
		} else if target == "" {
			out.Created++
		} else {
			out.Updated++
		}
	}
	sortErrors(out.Errors)
	return out, s.saveTree(tx, tree)
}
