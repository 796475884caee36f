package catalog

import (
	"slices"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// Another product's own SKU is not taken for a variant, be it of a new product or of one that is there.
func TestAVariantTakesNoProductsSKU(t *testing.T) {
	k := nothing()
	k.must(t, Draft{SKU: "P", Name: patch.To("P"), Price: patch.To(money.Amount(1))}, false)
	k.must(t, Draft{SKU: "Q", Name: patch.To("Q"), Price: patch.To(money.Amount(1))}, false)
	for _, sku := range []string{"Q", "NEW"} {
		d := Draft{SKU: sku, Name: patch.To("x"), Price: patch.To(money.Amount(1)), Variants: []VariantDraft{{SKU: "P"}}}
		if _, problems := k.Diff(&d, false); len(problems) != 1 || problems[0].Code != "sku_taken" {
			t.Errorf("%s: %v", sku, problems)
		}
	}
	k = nothing() // its own SKU is not a variant's either
	k.owners["P"] = owner{product: "p"}
	k.products["p"] = &Product{ID: "p", SKU: "P", Media: "[]", Attributes: "{}"}
	k.owners["V"] = owner{product: "p"}
	d := Draft{SKU: "P", Variants: []VariantDraft{{SKU: "V"}}}
	if _, problems := k.Diff(&d, false); len(problems) != 1 || problems[0].Code != "sku_taken" {
		t.Errorf("a SKU that is no variant's: %v", problems)
	}
}

// Each image has an id of its own, even if two have the same address; a variant that is added comes after the others.
func TestPartsHaveTheirOwnIdsAndPlaces(t *testing.T) {
	k := nothing()
	d := Draft{SKU: "P", Name: patch.To("P"), Price: patch.To(money.Amount(1)), Variants: []VariantDraft{{SKU: "A"}},
		Images: patch.To([]ImageDraft{{"https://a", 1}, {"https://b", 2}})}
	k.must(t, d, false)
	d.Images = patch.To([]ImageDraft{{"https://a", 1}, {"https://a", 2}})
	d.Variants = append(d.Variants, VariantDraft{SKU: "B"})
	changed := k.must(t, d, false).After
	if list := changed.Images(); len(list) != 2 || list[0].ID == list[1].ID {
		t.Errorf("images: %+v", list)
	}
	if list := changed.Variants; len(list) != 2 || list[0].Position == list[1].Position {
		t.Errorf("variants: %+v", list)
	}
	d = Draft{SKU: "P", Categories: patch.To([]string{"here"})} // what waits and what is here are not the same
	waiting, here := Link{Reference: "c1"}, Link{Reference: "c1", Category: "c1"}
	if waiting.same(here) || here.same(waiting) || !waiting.same(waiting) || !here.same(Link{Reference: "other", Category: "c1"}) {
		t.Error("links are confused")
	}
}

// An externalId that a category no longer has is free; a category with the same values as before is not a change; a
// cycle of parents is refused before it is stored.
func TestTreesThatMove(t *testing.T) {
	tree := grove()
	draft := func(target id.Category, d CategoryDraft) (id.Category, []ItemError) { return tree.Diff(target, &d) }
	a, _ := draft("", category("A", "A"))
	tree.stored()
	if _, problems := draft(a, CategoryDraft{ExternalID: patch.To("Z")}); len(problems) > 0 {
		t.Fatal(problems)
	}
	if _, problems := draft("", category("A", "New")); len(problems) > 0 {
		t.Errorf("an externalId that was given up: %v", problems)
	}
	tree.stored()

	draft(a, CategoryDraft{Name: patch.To("B")})
	draft(a, CategoryDraft{Name: patch.To("A")})
	if changes := tree.Settle(); len(changes) != 0 {
		t.Errorf("renamed to and fro: %+v", changes)
	}

	tree = grove()
	draft("", CategoryDraft{ExternalID: patch.To("UP"), Name: patch.To("Up"), ParentExternal: patch.To("DOWN")}) // waits
	_, problems := draft("", CategoryDraft{ExternalID: patch.To("DOWN"), Name: patch.To("Down"), ParentExternal: patch.To("UP")})
	if len(problems) != 1 || problems[0].Code != "cycle" {
		t.Errorf("a ring through what waits: %v", problems)
	}
}

// The accents of Latin letters go, the marks of other scripts stay; what is made here is at most 120 bytes long.
func TestSlugsOfOtherScripts(t *testing.T) {
	for text, want := range map[string]string{"Crème": "creme", "가방": "가방", "हिन्दी": "हिन्दी"} {
		if got := Slug(text); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
	long := make([]rune, 300)
	for i := range long {
		long[i] = 'é'
	}
	if got := Slug(string(long)); len(got) < 100 || len(got) > 120 {
		t.Errorf("%d bytes", len(got))
	}
	for i := range long {
		long[i] = 'x'
	}
	if got := Slug(string(long)); len(got) != 119 {
		t.Errorf("%d bytes of ASCII", len(got))
	}
}

// A variant's line is named after the product and the variant, or after the variant alone if its name begins with the product's.
func TestNamesOfSellables(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		d := mug("Mug", 1)
		d.Variants, d.VariantsSet = []VariantDraft{{SKU: "S", Name: patch.To("Small")}, {SKU: "M", Name: patch.To("Mug")},
			{SKU: "L", Name: patch.To("Mug, large")}}, true
		commit(t, store, tenant, storing(t, d))
		commit(t, store, tenant, func(tx *db.Tx) error {
			named, err := Resolve(tx, []string{"MUG", "S", "M", "L"})
			if named["MUG"].Name != "Mug" || named["S"].Name != "Mug - Small" || named["M"].Name != "Mug" || named["L"].Name != "Mug, large" {
				t.Errorf("%+v", named)
			}
			return err
		})
	})
}

// Links that are here stay where they are when another category comes under the name that they were given by; the feeds count from a
// stamp on and up to, without, another.
func TestArrivalsAndCounts(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		cup := mug("Cup", 1)
		cup.SKU = "CUP"
		commit(t, store, tenant, storingCategories(t, category("CUPS", "Cups")), storing(t, linked("CUPS")), storing(t, cup))
		var p *Product
		commit(t, store, tenant, func(tx *db.Tx) (err error) { p, err = readProduct(tx, "MUG"); return err })
		first := p.Links[0].Category
		commit(t, store, tenant, func(tx *db.Tx) error {
			Arrive(tx, []Category{{ID: id.New[id.Category](), ExternalID: "CUPS"}}, nil)
			return nil
		})
		commit(t, store, tenant, func(tx *db.Tx) (err error) { p, err = readProduct(tx, "MUG"); return err })
		if p.Links[0].Category != first {
			t.Errorf("the link moved to %s", p.Links[0].Category)
		}
		dbtest.RunsAgain(t, store, tenant, func(tx *db.Tx) error { touch(tx, []Touched{{ID: p.ID, was: p.ChangedAt}}); return nil },
			pricing(priced("MUG", 7)))
		commit(t, store, tenant, func(tx *db.Tx) error {
			list, err := changes(tx, 10, false)
			if err != nil || len(list) != 2 {
				t.Fatalf("%d products, %v", len(list), err)
			}
			for _, c := range [][3]int64{{0, 1 << 62, 2}, {list[0].ChangedAt, list[1].ChangedAt, 1}, {list[1].ChangedAt + 1, 1 << 62, 0}} {
				if n, err := Products.Count(tx, c[0], c[1]); err != nil || n != c[2] {
					t.Errorf("from %d to %d: %d, %v", c[0], c[1], n, err)
				}
			}
			return nil
		})
	})
}

// Of a product of which several prices change, each field is named once: its own first.
func TestFieldsOfPrices(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		d := mug("Mug", 1)
		d.Variants, d.VariantsSet = []VariantDraft{{SKU: "S", Price: patch.To(money.Amount(2))},
			{SKU: "M", Price: patch.To(money.Amount(2))}}, true
		commit(t, store, tenant, storing(t, d))
		commit(t, store, tenant, func(tx *db.Tx) error {
			list, err := ReadPrices(tx, []PriceDraft{priced("S", 5), priced("M", 6), priced("MUG", 7)})
			if err != nil {
				return err
			}
			changes := list.Diff()
			if len(changes.Products) != 1 || !slices.Equal(changes.Products[0].Fields, []string{"price", "variants"}) {
				t.Errorf("%+v", changes.Products)
			}
			return nil
		})
	})
}

// A category that was changed since it was read is not deleted.
func TestDeleteCategoryAsItWasRead(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		commit(t, store, tenant, storingCategories(t, category("CUPS", "Cups")))
		var read Category
		commit(t, store, tenant, func(tx *db.Tx) error {
			list, _, err := ListCategories(tx, CategoryFilter{ExternalID: "CUPS", Limit: 1})
			read = list[0]
			return err
		})
		dbtest.RunsAgain(t, store, tenant, func(tx *db.Tx) error { DeleteCategory(tx, read); return nil },
			storingCategories(t, category("CUPS", "Mugs")))
	})
}

// changes returns the first page of the feed.
func changes(tx *db.Tx, limit int, deleted bool) (list []Product, err error) {
	_, _, _, err = Changes(tx, 0, limit, deleted, func(shown []*Product) error {
		for _, p := range shown {
			list = append(list, *p)
		}
		return nil
	})
	return list, err
}
