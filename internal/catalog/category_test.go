package catalog

import (
	"testing"

	"pgregory.net/rapid"

	"entrepot/internal/base/patch"
)

// grove returns a tree that holds a whole account's categories, as a store would between requests.
func grove() *Tree {
	return newTree()
}

// stored ends a request: what was settled is what the next one reads.
func (t *Tree) stored() {
	for _, r := range t.Settle() {
		c := r.After
		c.CreatedAt = 1
		t.nodes[c.ID] = &c
	}
	t.order = nil
	clear(t.before)
	clear(t.claimed)
}

// Whatever requests come, no category is above itself, and a parent that is named by its externalId is linked as soon as
// both are there.
func TestTreeProperties(t *testing.T) {
	name := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"})
	rapid.Check(t, func(t *rapid.T) {
		tree := grove()
		for range rapid.IntRange(1, 12).Draw(t, "requests") {
			for range rapid.IntRange(1, 4).Draw(t, "items") {
				d := CategoryDraft{ExternalID: patch.To(name.Draw(t, "externalId")), Name: patch.To("Category")}
				switch rapid.IntRange(0, 4).Draw(t, "parent") {
				case 0:
					d.ParentExternal = null[string]()
				case 1: // as it is
				default:
					d.ParentExternal = patch.To(name.Draw(t, "parentExternalId"))
				}
				target := tree.ByExternal(d.ExternalID.Value)
				if rapid.IntRange(0, 3).Draw(t, "renamed") == 0 {
					target = tree.ByExternal(name.Draw(t, "old externalId"))
				}
				tree.Diff(target, &d)
			}
			tree.stored()
			slugs := map[string]bool{}
			for _, c := range tree.nodes {
				if slugs[c.Slug] {
					t.Fatalf("slug %s twice", c.Slug)
				}
				slugs[c.Slug] = true
				if up := tree.external[c.ParentExternal]; c.ParentExternal != "" && up != c.Parent {
					t.Fatalf("%s names %s as its parent but is below %q", c.ExternalID, c.ParentExternal, c.Parent)
				}
				steps := 0
				for at := c; at.Parent != ""; at = tree.nodes[at.Parent] {
					if steps++; steps > len(tree.nodes) {
						t.Fatalf("%s is above itself", c.ExternalID)
					}
				}
			}
		}
	})
}

func TestDetach(t *testing.T) {
	list := Detach(Category{ID: "1", ExternalID: "root"}, []Category{{ID: "2", ExternalID: "leaf", Parent: "1", ParentExternal: "once"}})
	if len(list) != 1 || list[0].After.ExternalID != "leaf" || list[0].After.Parent != "" || list[0].After.ParentExternal != "root" {
		t.Errorf("detached: %+v", list)
	}
}
