package commerce

import (
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// readTree locks the account's change clock, as every writer of categories does, and reads the categories that drafts
// concern; targets are those that they change, except those found by externalId.
func (s *Service) readTree(tx *db.Tx, targets []id.Category, drafts ...catalog.CategoryDraft) (*catalog.Tree, error) {
	if err := tx.LockClock(); err != nil {
		return nil, err
	}
	if err := detachBefore(tx, drafts); err != nil {
		return nil, err
	}
	if err := attachBefore(tx, targets, drafts); err != nil {
		return nil, err
	}
	return catalog.ReadTree(tx, targets, drafts, s.productsAtOnce())
}

// saveTree queues the changed categories of a tree, the links of products that waited for new ones, and the events.
// If many products or categories wait, FinishCategories must follow.
func (s *Service) saveTree(tx *db.Tx, tree *catalog.Tree) error {
	changes := tree.Settle()
	if err := arriveBefore(tx, changes); err != nil {
		return err
	}
	var arrived []catalog.Category
	events := make([]webhooks.Event, 0, len(changes))
	for _, r := range changes {
		name := webhooks.CategoryUpdated
		if r.Before == nil {
			name = webhooks.CategoryCreated
		}
		events = append(events, categoryEvent(name, r.After))
		if r.After.ExternalID != "" && (r.Before == nil || r.Before.ExternalID != r.After.ExternalID) {
			arrived = append(arrived, r.After)
		}
	}
	products, err := s.arrive(tx, tree, arrived)
	if err != nil {
		return err
	}
	catalog.SaveCategories(tx, changes)
	catalog.Arrive(tx, arrived, products)
	webhooks.Record(tx, append(events, relinked(products)...)...)
	return nil
}

// placeCategory applies a draft to one category of a tree, "" for a new one, and saves the result. Errors: those of
// CreateCategory and UpdateCategory.
func (s *Service) placeCategory(tx *db.Tx, tree *catalog.Tree, target id.Category, draft catalog.CategoryDraft) (catalog.Category, error) {
	if draft.Parent.Given() && tree.Node(draft.Parent.Value) == nil {
		return catalog.Category{}, apperr.Missing("parent category")
	}
	if owner := tree.ByExternal(draft.ExternalID.Value); owner != "" && owner != target {
		return catalog.Category{}, apperr.New(apperr.Conflict, "conflict", "externalId %s belongs to another category",
			draft.ExternalID.Value).With("resourceId", owner)
	}
	placed, errs := tree.Diff(target, &draft)
	if err := refused(errs); err != nil {
		return catalog.Category{}, err
	}
	if err := s.saveTree(tx, tree); err != nil {
		return catalog.Category{}, err
	}
	return *tree.Node(placed), nil
}
