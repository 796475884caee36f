package catalog

import (
	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
)

// Category is a node of the account's tree (interface §2.7.3).
type Category struct {
	ID             id.Category
	ExternalID     string // the caller's own; "" for none
	Name           string
	Slug           string
	Parent         id.Category // "" at the root, and while the parent does not exist
	ParentExternal string      // the parent's externalId; while Parent is "" the category waits for it
	CreatedAt      int64
	UpdatedAt      int64
	ChangedAt      int64
	DeletedAt      int64
}

// CategoryDraft is a caller's input for one category; fields that are not set stay unchanged.
type CategoryDraft struct {
	Index          int
	ExternalID     patch.Field[string]
	Name           patch.Field[string]
	Slug           patch.Field[string]
	Parent         patch.Field[id.Category]
	ParentExternal patch.Field[string]
}

// Tree is the part of the account's categories that drafts concern, up to the root, before and after the drafts.
type Tree struct {
	nodes    map[id.Category]*Category
	external map[string]id.Category
	slugs    map[string]bool
	before   map[id.Category]Category // as stored, of categories that drafts or new parents change
	order    []id.Category            // ids of the categories in before and of the new ones, in the order of change
	more     bool                     // children of a category with another externalId were left out: see Follow
	awaited  bool                     // categories that wait for one of the drafts were left out: see AttachSome
	claimed  map[string]bool          // externalIds of drafts accepted so far
}

func newTree() *Tree {
	return &Tree{nodes: map[id.Category]*Category{}, external: map[string]id.Category{}, slugs: map[string]bool{},
		before: map[id.Category]Category{}, claimed: map[string]bool{}}
}

// CategoryChange is the state of one category before and after.
type CategoryChange struct {
	Before *Category // nil when it is new
	After  Category
}

// ByExternal finds a category by its externalId, "" if there is none.
func (t *Tree) ByExternal(external string) id.Category { return t.external[external] }

// More reports whether a category that gets another externalId has more children than were read.
func (t *Tree) More() bool { return t.more }

// Awaited reports whether more categories wait for the new ones than were read.
func (t *Tree) Awaited() bool { return t.awaited }

// Node returns a category that was read, or nil.
func (t *Tree) Node(category id.Category) *Category { return t.nodes[category] }

// Diff applies one draft to the tree: target is the category that it changes, "" for a new one. A rejected draft
// changes nothing. After all drafts, call Settle to link categories to parents that came later.
func (t *Tree) Diff(target id.Category, d *CategoryDraft) (id.Category, []ItemError) {
	var problems []ItemError
	var c Category
	if target != "" {
		c = *t.nodes[target]
	} else {
		c.ID = id.New[id.Category]()
	}
	if d.ExternalID.Set && d.ExternalID.Value != c.ExternalID {
		if other := t.external[d.ExternalID.Value]; other != "" && d.ExternalID.Value != "" {
			problems = append(problems, ItemError{"externalId", "invalid", "externalId " + d.ExternalID.Value + " belongs to another category"})
		}
		c.ExternalID = d.ExternalID.Value
	}
	if d.ExternalID.Value != "" && t.claimed[d.ExternalID.Value] {
		problems = append(problems, ItemError{"externalId", "duplicate_sku",
			"externalId " + d.ExternalID.Value + " stood earlier in this request"})
	}
	if d.Name.Given() {
		c.Name = d.Name.Value
	}
	switch given := d.Slug.Value; {
	case given != "" && given == c.Slug:
	case given != "" && t.slugs[given]:
		problems = append(problems, ItemError{"slug", "slug_taken", "slug " + given + " belongs to another category"})
	case given != "":
		c.Slug = given
	case c.Slug == "":
		c.Slug = slugFor(c.Name, string(c.ID), func(s string) bool { return t.slugs[s] })
	}
	problems = append(problems, t.parent(&c, d)...)
	if len(problems) > 0 {
		return "", problems
	}
	t.claimed[d.ExternalID.Value] = true
	t.put(c)
	return c.ID, nil
}

// parent sets the category's parent. A parent that does not exist yet is stored by its externalId.
func (t *Tree) parent(c *Category, d *CategoryDraft) []ItemError {
	switch {
	case d.Parent.Given():
		up := t.nodes[d.Parent.Value]
		if up == nil {
			return []ItemError{{"parentId", "invalid", "parentId is not the id of a category"}}
		}
		c.Parent, c.ParentExternal = up.ID, up.ExternalID
		if t.below(up.ID, c) {
			return []ItemError{cycle("parentId")}
		}
	case d.ParentExternal.Value != "":
		c.ParentExternal = d.ParentExternal.Value
		c.Parent = t.external[c.ParentExternal]
		if c.ParentExternal == c.ExternalID || c.Parent != "" && t.below(c.Parent, c) {
			return []ItemError{cycle("parentExternalId")}
		}
	case d.Parent.Null, d.ParentExternal.Set:
		c.Parent, c.ParentExternal = "", ""
	case t.closes(c):
		return []ItemError{cycle("externalId")}
	}
	return nil
}

func cycle(field string) ItemError {
	return ItemError{field, "cycle", field + " would put the category below itself"}
}

// closes reports whether a category that keeps its parent would get above itself: it takes an externalId for which it
// waits, or for which a category above it waits, and Settle would link them.
func (t *Tree) closes(c *Category) bool {
	old := t.nodes[c.ID]
	if old == nil || c.ExternalID == "" || old.ExternalID == c.ExternalID {
		return false
	}
	above := c.Parent
	if above == "" && c.ParentExternal != "" {
		above = t.external[c.ParentExternal] // it came in this request
	}
	return c.Parent == "" && c.ParentExternal == c.ExternalID || t.below(above, c)
}

// below reports whether a category is the other one or below it, or will be below it once missing parents exist.
func (t *Tree) below(start id.Category, c *Category) bool {
	for seen := map[id.Category]bool{}; start != "" && !seen[start]; {
		seen[start] = true
		node := t.nodes[start]
		if node == nil {
			return false
		}
		if node.ID == c.ID {
			return true
		}
		if node.Parent == "" && node.ParentExternal != "" {
			if node.ParentExternal == c.ExternalID {
				return true
			}
			start = t.external[node.ParentExternal]
			continue
		}
		start = node.Parent
	}
	return false
}

// put stores a category's new state in the tree.
func (t *Tree) put(c Category) {
	old := t.nodes[c.ID]
	if old != nil && *old == c {
		return
	}
	if old != nil {
		if _, noted := t.before[c.ID]; !noted && old.CreatedAt != 0 {
			t.before[c.ID] = *old
			t.order = append(t.order, c.ID)
		}
		if old.ExternalID != c.ExternalID && t.external[old.ExternalID] == c.ID {
			delete(t.external, old.ExternalID)
		}
	} else {
		t.order = append(t.order, c.ID)
	}
	t.nodes[c.ID] = &c
	t.slugs[c.Slug] = true
	if c.ExternalID != "" {
		t.external[c.ExternalID] = c.ID
	}
}

// Settle links categories of this tree to parents that exist now, and returns the changes in order.
func (t *Tree) Settle() []CategoryChange {
	for _, node := range t.sorted() {
		c := *node
		if c.Parent == "" && c.ParentExternal != "" {
			c.Parent = t.external[c.ParentExternal]
		}
		if up := t.nodes[c.Parent]; up != nil { // the parent's externalId may have changed
			c.ParentExternal = up.ExternalID
		}
		t.put(c)
	}
	list := make([]CategoryChange, 0, len(t.order))
	for _, which := range t.order {
		r := CategoryChange{After: *t.nodes[which]}
		if before, stored := t.before[which]; stored {
			if before == r.After {
				continue
			}
			r.Before = &before
		}
		list = append(list, r)
	}
	return list
}

// sorted returns the nodes in the order of their ids, so that a settled tree is always written in the same order.
func (t *Tree) sorted() []*Category {
	list := make([]*Category, 0, len(t.nodes))
	for _, c := range t.nodes {
		list = append(list, c)
	}
	sortCategories(list)
	return list
}
