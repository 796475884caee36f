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

// arriving makes a category for which many others wait, each with one below it, below a category "top". Some of them are linked to it.
func (s *shop) arriving(external string) (top, made id.Category) {
	s.Helper()
	gone, below := s.branch(external), commerce.CategoryImport{}
	for i := range many {
		name := fmt.Sprintf("%s-%02d", external, i)
		below.Drafts = append(below.Drafts, catalog.CategoryDraft{Index: i, ExternalID: patch.To("below-" + name), Name: patch.To(name),
			ParentExternal: patch.To(name)})
	}
	s.must(func(tx *db.Tx) error {
		_, err := s.do.ImportCategories(tx, below)
		return err
	})
	top, err := s.addCategory("above-" + external)
	if err = errors.Join(err, s.dropCategory(gone), s.finish(-1)); err != nil {
		s.Fatal(err)
	}
	s.must(func(tx *db.Tx) error {
		c, err := s.do.CreateCategory(tx, catalog.CategoryDraft{ExternalID: patch.To(external), Name: patch.To(external),
			Parent: patch.To(top)})
		made = c.ID
		return err
	})
	for n := int64(1); s.below(made, external) == 0; n++ {
		if err := s.finish(n); !errors.Is(err, context.Canceled) {
			s.Fatal(err)
		}
	}
	return top, made
}

// While categories still wait for one that is there, it cannot come below what is below them, nor can what is above it. It is imported
// again, gets another externalId, and is deleted: in the end each of the others is where it would be without steps.
func TestCategoriesChangeWhileOthersArrive(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		move := func(category, parent id.Category) error {
			return s.write(func(tx *db.Tx) error {
				_, err := s.do.UpdateCategory(tx, category, commerce.Expected{}, catalog.CategoryDraft{Parent: patch.To(parent)})
				return err
			})
		}
		ends := func(parent id.Category, external string) {
			t.Helper()
			s.holds(0)
			if err := s.finish(-1); err != nil {
				t.Fatal(err)
			}
			s.holds(1)
			if now := s.below(parent, external); now != many {
				t.Errorf("%d are below %s", now, external)
			}
			if s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND subject IS NOT NULL") != 0 {
				t.Error("an operation is unfinished")
			}
		}
		top, made := s.arriving("hats")
		var low id.Category
		s.must(func(tx *db.Tx) error {
			return tx.Row(`SELECT max(l.id::TEXT) FROM categories l JOIN categories w ON w.tenant_id = $1 AND w.id = l.parent_id
				WHERE l.tenant_id = $1 AND w.parent_id IS NULL AND w.parent_external_id = 'hats'`, []any{tx.Tenant}, (*string)(&low))
		})
		for _, category := range []id.Category{made, top} {
			if err := move(category, low); !apperr.Is(err, apperr.Invalid) {
				t.Errorf("below what will be below it: %v", err)
			}
		}
		s.must(func(tx *db.Tx) error {
			_, err := s.do.ImportCategories(tx, commerce.CategoryImport{Drafts: []catalog.CategoryDraft{
				{ExternalID: patch.To("hats"), Name: patch.To("Hats")}}})
			return err
		})
		ends(made, "hats")

		_, made = s.arriving("shoes")
		if err := s.renameCategory(made, "boots"); err != nil {
			t.Fatal(err)
		}
		ends(made, "boots")

		_, made = s.arriving("gloves")
		if err := s.dropCategory(made); err != nil {
			t.Fatal(err)
		}
		ends("", "gloves")
	})
}
