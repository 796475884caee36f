package verify_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// Products, categories and publications that several callers create, link, rename, delete and create again hold, counts included.
func TestTheCatalogHoldsUnderRaces(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		var channel channels.Channel
		name := "ERP"
		s.must(func(tx *db.Tx) (err error) {
			channel, _, _, err = s.do.CreateChannel(tx, s.who, commerce.ChannelDraft{Name: &name, Platform: channels.Custom})
			return err
		})
		var group sync.WaitGroup
		for caller := range uint64(6) {
			dice := rand.New(rand.NewPCG(2, caller))
			group.Go(func() {
				for range 30 {
					if err := s.write(s.catalogChange(dice, channel)); err != nil {
						if _, ok := apperr.As(err); !ok {
							t.Error(err)
						}
					}
				}
			})
		}
		group.Wait()
		for name, examples := range s.wrong() {
			t.Errorf("%s: %v", name, examples)
		}
	})
}

// catalogChange is one operation by chance; it may be refused.
func (s *shop) catalogChange(dice *rand.Rand, channel channels.Channel) func(tx *db.Tx) error {
	some := func(names ...string) string { return names[dice.IntN(len(names))] }
	sku, name, other := some("SKU-0", "SKU-1", "NEW-1", "NEW-2"), some("shoes", "hats", "bags"), some("shoes", "hats", "bags", "coats")
	switch dice.IntN(8) {
	case 0, 1:
		return func(tx *db.Tx) error {
			draft := catalog.Draft{SKU: sku, Name: patch.To("Product"), Price: patch.To(money.Amount(1_0000)),
				Categories: patch.To([]string{name, other, "coats"})}
			plan, err := s.do.PlanImport(tx, s.who, commerce.Import{Drafts: []catalog.Draft{draft}})
			if err == nil {
				_, err = plan.Apply(tx, s.who)
			}
			return err
		}
	case 2:
		return s.onProduct(sku, func(tx *db.Tx, product id.Product) error {
			return s.do.DeleteProduct(tx, s.who, product, commerce.Expected{})
		})
	case 3:
		return s.onProduct(sku, func(tx *db.Tx, product id.Product) error { return s.do.UnpublishProduct(tx, channel, product) })
	case 4:
		return func(tx *db.Tx) error {
			_, err := s.do.PublishProducts(tx, channel.ID, nil, []string{"SKU-0", sku})
			return err
		}
	case 5:
		return func(tx *db.Tx) error {
			_, err := s.do.CreateCategory(tx, catalog.CategoryDraft{ExternalID: patch.To(name), Name: patch.To(name)})
			return err
		}
	case 6:
		return s.onCategory(name, func(tx *db.Tx, category id.Category) error {
			_, err := s.do.UpdateCategory(tx, category, commerce.Expected{}, catalog.CategoryDraft{ExternalID: patch.To(other)})
			return err
		})
	}
	return s.onCategory(name, func(tx *db.Tx, category id.Category) error {
		return s.do.DeleteCategory(tx, category, commerce.Expected{})
	})
}

func (s *shop) onProduct(sku string, do func(*db.Tx, id.Product) error) func(tx *db.Tx) error {
	return func(tx *db.Tx) error {
		named, err := catalog.Resolve(tx, []string{sku})
		if err != nil || named[sku].Product == "" {
			return err
		}
		return do(tx, named[sku].Product)
	}
}

func (s *shop) onCategory(external string, do func(*db.Tx, id.Category) error) func(tx *db.Tx) error {
	return func(tx *db.Tx) error {
		list, _, err := catalog.ListCategories(tx, catalog.CategoryFilter{ExternalID: external, Limit: 1})
		if err != nil || len(list) == 0 {
			return err
		}
		return do(tx, list[0].ID)
	}
}
