package verify_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// many is how many products the categories of these tests have.
const many = 40

// assort makes products that name categories, by externalId.
func (s *shop) assort(categories ...string) {
	s.Helper()
	var in commerce.Import
	for i := range many {
		in.Drafts = append(in.Drafts, catalog.Draft{Index: i, SKU: fmt.Sprintf("ITEM-%02d", i), Name: patch.To("Item"),
			Price: patch.To(money.Amount(10_000)), Categories: patch.To(categories)})
	}
	s.must(func(tx *db.Tx) error {
		plan, err := s.do.PlanImport(tx, s.who, in)
		if err == nil {
			_, err = plan.Apply(tx, s.who)
		}
		return err
	})
}

func (s *shop) addCategory(external string) (category id.Category, err error) {
	return category, s.write(func(tx *db.Tx) error {
		c, err := s.do.CreateCategory(tx, catalog.CategoryDraft{ExternalID: patch.To(external), Name: patch.To(external)})
		category = c.ID
		return err
	})
}

func (s *shop) renameCategory(category id.Category, external string) error {
	return s.write(func(tx *db.Tx) error {
		_, err := s.do.UpdateCategory(tx, category, commerce.Expected{}, catalog.CategoryDraft{ExternalID: patch.To(external)})
		return err
	})
}

func (s *shop) dropCategory(category id.Category) error {
	return s.write(func(tx *db.Tx) error { return s.do.DeleteCategory(tx, category, commerce.Expected{}) })
}

// finish does the steps of all categories; it dies before the transaction with the number n, if that is not negative.
func (s *shop) finish(n int64) error {
	ctx := s.Context()
	if n >= 0 {
		ctx = dbtest.Dying(ctx, n)
	}
	return s.do.FinishCategories(ctx, s.store, s.who.Tenant)
}

// in counts the products in a category.
func (s *shop) in(category id.Category) int {
	s.Helper()
	return s.count("SELECT count(*) FROM product_categories WHERE tenant_id = $1 AND category_id = $2::UUID", category)
}

// relinked counts the events of products whose categories changed.
func (s *shop) relinked() int {
	s.Helper()
	return s.count("SELECT count(*) FROM events WHERE tenant_id = $1 AND event = 'product.updated'")
}

// fed follows the feed of products from a stamp on and returns how many it has, and where it ends.
func (s *shop) fed(since int64) (n int, until int64) {
	s.Helper()
	s.must(func(tx *db.Tx) (err error) {
		n, _, until, err = catalog.Changes(tx, since, 1000, true, func([]*catalog.Product) error { return nil })
		until++
		return err
	})
	return n, until
}

// Products are linked to a category that comes, and leave one that goes, in steps. These may die before any of their transactions: nothing
// is wrong then, any process goes on, each product has one event, and the feed has each at the end.
func TestCategoriesDieAtEveryStep(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		s.assort("hats")
		cut := 0
		ends := func(n int64, change func() error, category func() id.Category, want int) (whole bool) {
			_, since := s.fed(0)
			before := s.relinked()
			if err := change(); err != nil {
				t.Fatal(err)
			}
			s.holds(n)
			err := s.finish(n)
			s.holds(n)
			if err != nil {
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				if s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND subject IS NOT NULL") != 1 {
					t.Fatal("nobody would go on")
				}
				cut++
				if err := resume(t.Context(), store, s.do); err != nil {
					t.Fatal(err)
				}
				s.holds(n)
			}
			if now := s.in(category()); now != want {
				t.Fatalf("%d products are in the category", now)
			}
			if events := s.relinked() - before; events != many {
				t.Errorf("%d events of products", events)
			}
			if products, _ := s.fed(since); products != many {
				t.Errorf("%d products in the feed", products)
			}
			if s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND subject IS NOT NULL") != 0 {
				t.Error("an operation is unfinished")
			}
			return err == nil
		}
		for n := range int64(100) {
			var hats id.Category
			made := ends(n, func() (err error) { hats, err = s.addCategory("hats"); return err }, func() id.Category { return hats }, many)
			gone := ends(n, func() error { return s.dropCategory(hats) }, func() id.Category { return hats }, 0)
			if made && gone {
				break
			}
			if n == 99 {
				t.Fatal("it never ended")
			}
		}
		if cut < 8 {
			t.Errorf("it died %d times between two steps", cut)
		}
	})
}

// While products still leave a category, another one comes with its externalId, and is renamed while they are still linked to it, or goes.
func TestCategoriesChangeBetweenSteps(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		s.assort("hats", "coats")
		all := func(what string, category id.Category, want int) {
			t.Helper()
			if now := s.in(category); now != want {
				t.Errorf("%s: %d products", what, now)
			}
			s.holds(0)
		}
		dies := func() {
			t.Helper()
			for n := int64(1); ; n++ {
				before := s.relinked()
				if err := s.finish(n); !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				if s.relinked() > before {
					return
				}
			}
		}
		ends := func() {
			t.Helper()
			if err := s.finish(-1); err != nil {
				t.Fatal(err)
			}
			if s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND subject IS NOT NULL") != 0 {
				t.Error("an operation is unfinished")
			}
		}
		old, err := s.addCategory("hats")
		if err != nil {
			t.Fatal(err)
		}
		ends()
		if err := s.dropCategory(old); err != nil {
			t.Fatal(err)
		}
		dies()
		heir, err := s.addCategory("hats")
		if err != nil {
			t.Fatal(err)
		}
		ends()
		all("the old one", old, 0)
		all("its heir", heir, many)
		before := s.relinked()
		coats, err := s.addCategory("coats")
		if err != nil {
			t.Fatal(err)
		}
		dies()
		if err := s.renameCategory(coats, "cloaks"); err != nil {
			t.Fatal(err)
		}
		all("renamed before all were linked", coats, many)
		if events := s.relinked() - before; events != many {
			t.Errorf("%d of the products that were linked before and by the renaming have an event", events)
		}
		ends()
		if err := s.dropCategory(coats); err != nil {
			t.Fatal(err)
		}
		ends()
		if coats, err = s.addCategory("cloaks"); err != nil {
			t.Fatal(err)
		}
		dies()
		if err := s.dropCategory(coats); err != nil {
			t.Fatal(err)
		}
		ends()
		all("deleted before all were linked", coats, 0)
	})
}

// Several callers create, rename and delete categories with many products, by steps of several processes, while products change.
func TestCategoriesInStepsBesideOthers(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		s.assort("hats", "coats")
		var all sync.WaitGroup
		refused := func(err error) {
			if _, ok := apperr.As(err); err != nil && !ok {
				t.Error(err)
			}
		}
		for caller := range uint64(4) {
			dice := rand.New(rand.NewPCG(7, caller))
			all.Go(func() {
				for range 8 {
					name := []string{"hats", "coats", "shoes"}[dice.IntN(3)]
					category, err := s.addCategory(name)
					refused(err)
					if dice.IntN(2) == 0 {
						refused(s.finish(-1))
					}
					if err == nil && dice.IntN(3) == 0 {
						refused(s.renameCategory(category, "once "+name))
					}
					if err == nil && dice.IntN(3) > 0 {
						refused(s.dropCategory(category))
					}
					refused(s.finish(-1))
				}
			})
			all.Go(func() {
				for range 12 {
					sku := fmt.Sprintf("ITEM-%02d", dice.IntN(many))
					refused(s.write(func(tx *db.Tx) error {
						plan, err := s.do.PlanImport(tx, s.who, commerce.Import{Drafts: []catalog.Draft{{SKU: sku, Name: patch.To("Item"),
							Price: patch.To(money.Amount(10_000)), Categories: patch.To([]string{"coats", "hats", "shoes"}[:1+dice.IntN(3)])}}})
						if err == nil {
							_, err = plan.Apply(tx, s.who)
						}
						return err
					}))
				}
			})
		}
		all.Wait()
		if err := s.finish(-1); err != nil {
			t.Fatal(err)
		}
		s.holds(-1)
		for what, sql := range map[string]string{
			"operations are unfinished": "SELECT count(*) FROM jobs WHERE tenant_id = $1 AND subject IS NOT NULL",
			"links name a category that is gone": `SELECT count(*) FROM product_categories l WHERE l.tenant_id = $1 AND NOT EXISTS
				(SELECT 1 FROM categories c WHERE c.tenant_id = $1 AND c.id = l.category_id AND c.deleted_at IS NULL) AND l.category_id IS NOT NULL`,
			"links wait for a category that is here": `SELECT count(*) FROM product_categories l JOIN categories c
				ON c.tenant_id = $1 AND c.external_id = l.reference AND c.deleted_at IS NULL WHERE l.tenant_id = $1 AND l.category_id IS NULL`,
		} {
			if n := s.count(sql); n > 0 {
				t.Errorf("%d %s", n, what)
			}
		}
	})
}
