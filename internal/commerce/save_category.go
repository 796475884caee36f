package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/apperr"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/webhooks"
)

// SaveCategory makes a category, or changes the one that target names, "" being none (interface §4.5). Children and products that
// wait for its externalId are linked to it. Errors: NotFound for the target or the parent; Conflict when the externalId is
// taken; Invalid when it would come below itself.
func (s *Service) SaveCategory(tx *db.Tx, _ accounts.Caller, target id.Category, draft catalog.CategoryDraft) (catalog.Category, error) {
	if err := tx.LockClock(); err != nil {
		return catalog.Category{}, err
	}
	var targets []id.Category
	if target != "" {
		targets = append(targets, target)
	}
	tree, err := catalog.ReadTree(tx, targets, []catalog.CategoryDraft{draft})
	if err != nil {
		return catalog.Category{}, err
	}
	if target != "" && tree.Node(target) == nil {
		return catalog.Category{}, apperr.Missing("category")
	}
	if draft.Parent.Given() && tree.Node(draft.Parent.Value) == nil {
		return catalog.Category{}, apperr.Missing("parent category")
	}
	if owner := tree.ByExternal(draft.ExternalID.Value); owner != "" && owner != target {
		return catalog.Category{}, apperr.New(apperr.Conflict, "conflict", "externalId %s belongs to another category", draft.ExternalID.Value).With("resourceId", owner)
	}
	made, faults := tree.Diff(target, &draft)
	if err := refused(faults); err != nil {
		return catalog.Category{}, err
	}
	if err := saveTree(tx, tree); err != nil {
		return catalog.Category{}, err
	}
	c := *tree.Node(made)
	if c.CreatedAt == 0 {
		c.CreatedAt, c.UpdatedAt = tx.Micros(), tx.Micros()
	}
	return c, nil
}

// saveTree queues what became of the categories of a tree, the links of products that waited for new ones, and the events.
func saveTree(tx *db.Tx, tree *catalog.Tree) error {
	changes := tree.Settle()
	var arrived []catalog.Category
	var externals []string
	events := make([]webhooks.Event, 0, len(changes))
	for _, r := range changes {
		name := webhooks.CategoryUpdated
		if r.Before == nil {
			name = webhooks.CategoryCreated
		}
		events = append(events, categoryEvent(name, r.After))
		if r.After.ExternalID != "" && (r.Before == nil || r.Before.ExternalID != r.After.ExternalID) {
			arrived, externals = append(arrived, r.After), append(externals, r.After.ExternalID)
		}
	}
	touched, err := catalog.Waiting(tx, externals)
	if err != nil {
		return err
	}
	catalog.SaveCategories(tx, changes)
	catalog.Arrive(tx, arrived, touched)
	webhooks.Record(tx, append(events, relinked(touched)...)...)
	return nil
}
