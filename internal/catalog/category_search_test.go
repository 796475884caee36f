package catalog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/search"
)

// A search of categories finds what looking at every one of them finds: in their order, on every page, with the total, whether their
// texts are packed or not, and whether few or many are found.
func TestCategorySearches(t *testing.T) {
	few, step := fewFound, walkStep
	t.Cleanup(func() { fewFound, walkStep = few, step })
	fewFound, walkStep = 10, 7
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		var drafts []CategoryDraft
		for i := range 150 {
			name := fmt.Sprintf("%c%c ÉTÉ %d", 'A'+rand.IntN(3), 'A'+rand.IntN(3), rand.IntN(20))
			drafts = append(drafts, category(fmt.Sprintf("K-%03d", i), name))
		}
		commit(t, store, tenant, storingCategories(t, drafts...))
		if err := search.Blocks[search.Categories].FollowTenant(t.Context(), store, tenant); err != nil {
			t.Fatal(err)
		}
		commit(t, store, tenant, storingCategories(t, category("K-003", "Renamed"), category("K-200", "Ab New"), category("K-201", "ab été 3")),
			func(tx *db.Tx) error {
				list, _, err := ListCategories(tx, CategoryFilter{ExternalID: "K-004", Limit: 1})
				if err == nil {
					DeleteCategory(tx, list[0])
				}
				return err
			})
		err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			all, _, err := ListCategories(tx, CategoryFilter{Limit: 1000})
			if err != nil || len(all) != 151 {
				t.Fatalf("%d categories, %v", len(all), err)
			}
			for _, term := range []string{"a", "ab", "été", "ÉTÉ 1", "k-00", "renamed", "k-004", "new", "ba", "no such", "k-01\tk"} {
				var want []string
				for _, c := range all {
					if slices.ContainsFunc([]string{c.Name, c.Slug, c.ExternalID}, func(text string) bool {
						return strings.Contains(search.Fold(text), search.Fold(term))
					}) {
						want = append(want, c.ExternalID)
					}
				}
				for _, limit := range []int{1, 4, 200} {
					var got, keyset []string
					var after *CategoryPlace
					for page := 0; page*limit <= len(want); page++ {
						list, total, err := ListCategories(tx, CategoryFilter{Search: term, Limit: limit, Offset: page * limit})
						if err != nil || int(total) != len(want) {
							t.Fatalf("%q from %d: %d in all, want %d; %v", term, page*limit, total, len(want), err)
						}
						behind, total, err := ListCategories(tx, CategoryFilter{Search: term, Limit: limit, After: after})
						if err != nil || int(total) != len(want) {
							t.Fatalf("%q behind %v: %d in all, want %d; %v", term, after, total, len(want), err)
						}
						for _, c := range list {
							got = append(got, c.ExternalID)
						}
						for _, c := range behind {
							keyset, after = append(keyset, c.ExternalID), &CategoryPlace{c.Name, c.ID}
						}
					}
					if !slices.Equal(got, want) || !slices.Equal(keyset, want) {
						t.Errorf("%q by %d: %v and %v, want %v", term, limit, got, keyset, want)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
