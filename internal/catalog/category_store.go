package catalog

import (
	"cmp"
	"slices"

	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

const categoryColumns = `c.id, c.external_id, c.name, c.slug, c.parent_id, c.parent_external_id, c.created_at, c.updated_at, c.changed_at, c.deleted_at`

func scanCategory(r db.Rows) (c Category, err error) {
	err = r.Scan((*string)(&c.ID), db.Opt(&c.ExternalID), &c.Name, &c.Slug, db.Opt((*string)(&c.Parent)), db.Opt(&c.ParentExternal),
		&c.CreatedAt, &c.UpdatedAt, &c.ChangedAt, db.Opt(&c.DeletedAt))
	return c, err
}

func sortCategories(list []*Category) {
	slices.SortFunc(list, func(a, b *Category) int { return cmp.Compare(a.ID, b.ID) })
}

// CategoryByID reads one category. Errors: NotFound.
func CategoryByID(tx *db.Tx, category id.Category) (Category, error) {
	list, err := db.List(tx, scanCategory, "SELECT "+categoryColumns+" FROM categories c WHERE c.tenant_id = $1 AND c.id = $2 AND c.deleted_at IS NULL", tx.Tenant, category)
	if err == nil && len(list) == 0 {
		err = apperr.Missing("category")
	}
	if err != nil {
		return Category{}, err
	}
	return list[0], nil
}

// ReadTree reads what the drafts touch: the targets and their children, the categories named by externalId, those that wait for
// a named one, all parents up to the root, and slugs. The tenant's clock is locked first (db.Tx.LockClock):
// two writers that hang categories below each other at once would make a cycle that neither sees, and links of products could slip in between.
func ReadTree(tx *db.Tx, targets []id.Category, drafts []CategoryDraft) (*Tree, error) {
	t := &Tree{nodes: map[id.Category]*Category{}, external: map[string]id.Category{}, slugs: map[string]bool{}, before: map[id.Category]Category{}, claimed: map[string]bool{}}
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
	if err := readMore(t, tx, arriving, &categoryWaitingText, "c.parent_id IS NULL AND c.parent_external_id"); err != nil {
		return nil, err
	}
	if err := readMore(t, tx, ids, &categoryByIDText, "c.id"); err != nil {
		return nil, err
	}
	if err := readMore(t, tx, targets, &categoryChildrenText, "c.parent_id"); err != nil {
		return nil, err
	}
	if err := t.readParents(tx); err != nil {
		return nil, err
	}
	return t, t.readSlugs(tx, drafts)
}

var categoryByIDText, categoryByExternalText, categoryWaitingText, categoryChildrenText, categorySlugsText db.Text

// readMore takes the living categories whose column is one of the keys into the tree.
func readMore[T ~string](t *Tree, tx *db.Tx, keys []T, text *db.Text, column string) error {
	return each(tx, keys, text, "SELECT "+categoryColumns+" FROM categories c WHERE c.tenant_id = $1 AND c.deleted_at IS NULL AND "+column+" IN ", "", func(r db.Rows) error {
		c, err := scanCategory(r)
		if err != nil || t.nodes[c.ID] != nil {
			return err
		}
		t.nodes[c.ID] = &c
		t.slugs[c.Slug] = true
		if c.ExternalID != "" {
			t.external[c.ExternalID] = c.ID
		}
		return nil
	})
}

// readParents reads upwards until the roots, one level a query.
func (t *Tree) readParents(tx *db.Tx) error {
	for {
		var missing []id.Category
		for _, c := range t.sorted() {
			if c.Parent != "" && t.nodes[c.Parent] == nil && !slices.Contains(missing, c.Parent) {
				missing = append(missing, c.Parent)
			}
		}
		if len(missing) == 0 {
			return nil
		}
		had := len(t.nodes)
		if err := readMore(t, tx, missing, &categoryByIDText, "c.id"); err != nil {
			return err
		}
		if len(t.nodes) == had {
			return nil
		}
	}
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
	return each(tx, slugs, &categorySlugsText, "SELECT slug FROM categories WHERE tenant_id = $1 AND deleted_at IS NULL AND slug IN ", "", func(r db.Rows) error {
		var slug string
		err := r.Scan(&slug)
		t.slugs[slug] = true
		return err
	})
}

// SaveCategories queues what became of categories.
func SaveCategories(tx *db.Tx, changes []CategoryChange) {
	var fresh, old []CategoryChange
	for _, r := range changes {
		if r.Before == nil {
			fresh = append(fresh, r)
		} else {
			old = append(old, r)
		}
	}
	stamp := stamps(tx, len(changes))
	db.Chunks(fresh, func(piece []CategoryChange) error {
		args := []any{tx.Tenant, tx.Micros()}
		for _, r := range piece {
			c := r.After
			args = append(args, string(c.ID), db.Null(c.ExternalID), c.Name, c.Slug, db.Null(string(c.Parent)), db.Null(c.ParentExternal), stamp())
		}
		tx.Change(insertCategoriesText.For(len(piece), func(n int) string {
			return `WITH v(id, external, name, slug, parent, parent_external, at) AS (VALUES ` + db.Values(n, 7, 3, "::UUID", "::TEXT", "::TEXT", "::TEXT", "::UUID", "::TEXT", "::BIGINT") + `)
				INSERT INTO categories (tenant_id, id, external_id, name, slug, parent_id, parent_external_id, created_at, updated_at, changed_at)
				SELECT $1::BIGINT, id, external, name, slug, parent, parent_external, $2::BIGINT, $2::BIGINT, ` + db.Clock + ` + at FROM v`
		}), args...)
		return nil
	})
	db.Chunks(old, func(piece []CategoryChange) error {
		args := []any{tx.Tenant, tx.Micros()}
		for _, r := range piece {
			c := r.After
			args = append(args, string(c.ID), r.Before.ChangedAt, db.Null(c.ExternalID), c.Name, c.Slug, db.Null(string(c.Parent)), db.Null(c.ParentExternal), stamp())
		}
		tx.Change(updateCategoriesText.For(len(piece), func(n int) string {
			return `WITH v(id, was, external, name, slug, parent, parent_external, at) AS (VALUES ` + db.Values(n, 8, 3, "::UUID", "::BIGINT", "::TEXT", "::TEXT", "::TEXT", "::UUID", "::TEXT", "::BIGINT") + `)
				UPDATE categories SET external_id = v.external, name = v.name, slug = v.slug, parent_id = v.parent, parent_external_id = v.parent_external,
					updated_at = $2, changed_at = ` + db.Clock + ` + v.at
				FROM v WHERE categories.tenant_id = $1 AND categories.id = v.id AND categories.changed_at = v.was AND categories.deleted_at IS NULL`
		}), args...).Rows(int64(len(piece)), nil)
		return nil
	})
}

var insertCategoriesText, updateCategoriesText db.Text

// DeleteCategory makes a category a tombstone.
func DeleteCategory(tx *db.Tx, c Category) {
	tx.Change(`UPDATE categories SET deleted_at = $3, updated_at = $3, changed_at = `+db.Clock+` + $4::BIGINT
		WHERE tenant_id = $1 AND id = $2 AND changed_at = $5 AND deleted_at IS NULL`, tx.Tenant, c.ID, tx.Micros(), tx.Stamps(1), c.ChangedAt).Rows(1, nil)
}

// ListCategories reads a page of categories by name, and how many there are.
func ListCategories(tx *db.Tx, f CategoryFilter) (list []Category, total int64, err error) {
	where, args := "c.tenant_id = $1 AND c.deleted_at IS NULL", []any{tx.Tenant}
	for _, one := range []struct {
		value  any
		clause string
	}{{db.Null(f.ExternalID), "c.external_id = $"}, {db.Null(string(f.Parent)), "c.parent_id = $"}} {
		if one.value != nil {
			args = append(args, one.value)
			where += " AND " + one.clause + placeholder(len(args))
		}
	}
	if f.Search != "" {
		args = append(args, contains(Slug(f.Search)))
		where += " AND c.slug LIKE $" + placeholder(len(args)) + ` ESCAPE '\'`
	}
	if err := tx.Row("SELECT count(*) FROM categories c WHERE "+where, args, &total); err != nil {
		return nil, 0, err
	}
	args = append(args, f.Limit, f.Offset)
	list, err = db.List(tx, scanCategory, "SELECT "+categoryColumns+" FROM categories c WHERE "+where+
		" ORDER BY c.name, c.id LIMIT $"+placeholder(len(args)-1)+"::BIGINT OFFSET $"+placeholder(len(args))+"::BIGINT", args...)
	return list, total, err
}

// CategoryFilter chooses categories; zero values choose all.
type CategoryFilter struct {
	ExternalID    string
	Parent        id.Category
	Search        string // part of the slug
	Limit, Offset int
}
