package catalog

import (
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// The change feed counts the tombstone of a deleted product from its stamp on.
func TestATombstoneIsCounted(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		cup := Draft{SKU: "CUP", Name: patch.To("Cup"), Price: patch.To(money.Amount(2))}
		commit(t, store, tenant, storing(t, mug("Mug", 1), cup), deleting("MUG"), func(tx *db.Tx) error {
			newest, err := Products.Newest(tx)
			if err != nil {
				return err
			}
			for since, want := range map[int64]int64{0: 1, newest: 1, newest + 1: 0} {
				if n, err := Products.Tombstones(tx, since); err != nil || n != want {
					t.Errorf("%d tombstones since the newest stamp %+d, want %d (%v)", n, since-newest, want, err)
				}
			}
			return nil
		})
	})
}

// Publishing again clears the platform's error and keeps its id. The outcome of a push does not change a publication
// that is being removed.
func TestPublicationsThatFailedOrEnd(t *testing.T) {
	channel := id.New[id.Channel]()
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		commit(t, store, tenant, storing(t, mug("Mug", 1)))
		step := func(do func(tx *db.Tx, all *Publications, p id.Product), want Publication) {
			t.Helper()
			commit(t, store, tenant, func(tx *db.Tx) error {
				p, err := readProduct(tx, "MUG")
				if err == nil {
					do(tx, publications(t, tx, channel, p.ID), p.ID)
				}
				return err
			}, func(tx *db.Tx) error {
				p, err := readProduct(tx, "MUG")
				if err != nil {
					return err
				}
				all, err := PublicationsOf(tx, []id.Product{p.ID})
				want.Channel = channel
				for i := range all[p.ID] {
					all[p.ID][i].PublishedAt = 0
				}
				if list := all[p.ID]; err == nil && (len(list) != 1 || list[0] != want) {
					t.Errorf("publications %+v, want %+v", list, want)
				}
				return err
			})
		}
		publish := func(tx *db.Tx, all *Publications, p id.Product) {
			all.Publish(tx, PublicationPending, []id.Product{p, p})
		}
		step(publish, Publication{Status: PublicationPending})
		step(func(tx *db.Tx, all *Publications, p id.Product) {
			all.Settle(tx, p, PublicationPublished, "X0", "", "")
			all.Settle(tx, p, PublicationFailed, "X1", "", "MUG has no image")
		},
			Publication{Status: PublicationFailed, ExternalID: "X1", Error: "MUG has no image"})
		step(publish, Publication{Status: PublicationPending, ExternalID: "X1"})
		removing := Publication{Status: PublicationRemoving, ExternalID: "X1"}
		step(func(tx *db.Tx, all *Publications, p id.Product) {
			if err := all.Remove(tx, p); err != nil {
				t.Error(err)
			}
		}, removing)
		step(func(tx *db.Tx, all *Publications, p id.Product) { all.Fail(tx, p, "too late") }, removing)
		commit(t, store, tenant, func(tx *db.Tx) error {
			counts, err := CountPublications(tx)
			if got, want := counts[channel], (PublicationCounts{Removing: 1}); got != want {
				t.Errorf("counted %+v, want %+v", got, want)
			}
			return err
		})
	})
}

// An externalId is taken once in a request. A category that was stored before its parent is linked to it when the
// parent is created.
func TestCategoriesOfOneRequestAndOfTwo(t *testing.T) {
	tree := grove()
	first, second := category("A", "A"), category("A", "Another")
	made, problems := tree.Diff("", &first)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if _, problems = tree.Diff(made, &second); len(problems) != 1 || problems[0].Code != "duplicate_sku" {
		t.Errorf("the second category with an externalId: %v", problems)
	}
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		child := category("DOWN", "Down")
		child.ParentExternal = patch.To("UP")
		commit(t, store, tenant, storingCategories(t, child), storingCategories(t, category("UP", "Up")), func(tx *db.Tx) error {
			up, _, err := ListCategories(tx, CategoryFilter{ExternalID: "UP", Limit: 1})
			if err != nil {
				return err
			}
			below, _, err := ListCategories(tx, CategoryFilter{Parent: up[0].ID, Limit: 2})
			if err == nil && (len(below) != 1 || below[0].ExternalID != "DOWN") {
				t.Errorf("below the parent: %+v", below)
			}
			return err
		})
	})
}
