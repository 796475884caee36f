package catalog

import (
	"fmt"
	"slices"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

type write = func(tx *db.Tx) error

// storing takes drafts over as a bulk import does.
func storing(t *testing.T, drafts ...Draft) write {
	return func(tx *db.Tx) error {
		known, err := ReadFor(tx, drafts, media)
		if err != nil {
			return err
		}
		var changes []Change
		for i := range drafts {
			c, faults := known.Diff(&drafts[i], true)
			if len(faults) > 0 {
				t.Errorf("%s: %v", drafts[i].SKU, faults)
			}
			changes = append(changes, c)
		}
		Save(tx, changes)
		return nil
	}
}

// storingCategories does so with categories.
func storingCategories(t *testing.T, drafts ...CategoryDraft) write {
	return func(tx *db.Tx) error {
		tree, err := ReadTree(tx, nil, drafts, 9)
		if err != nil {
			return err
		}
		var arrived []string
		for i := range drafts {
			if _, faults := tree.Diff(tree.ByExternal(drafts[i].ExternalID.Value), &drafts[i]); len(faults) > 0 {
				t.Errorf("%s: %v", drafts[i].ExternalID.Value, faults)
			}
			arrived = append(arrived, drafts[i].ExternalID.Value)
		}
		changes := tree.Settle()
		SaveCategories(tx, changes)
		waiting, _, err := Waiting(tx, arrived, 100)
		var here []Category
		for _, c := range changes {
			here = append(here, c.After)
		}
		Arrive(tx, here, waiting)
		return err
	}
}

func pricing(drafts ...PriceDraft) write {
	return func(tx *db.Tx) error {
		list, err := ReadPrices(tx, drafts)
		if err == nil {
			list.Diff().Save(tx)
		}
		return err
	}
}

func commit(t *testing.T, store *db.DB, tenant id.Tenant, list ...write) {
	t.Helper()
	for _, run := range list {
		if err := store.Write(t.Context(), tenant, run); err != nil {
			t.Fatal(err)
		}
	}
}

func publications(t *testing.T, tx *db.Tx, channel id.Channel, products ...id.Product) *Publications {
	all, err := ReadPublications(tx, channel, products...)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func publish(tx *db.Tx, channel id.Channel, status PublicationStatus, product id.Product) error {
	all, err := ReadPublications(tx, channel, product)
	if err == nil {
		all.Publish(tx, status, []id.Product{product})
	}
	return err
}

func mug(name string, price int64) Draft {
	return Draft{SKU: "MUG", Name: patch.To(name), Price: patch.To(money.Amount(price))}
}

func priced(sku string, price int64) PriceDraft {
	return PriceDraft{SKU: sku, Price: money.Amount(price)}
}

func readProduct(tx *db.Tx, sku string) (*Product, error) {
	named, err := Resolve(tx, []string{sku})
	if err != nil {
		return nil, err
	}
	return ByID(tx, named[sku].Product)
}

func deleting(sku string) write {
	return func(tx *db.Tx) error {
		p, err := readProduct(tx, sku)
		if err != nil {
			return err
		}
		Delete(tx, p)
		return Unpublish(tx, p.ID)
	}
}

func linked(category string) Draft {
	d := mug("Mug", 1)
	d.Categories = patch.To([]string{category})
	return d
}

func category(external, name string) CategoryDraft {
	return CategoryDraft{ExternalID: patch.To(external), Name: patch.To(name)}
}

func deletingCategory(external string) write {
	return func(tx *db.Tx) error {
		list, _, err := ListCategories(tx, CategoryFilter{ExternalID: external, Limit: 1})
		if err != nil || len(list) == 0 {
			return err
		}
		products, _, err := Linked(tx, list[0].ID, 100)
		DeleteCategory(tx, list[0])
		Leave(tx, list[0], products)
		return err
	}
}

// A write of a product or category that another transaction has written since it was read runs again.
func TestWritersOfTheCatalogNoticeEachOther(t *testing.T) {
	channel := id.New[id.Channel]()
	publishing := func(tx *db.Tx) error {
		p, err := readProduct(tx, "MUG")
		if err == nil {
			err = publish(tx, channel, PublicationPublished, p.ID)
		}
		return err
	}
	small := mug("Mug", 1)
	small.Variants, small.VariantsSet = []VariantDraft{{SKU: "MUG-S", Name: patch.To("Small")}}, true
	cup := Draft{SKU: "CUP", Name: patch.To("Mug"), Price: patch.To(money.Amount(1))}
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		mugs := []write{storing(t, mug("Mug", 1))}
		cups := func(name string) write { return storingCategories(t, category("CUPS", name)) }
		other := Draft{SKU: "MUG-S", Name: patch.To("x"), Price: patch.To(money.Amount(1))}
		for name, c := range map[string]struct {
			given          []write
			run, meanwhile write
		}{
			"names":                        {mugs, storing(t, mug("Cup", 1)), storing(t, mug("Jug", 1))},
			"name and price":               {mugs, storing(t, mug("Cup", 1)), pricing(priced("MUG", 2))},
			"prices":                       {mugs, pricing(priced("MUG", 3)), pricing(priced("MUG", 2))},
			"price by import":              {mugs, storing(t, mug("Mug", 3)), pricing(priced("MUG", 2))},
			"price of a product that goes": {mugs, pricing(priced("MUG", 3)), deleting("MUG")},
			"delete and price":             {mugs, deleting("MUG"), pricing(priced("MUG", 2))},
			"delete twice":                 {mugs, deleting("MUG"), deleting("MUG")},
			"one SKU twice":                {nil, storing(t, mug("Mug", 1)), storing(t, mug("Jug", 1))},
			"one slug twice":               {nil, storing(t, mug("Mug", 1)), storing(t, cup)},
			"a variant's SKU twice":        {mugs, storing(t, small), storing(t, other)},
			"publish what goes":            {mugs, publishing, deleting("MUG")},
			"link to what goes":            {[]write{cups("Cups")}, storing(t, linked("CUPS")), deletingCategory("CUPS")},
			"link to what comes":           {nil, storing(t, linked("CUPS")), cups("Cups")},
			"categories":                   {[]write{cups("Cups")}, cups("A"), cups("B")},
			"category that goes":           {[]write{cups("Cups")}, cups("A"), deletingCategory("CUPS")},
			"delete a category twice":      {[]write{cups("Cups")}, deletingCategory("CUPS"), deletingCategory("CUPS")},
			"delete a changed category":    {[]write{cups("Cups")}, deletingCategory("CUPS"), cups("A")},
			"one externalId twice":         {nil, cups("A"), cups("B")},
			"arrival beside a change":      {[]write{storing(t, linked("CUPS"))}, cups("Cups"), pricing(priced("MUG", 7))},
			"leaving beside a change":      {[]write{cups("Cups"), storing(t, linked("CUPS"))}, deletingCategory("CUPS"), pricing(priced("MUG", 7))},
		} {
			t.Run(name, func(t *testing.T) {
				tenant := dbtest.Account(t, store)
				commit(t, store, tenant, c.given...)
				dbtest.RunsAgain(t, store, tenant, c.run, c.meanwhile)
			})
		}
		tenant := dbtest.Account(t, store)
		a := Attribute{ID: id.New[id.Attribute](), Code: "size", Label: "Size", Type: Select, Options: []string{"S"}}
		insert, save, remove := func(tx *db.Tx) error { a.Insert(tx); return nil }, func(tx *db.Tx) error { a.Save(tx); return nil },
			func(tx *db.Tx) error { a.Delete(tx); return nil }
		commit(t, store, tenant, insert)
		if err := dbtest.Fails(t, store, tenant, save, remove); !apperr.Is(err, apperr.NotFound) {
			t.Errorf("save of an attribute that goes: %v", err)
		}
		commit(t, store, tenant, insert)
		if err := dbtest.Fails(t, store, tenant, remove, remove); !apperr.Is(err, apperr.NotFound) {
			t.Errorf("an attribute removed twice: %v", err)
		}
		commit(t, store, tenant, insert, func(tx *db.Tx) error {
			Attribute{ID: id.New[id.Attribute](), Code: "colour", Type: "text"}.Insert(tx)
			return nil
		})
		taken := a
		taken.Code = "colour"
		if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error { taken.Save(tx); return nil }); !apperr.Is(err, apperr.Conflict) {
			t.Errorf("a code that is taken: %v", err)
		}
		taken.ID = id.New[id.Attribute]()
		if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error { taken.Insert(tx); return nil }); !apperr.Is(err, apperr.Conflict) {
			t.Errorf("a new attribute's code that is taken: %v", err)
		}
		if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
			return publications(t, tx, channel).Delete(tx, id.New[id.Product]())
		}); !apperr.Is(err, apperr.NotFound) {
			t.Errorf("a publication that is not there: %v", err)
		}
	})
}

// Nothing that an account does with another one's ids, SKUs and externalIds finds or changes anything there.
func TestTheCatalogStaysInItsAccount(t *testing.T) {
	channel := id.New[id.Channel]()
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		home, other := dbtest.Account(t, store), dbtest.Account(t, store)
		full := linked("CUPS")
		full.Variants, full.VariantsSet = []VariantDraft{{SKU: "MUG-S", Price: patch.To(money.Amount(2))}}, true
		waiting := Draft{SKU: "JUG", Name: patch.To("Jug"), Price: patch.To(money.Amount(3)), Categories: patch.To([]string{"LATER"})}
		gone := Draft{SKU: "GONE", Name: patch.To("Gone"), Price: patch.To(money.Amount(3))}
		child := category("CHILD", "Child")
		child.ParentExternal = patch.To("CUPS")
		orphan := category("ORPHAN", "Orphan")
		orphan.ParentExternal = patch.To("LATER")
		a := Attribute{ID: id.New[id.Attribute](), Code: "size", Label: "Size", Type: "text"}
		commit(t, store, home, storingCategories(t, category("CUPS", "Cups"), child, orphan), storing(t, full, waiting, gone), deleting("GONE"),
			func(tx *db.Tx) error { a.Insert(tx); return nil })
		var p *Product
		var cups Category
		commit(t, store, home, func(tx *db.Tx) (err error) {
			if p, err = readProduct(tx, "MUG"); err != nil {
				return err
			}
			list, _, err := ListCategories(tx, CategoryFilter{ExternalID: "CUPS", Limit: 1})
			cups = list[0]
			if err != nil {
				return err
			}
			return publish(tx, channel, PublicationFailed, p.ID)
		})
		tables := []string{"products", "variants", "skus", "product_categories", "categories", "attributes", "publications"}
		before := dbtest.RowsOf(t, store, home, tables...)
		err := store.Read(t.Context(), other, func(tx *db.Tx) error {
			empty := func(what string, n int, err error) {
				t.Helper()
				if n != 0 || err != nil {
					t.Errorf("%s: %d of another account, %v", what, n, err)
				}
			}
			list, err := ByIDs(tx, []id.Product{p.ID})
			empty("products by id", len(list), err)
			for _, sort := range Sorts {
				for _, f := range []Filter{{}, {Statuses: []Status{Active, DraftStatus}}, {Search: "mug"}, {SKU: "MUG"}, {IDs: []id.Product{p.ID}},
					{Channel: channel}, {Category: cups.ID}, {Category: cups.ID, Channel: channel, Search: "mug", Statuses: []Status{Active}}} {
					f.Sort, f.Limit = sort, 9
					ids, n, err := Page(tx, f)
					empty(fmt.Sprintf("products of %+v", f), len(ids)+int(n), err)
				}
			}
			skus, err := Resolve(tx, []string{"MUG", "MUG-S"})
			empty("SKUs", len(skus), err)
			found, _, err := Existing(tx, []id.Product{p.ID}, []string{"MUG"})
			empty("existing", len(found), err)
			known, err := ReadFor(tx, []Draft{full}, media)
			empty("known", len(known.owners)+len(known.references)+len(known.slugs), err)
			prices, err := ReadPrices(tx, []PriceDraft{priced("MUG", 1), priced("MUG-S", 1)})
			empty("prices", len(prices.products), err)
			c := newCollector(productTable, 1)
			strange := *p
			strange.Variants, strange.Links = nil, nil
			c.part(&strange, &productRow{variants: 1, links: 1})
			c.byID[p.ID] = &strange
			c.withVariant, c.withLink = []id.Product{p.ID}, []id.Product{p.ID}
			err = c.fetch(tx)
			empty("parts", len(strange.Variants)+len(strange.Links), err)
			feed, err := changes(tx, 9, true)
			empty("feed", len(feed), err)
			tree, err := ReadTree(tx, []id.Category{cups.ID}, []CategoryDraft{category("CUPS", "Cups"), category("LATER", "L")}, 9)
			empty("tree", len(tree.nodes)+len(tree.slugs), err)
			touched, _, err := Waiting(tx, []string{"LATER"}, 9)
			empty("waiting", len(touched), err)
			touched, _, err = Linked(tx, cups.ID, 9)
			empty("linked", len(touched), err)
			categories, total, err := ListCategories(tx, CategoryFilter{Limit: 9})
			empty("categories", len(categories)+int(total), err)
			categories, _, err = CategoryChanges(tx, 0, 9, true)
			empty("category feed", len(categories), err)
			_, err = CategoryByID(tx, cups.ID)
			if !apperr.Is(err, apperr.NotFound) {
				t.Errorf("category: %v", err)
			}
			published, err := PublicationsOf(tx, []id.Product{p.ID})
			empty("publications", len(published), err)
			there, total, err := OnChannel(tx, channel, 9, 0)
			empty("on a channel", len(there)+int(total), err)
			if _, err := AttributeByID(tx, a.ID); !apperr.Is(err, apperr.NotFound) {
				t.Errorf("attribute: %v", err)
			}
			attributes, total, err := ListAttributes(tx, 9, 0)
			empty("attributes", len(attributes)+int(total), err)
			for _, f := range []Feed{Products, Categories} {
				newest, err := f.Newest(tx)
				empty("newest of "+string(f), int(newest), err)
				n, err := f.Count(tx, 0, 1<<62)
				empty("count of "+string(f), int(n), err)
				n, err = f.Tombstones(tx, 0)
				empty("tombstones of "+string(f), int(n), err)
				n, err = f.All(tx)
				empty("all of "+string(f), int(n), err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		strange := []Touched{{ID: p.ID, was: p.ChangedAt}}
		for name, run := range map[string]write{
			"save": func(tx *db.Tx) error {
				changed := *p
				changed.Name = "changed"
				Save(tx, []Change{{Before: p, After: changed, Fields: []string{"name"}, Written: p.Variants, Removed: p.Variants, links: true}})
				return nil
			},
			"price": func(tx *db.Tx) error {
				changed := *p
				changed.Price = 77
				Save(tx, []Change{{Before: p, After: changed, Fields: []string{"price"}}})
				return nil
			},
			"delete":          func(tx *db.Tx) error { Delete(tx, p); return nil },
			"unpublish":       func(tx *db.Tx) error { return Unpublish(tx, p.ID) },
			"publish":         func(tx *db.Tx) error { return publish(tx, channel, PublicationPublished, p.ID) },
			"off channel":     func(tx *db.Tx) error { return publications(t, tx, channel, p.ID).Delete(tx, p.ID) },
			"all off channel": func(tx *db.Tx) error { UnpublishAll(tx, channel); return nil },
			"touch":           func(tx *db.Tx) error { touch(tx, strange); return nil },
			"arrive": func(tx *db.Tx) error {
				Arrive(tx, []Category{{ID: cups.ID, ExternalID: "LATER"}}, nil)
				return nil
			},
			"leave": func(tx *db.Tx) error { Leave(tx, cups, nil); return nil },
			"category": func(tx *db.Tx) error {
				changed := cups
				changed.Name = "changed"
				SaveCategories(tx, []CategoryChange{{&cups, changed}})
				return nil
			},
			"delete a category":  func(tx *db.Tx) error { DeleteCategory(tx, cups); return nil },
			"attribute":          func(tx *db.Tx) error { changed := a; changed.Label = "x"; changed.Save(tx); return nil },
			"delete a attribute": func(tx *db.Tx) error { a.Delete(tx); return nil },
			"drop SKUs":          func(tx *db.Tx) error { dropSKUs(tx, []skuRow{{sku: "MUG"}}); return nil },
			"drop variants": func(tx *db.Tx) error {
				dropVariants(tx, []skuRow{{"x", p.ID, p.Variants[0].ID}})
				return nil
			},
			"drop links": func(tx *db.Tx) error { dropLinks(tx, []id.Product{p.ID}); return nil },
			"link": func(tx *db.Tx) error {
				linkTable.InsertStamped(tx, []linkRow{{p.ID, 5, Link{"CUPS", cups.ID}}}, stillSo)
				return nil
			},
		} {
			err := store.Write(t.Context(), other, func(tx *db.Tx) error { // refused or without effect
				if tx.Try() > 0 {
					return apperr.Missing("product")
				}
				return run(tx)
			})
			if slices.Contains([]string{"publish", "link", "touch", "delete", "category"}, name) && err == nil {
				t.Errorf("%s was not refused", name)
			}
			if after := dbtest.RowsOf(t, store, home, tables...); after != before {
				t.Fatalf("%s changed another account:\n%s\nwas\n%s", name, after, before)
			}
		}
		commit(t, store, other, storing(t, linked("CUPS"))) // a category of that name of another account does not count
	})
}
