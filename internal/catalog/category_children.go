package catalog

import (
	"cmp"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Children reads at most limit of the categories directly below one; with more, there are others.
func Children(tx *db.Tx, parent id.Category, limit int) (list []Category, more bool, err error) {
	list, err = categoryTable.All(tx, "AND parent_id = $2::UUID AND deleted_at IS NULL LIMIT $3::BIGINT", parent, limit+1)
	if more = len(list) > limit; more {
		list = list[:limit]
	}
	return list, more, err
}

// ChildIDs reads the ids of all categories directly below one, in their order.
func ChildIDs(tx *db.Tx, parent id.Category) ([]id.Category, error) {
	return db.List(tx, func(r db.Rows) (child id.Category, err error) { return child, r.Scan(&child) },
		"SELECT id FROM categories WHERE tenant_id = $1 AND parent_id = $2::UUID AND deleted_at IS NULL ORDER BY id", tx.Tenant, parent)
}

// Detach returns the children of a deleted category in their new state: at the root, waiting for its externalId.
func Detach(gone Category, children []Category) []CategoryChange {
	return changed(children, func(c *Category) { c.Parent, c.ParentExternal = "", gone.ExternalID })
}

// changed returns the categories that a function changes, by id, so that they are always written in the same order.
func changed(list []Category, change func(*Category)) (changes []CategoryChange) {
	slices.SortFunc(list, func(a, b Category) int { return cmp.Compare(a.ID, b.ID) })
	for i := range list {
		after := list[i]
		change(&after)
		if after != list[i] {
			changes = append(changes, CategoryChange{Before: &list[i], After: after})
		}
	}
	return changes
}

// DetachSome detaches at most limit children that a deleted category still has, and returns them.
func DetachSome(tx *db.Tx, category id.Category, limit int) ([]CategoryChange, error) {
	gone, err := Stored(tx, category)
	if err != nil || gone == nil {
		return nil, err
	}
	children, _, err := Children(tx, category, limit)
	changes := Detach(*gone, children)
	SaveCategories(tx, changes)
	return changes, err
}

// waitingFor reads the categories that wait for one of the externalIds; more says that it has not read all of these.
// limit applies to the categories that one statement finds.
func waitingFor(tx *db.Tx, externals []string, limit int) (list []Category, more bool, err error) {
	return list, more, db.Chunks(externals, func(piece []string) error {
		these := db.Padded(piece)
		found, err := categoryTable.All(tx, "AND deleted_at IS NULL AND parent_id IS NULL AND parent_external_id IN "+db.In(len(these), 3)+
			" LIMIT $2::BIGINT", append([]any{limit + 1}, these...)...)
		more = more || len(found) > limit
		list = append(list, found...)
		return err
	})
}

// AttachSome puts at most limit categories that wait for a category below it, and returns them: none if the category no
// longer exists.
func AttachSome(tx *db.Tx, category id.Category, limit int) ([]CategoryChange, error) {
	c, err := Stored(tx, category)
	if err != nil || c == nil || c.DeletedAt != 0 || c.ExternalID == "" {
		return nil, err
	}
	children, more, err := waitingFor(tx, []string{c.ExternalID}, limit)
	if more {
		children = children[:limit]
	}
	changes := changed(children, func(child *Category) { child.Parent = c.ID })
	SaveCategories(tx, changes)
	return changes, err
}

// Follow sets the externalId of a category as the parent's in those of some categories that are directly below it, and
// returns them.
func Follow(tx *db.Tx, parent id.Category, some []id.Category) ([]CategoryChange, error) {
	of := db.Padded(some)
	return follow(tx, parent, "AND id IN "+db.In(len(of), 3), of...)
}

// FollowRest is Follow for at most limit of all children that do not have the externalId yet. It reads all children.
func FollowRest(tx *db.Tx, parent id.Category, limit int) ([]CategoryChange, error) {
	return follow(tx, parent, "AND coalesce(parent_external_id, '') <> coalesce((SELECT p.external_id FROM categories p "+
		"WHERE p.tenant_id = $1 AND p.id = $2::UUID), '') LIMIT $3::BIGINT", limit)
}

func follow(tx *db.Tx, parent id.Category, which string, args ...any) ([]CategoryChange, error) {
	c, err := Stored(tx, parent)
	if err != nil || c == nil || c.DeletedAt != 0 {
		return nil, err
	}
	children, err := categoryTable.All(tx, "AND parent_id = $2::UUID AND deleted_at IS NULL "+which, append([]any{parent}, args...)...)
	changes := changed(children, func(child *Category) { child.ParentExternal = c.ExternalID })
	SaveCategories(tx, changes)
	return changes, err
}
