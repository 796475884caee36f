package verify_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// branch makes a category with many others below it.
func (s *shop) branch(external string) (category id.Category) {
	s.Helper()
	category, err := s.addCategory(external)
	if err != nil {
		s.Fatal(err)
	}
	in := commerce.CategoryImport{}
	for i := range many {
		name := fmt.Sprintf("%s-%02d", external, i)
		in.Drafts = append(in.Drafts, catalog.CategoryDraft{Index: i, ExternalID: patch.To(name), Name: patch.To(name),
			ParentExternal: patch.To(external)})
	}
	s.must(func(tx *db.Tx) error {
		out, err := s.do.ImportCategories(tx, in)
		if err == nil && out.Created != many {
			err = fmt.Errorf("%+v", out)
		}
		return err
	})
	return category
}

// below counts the categories below one, or at the root if that is "", that have an externalId of their parent.
func (s *shop) below(parent id.Category, external string) int {
	s.Helper()
	return s.count(`SELECT count(*) FROM categories WHERE tenant_id = $1 AND deleted_at IS NULL AND coalesce(parent_id::TEXT, '') = $2
		AND parent_external_id = $3`, string(parent), external)
}

func (s *shop) recategorised() int {
	s.Helper()
	return s.count("SELECT count(*) FROM events WHERE tenant_id = $1 AND event = 'category.updated'")
}

// What is below a category leaves it in steps when it is deleted, gets its other externalId in steps, and comes below one that is made in
// steps. These may die before any of their transactions: nothing is wrong then, any process goes on, and each child has one event.
func TestChildrenOfACategoryInSteps(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		changes := map[string]func(n int64, category id.Category) (parent id.Category, external string, own int){
			"renamed": func(n int64, category id.Category) (id.Category, string, int) {
				external := fmt.Sprintf("other-%d", n)
				if err := s.renameCategory(category, external); err != nil {
					t.Fatal(err)
				}
				return category, external, 1
			},
			"deleted": func(n int64, category id.Category) (id.Category, string, int) {
				if err := s.dropCategory(category); err != nil {
					t.Fatal(err)
				}
				return "", fmt.Sprintf("deleted-%d", n), 0
			},
			"made": func(n int64, category id.Category) (id.Category, string, int) {
				if err := s.dropCategory(category); err != nil {
					t.Fatal(err)
				}
				if err := s.finish(-1); err != nil {
					t.Fatal(err)
				}
				external := fmt.Sprintf("made-%d", n)
				made, err := s.addCategory(external)
				if err != nil {
					t.Fatal(err)
				}
				return made, external, many
			},
		}
		for name, change := range changes {
			dbtest.DiesAtEveryStep(t, 3, func(ctx context.Context, n int64) error {
				category := s.branch(fmt.Sprintf("%s-%d", name, n))
				before := s.recategorised()
				parent, external, own := change(n, category)
				if now := s.below(parent, external); now != 0 {
					t.Fatalf("%s: %d children are done in the first transaction", name, now)
				}
				s.holds(n)
				err := s.do.FinishCategories(ctx, store, s.who.Tenant)
				s.holds(n)
				if err != nil {
					if s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND subject IS NOT NULL") != 1 {
						t.Fatalf("%s: nobody would go on", name)
					}
					if err := resume(t.Context(), store, s.do); err != nil {
						t.Fatal(err)
					}
					s.holds(n)
				}
				if now, events := s.below(parent, external), s.recategorised()-before; now != many || events != many+own {
					t.Errorf("%s: %d children are done, with %d events", name, now, events)
				}
				if s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND subject IS NOT NULL") != 0 {
					t.Errorf("%s: an operation is unfinished", name)
				}
				return err
			})
		}
	})
}

// While children still leave a deleted category, another one comes with its externalId: it has them all, and cannot be put below one of
// them. While children still get a parent's other externalId, it gets a third one, has another child, and is deleted.
func TestCategoriesWithChildrenChangeBetweenSteps(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		dies := func() {
			t.Helper()
			before := s.recategorised()
			for n := int64(1); s.recategorised() == before; n++ {
				if err := s.finish(n); !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
			}
		}
		ends := func() {
			t.Helper()
			if err := s.finish(-1); err != nil {
				t.Fatal(err)
			}
			s.holds(0)
			if s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND subject IS NOT NULL") != 0 {
				t.Error("an operation is unfinished")
			}
		}
		create := func(d catalog.CategoryDraft) (made id.Category, err error) {
			return made, s.write(func(tx *db.Tx) error {
				c, err := s.do.CreateCategory(tx, d)
				made = c.ID
				return err
			})
		}
		hats := s.branch("hats")
		var last id.Category
		s.must(func(tx *db.Tx) (err error) {
			const sql = "SELECT max(id::TEXT) FROM categories WHERE tenant_id = $1 AND parent_id = $2::UUID"
			return tx.Row(sql, []any{tx.Tenant, hats}, (*string)(&last))
		})
		if err := s.dropCategory(hats); err != nil {
			t.Fatal(err)
		}
		dies()
		for _, child := range []id.Category{last} {
			_, err := create(catalog.CategoryDraft{ExternalID: patch.To("hats"), Name: patch.To("Hats"), Parent: patch.To(child)})
			if !apperr.Is(err, apperr.Invalid) {
				t.Fatalf("a category below one that waits for it: %v", err)
			}
		}
		heir, err := create(catalog.CategoryDraft{ExternalID: patch.To("hats"), Name: patch.To("Hats")})
		if err != nil {
			t.Fatal(err)
		}
		s.holds(0)
		ends()
		if now := s.below(heir, "hats"); now != many {
			t.Errorf("the heir has %d children", now)
		}
		if err := s.renameCategory(heir, "caps"); err != nil {
			t.Fatal(err)
		}
		dies()
		if err := s.renameCategory(heir, "bonnets"); err != nil {
			t.Fatal(err)
		}
		if _, err := create(catalog.CategoryDraft{ExternalID: patch.To("new"), Name: patch.To("New"), Parent: patch.To(heir)}); err != nil {
			t.Fatal(err)
		}
		dies()
		if err := s.dropCategory(heir); err != nil {
			t.Fatal(err)
		}
		ends()
		if now := s.below("", "bonnets"); now != many+1 {
			t.Errorf("%d children wait for the deleted one", now)
		}
	})
}
