package catalog

import (
	"cmp"
	"maps"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/search"
)

func sortCategories(list []*Category) {
	slices.SortFunc(list, func(a, b *Category) int { return cmp.Compare(a.ID, b.ID) })
}

// MissingCategory is the error for a category that the account does not have: NotFound.
func MissingCategory() error { return categoryTable.Missing() }

// CategoryByID reads one category. Errors: NotFound.
func CategoryByID(tx *db.Tx, category id.Category) (Category, error) {
	return categoryTable.One(tx, db.NoLock, "id = $2::UUID AND deleted_at IS NULL", category)
}

// ReadTree reads the categories that the drafts concern: the targets, the children of those that get another externalId
// (at most limit of each), those named by externalId, those waiting for an externalId of the drafts unless they are
// more than limit, all parents up to the root, and slugs. The operation must have locked the account's clock
// (db.Tx.LockClock): otherwise two writers that put categories below each other at once would create a cycle that
// neither sees, and products could be linked in between.
func ReadTree(tx *db.Tx, targets []id.Category, drafts []CategoryDraft, limit int) (*Tree, error) {
	t := newTree()
	var named, arriving []string
	ids := slices.Clone(targets)
	for i := range drafts {
		d := &drafts[i]
		if d.ExternalID.Value != "" {
			named, arriving = append(named, d.ExternalID.Value), append(arriving, d.ExternalID.Value)
		}
		if d.ParentExternal.Value != "" {
			named = append(named, d.ParentExternal.Value)
		}
		if d.Parent.Value != "" {
			ids = append(ids, d.Parent.Value)
		}
	}
	if err := readMore(t, tx, named, &categoryByExternalText, "c.external_id"); err != nil {
		return nil, err
	}
	waiting, many, err := waitingFor(tx, arriving, limit)
	if err != nil {
		return nil, err
	}
	if t.awaited = many; !many {
		t.read(waiting...)
	}
	if err := readMore(t, tx, ids, &categoryByIDText, "c.id"); err != nil {
		return nil, err
	}
	for _, target := range targets {
		if !t.renames(target, drafts) {
			continue
		}
		children, more, err := Children(tx, target, limit)
		if err != nil {
			return nil, err
		}
		if t.more = t.more || more; !more {
			t.read(children...)
		}
	}
	if err := t.readParents(tx, true); err != nil {
		return nil, err
	}
	return t, t.readSlugs(tx, drafts)
}

// renames reports whether one of the drafts would give a category another externalId, which its children refer to as
// well.
func (t *Tree) renames(category id.Category, drafts []CategoryDraft) bool {
	c := t.nodes[category]
	return c != nil && slices.ContainsFunc(drafts, func(d CategoryDraft) bool {
		return d.ExternalID.Set && d.ExternalID.Value != c.ExternalID
	})
}

var categoryByIDText, categoryByExternalText, categorySlugsText db.Text

// readMore adds the categories whose column is one of the keys to the tree, without deleted ones.
func readMore[T ~string](t *Tree, tx *db.Tx, keys []T, text *db.Text, column string) error {
	scan := categoryTable.Scanner()
	head := categoryTable.Select("c") + " WHERE c.tenant_id = $1 AND c.deleted_at IS NULL AND " + column + " IN "
	return each(tx, keys, text, head, "", func(r db.Rows) error {
		c, err := scan(r)
		if err == nil {
			t.read(c)
		}
		return err
	})
}

// read adds categories to the tree.
func (t *Tree) read(list ...Category) {
	for _, c := range list {
		if t.nodes[c.ID] != nil {
			continue
		}
		t.nodes[c.ID] = &c
		t.slugs[c.Slug] = true
		if c.ExternalID != "" {
			t.external[c.ExternalID] = c.ID
		}
	}
}

// readParents reads all ancestors, one level in each query. awaited says whether the awaited parent of a category
// counts as its parent, too, if that parent exists and is not linked yet.
func (t *Tree) readParents(tx *db.Tx, awaited bool) error {
	for level := t.sorted(); len(level) > 0; {
		var missing []id.Category
		var names []string
		for _, c := range level {
			switch {
			case c.Parent != "" && t.nodes[c.Parent] == nil && !slices.Contains(missing, c.Parent):
				missing = append(missing, c.Parent)
			case awaited && c.Parent == "" && c.ParentExternal != "" && t.external[c.ParentExternal] == "":
				names = append(names, c.ParentExternal)
			}
		}
		before := maps.Clone(t.nodes)
		if err := readMore(t, tx, missing, &categoryByIDText, "c.id"); err != nil {
			return err
		}
		if err := readMore(t, tx, names, &categoryByExternalText, "c.external_id"); err != nil {
			return err
		}
		level = slices.DeleteFunc(t.sorted(), func(c *Category) bool { return before[c.ID] != nil })
	}
	return nil
}

// WithParents reads categories and all their ancestors, by id.
func WithParents(tx *db.Tx, categories []id.Category) (map[id.Category]Category, error) {
	t := newTree()
	err := readMore(t, tx, categories, &categoryByIDText, "c.id")
	if err == nil {
		err = t.readParents(tx, false)
	}
	found := make(map[id.Category]Category, len(t.nodes))
	for which, c := range t.nodes {
		found[which] = *c
	}
	return found, err
}

func (t *Tree) readSlugs(tx *db.Tx, drafts []CategoryDraft) error {
	var slugs []string
	for i := range drafts {
		d := &drafts[i]
		if d.Slug.Value != "" {
			slugs = append(slugs, d.Slug.Value)
		} else if base := Slug(d.Name.Value); base != "" {
			slugs = append(slugs, base)
		}
	}
	const head = "SELECT slug FROM categories WHERE tenant_id = $1 AND deleted_at IS NULL AND slug IN "
	return each(tx, slugs, &categorySlugsText, head, "", func(r db.Rows) error {
		var slug string
		err := r.Scan(&slug)
		t.slugs[slug] = true
		return err
	})
}

// SaveCategories queues the changes. If a category was written since it was read, the operation runs again.
func SaveCategories(tx db.Writer, changes []CategoryChange) {
	var fresh, changed []Category
	for _, r := range changes {
		if r.Before == nil {
			fresh = append(fresh, r.After)
		} else {
			changed = append(changed, r.After)
		}
	}
	tx.Tally(countedCategories, "", int64(len(fresh)))
	categoryTable.InsertStamped(tx, fresh, "")
	categoryTable.UpdateStamped(tx, changed, "categories.deleted_at IS NULL")
	docs := make([]search.Document, 0, len(changes))
	for _, r := range changes {
		if r.Before == nil || r.Before.document() != r.After.document() {
			docs = append(docs, r.After.document())
		}
	}
	search.Put(tx, search.Categories, docs...)
}

// document returns the text by which a category is found. The tabs keep a term from matching across its parts.
func (c Category) document() search.Document {
	return search.Document{ID: string(c.ID), Text: c.Name + "\t" + c.Slug + "\t" + c.ExternalID}
}

// Stored reads a category that may be deleted; nil for none.
func Stored(tx *db.Tx, category id.Category) (*Category, error) {
	list, err := categoryTable.All(tx, "AND id = $2::UUID", category)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// DeleteCategory makes a category a tombstone.
func DeleteCategory(tx db.Writer, c Category) {
	tx.Tally(countedCategories, "", -1)
	tx.Change(`UPDATE categories SET deleted_at = $3, updated_at = $3, changed_at = `+db.Clock+` + $4::BIGINT
		WHERE tenant_id = $1 AND id = $2 AND changed_at = $5 AND deleted_at IS NULL`,
		tx.TenantID(), c.ID, tx.Micros(), tx.Stamps(1), c.ChangedAt).Rows(1, nil)
	search.Put(tx, search.Categories, search.Document{ID: string(c.ID)})
}

// CountProducts reads how many products there are in each of some categories; one without products may be missing.
func CountProducts(tx *db.Tx, categories []id.Category) (map[id.Category]int64, error) {
	return db.TalliesOf(tx, countedMembers, categories)
}
