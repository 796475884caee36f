package dashboard

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
)

func mustParse(t testing.TB, document string) *jsonvalue.Value {
	t.Helper()
	v, err := jsonvalue.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The list finds products by name, SKU, status and channel; the choice is in the address, and pages do not overlap.
func TestProductList(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		has(t, b.get("/products"), "No products yet", "New product", "Import a file", "bulk-import")
		for _, path := range []string{"/orders", "/stock"} {
			has(t, b.get(path), "New product", "Import a file")
		}
		if viewer := s.as(s.newUser("vera@test.example", accounts.Viewer)).get("/products"); strings.Contains(viewer.body, "Import a file") {
			t.Error("a reader is led to an import")
		}
		s.product(`{"sku":"MUG-1","name":"Blue mug","price":12.5,"compareAtPrice":15,"variants":[{"sku":"MUG-1-S"}],"stock":{"quantity":7}}`)
		s.product(`{"sku":"POT-1","name":"Iron <script>pot</script>","price":89,"status":"ARCHIVED"}`)
		page := b.get("/products")
		has(t, page, "Blue mug", "1 variant", "€12.50", "€15.00", "For sale", "Iron <script>pot</script>", "Archived", "2 products")
		if strings.Contains(page.body, "<script>pot") {
			t.Error("a name is shown as HTML")
		}
		for query, want := range map[string]string{"?search=blue": "1 product", "?search=pot-1": "1 product", "?status=ARCHIVED": "1 product"} {
			has(t, b.get("/products"+query), want)
		}
		for i := range 60 {
			s.product(fmt.Sprintf(`{"sku":"S-%02d","name":"Spoon","price":1}`, i))
		}
		seen := map[string]bool{}
		for _, path := range []string{"/products?sort=sku:asc", "/products?sort=sku:asc&page=2"} {
			page := b.get(path)
			for i := range 60 {
				sku := fmt.Sprintf("S-%02d", i)
				if strings.Contains(page.words(), sku) {
					if seen[sku] {
						t.Errorf("%s is on both pages", sku)
					}
					seen[sku] = true
				}
			}
		}
		if len(seen) != 60 {
			t.Errorf("the pages show %d of 60", len(seen))
		}
	})
}

// A product is made and changed by forms that say what is wrong where it is, keep what was typed, and have one effect.
func TestProductForms(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		empty := b.get("/products/new")
		if !strings.Contains(empty.body, `maxlength="500"`) {
			t.Error("a name may be as long as the API takes it")
		}
		out := b.submit(t, empty, "/products/new", "name", "Mug", "sku", "MUG", "price", "twelve", "status", "ACTIVE")
		if out.status != 422 || !strings.Contains(out.body, `value="twelve"`) || !strings.Contains(out.body, `aria-invalid="true"`) {
			t.Fatalf("a price in words: %d %.300s", out.status, out.words())
		}
		page := b.follow(b.submit(t, out, "/products/new", "name", "Mug", "sku", "MUG", "price", "12,50", "status", "ACTIVE"))
		has(t, page, "Mug", "Created MUG")
		var made []id.Product
		s.do(s.account.Tenant, func(tx *db.Tx) (err error) {
			made, _, err = catalog.Page(tx, catalog.Filter{Limit: 10, Sort: catalog.ByCreation})
			return err
		})
		home := "/products/" + string(made[0])
		page = b.get(home)
		b.follow(b.submit(t, page, home, "name", "Mug, large", "price", "13", "compareAtPrice", "", "slug", "mug", "description", "Holds tea"))
		b.follow(b.submit(t, page, home+"/variants", "variants[0].sku", "MUG-R", "variants[0].name", "Red", "variants[0].price", "14.25"))
		b.follow(b.submit(t, page, home+"/images", "images[0].url", "https://pics.example/a.jpg", "images[1].url", ""))
		p, _ := s.stored(made[0])
		if p.Name != "Mug, large" || p.Price.Text("EUR") != "13.00" || p.Description != "Holds tea" || len(p.Variants) != 1 ||
			p.Variants[0].Price.Text("EUR") != "14.25" || len(p.Images()) != 1 {
			t.Fatalf("stored %+v", p)
		}
		page = b.get(home)
		b.follow(b.submit(t, page, home+"/variants", "variants[0].sku", "MUG-R", "variants[0].name", "Red", "variants[0].price", ""))
		b.follow(b.submit(t, page, home+"/images", "images[0].url", "", "images[1].url", ""))
		if p, _ := s.stored(made[0]); p.Variants[0].Price != nil || len(p.Images()) != 0 {
			t.Errorf("what was emptied stays: %+v", p)
		}
		out = b.submit(t, page, home+"/images", "images[0].url", "ftp://x")
		if out.status != 422 || !strings.Contains(out.words(), "must be an absolute http or https URL") {
			t.Errorf("a bad image: %d %.300s", out.status, out.words())
		}
	})
}

// Archiving, and leaving a channel, are taken back by the button that the next page shows.
func TestProductIsArchivedAndPublishedWithUndo(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		p := s.product(`{"sku":"MUG","name":"Mug","price":1}`)
		shop := s.channel("Own shop")
		home := "/products/" + string(p.ID)
		page := b.follow(b.submit(t, b.get(home), home+"/status", "status", "ARCHIVED"))
		has(t, page, "MUG is now: Archived", "Undo")
		if now, _ := s.stored(p.ID); now.Status != catalog.Archived {
			t.Errorf("status %s", now.Status)
		}
		b.follow(b.submit(t, page, home+"/status", "status", "ACTIVE"))
		if now, _ := s.stored(p.ID); now.Status != catalog.Active {
			t.Errorf("after the undo: %s", now.Status)
		}
		page = b.follow(b.submit(t, b.get(home), home+"/publish", "channelId", string(shop.ID)))
		has(t, page, "Published on Own shop", "Published", "Unpublish")
		if _, places := s.stored(p.ID); len(places) != 1 {
			t.Errorf("publications: %v", places)
		}
		b.follow(b.submit(t, page, home+"/unpublish", "channelId", string(shop.ID)))
		if _, places := s.stored(p.ID); len(places) != 0 {
			t.Errorf("still published: %v", places)
		}
		out := b.submit(t, b.get(home), home+"/delete", "typed", "mug")
		if out.status != 422 {
			t.Errorf("deleted by %q: %d", "mug", out.status)
		}
		has(t, b.follow(b.submit(t, out, home+"/delete", "typed", "MUG")), "Deleted MUG", "No products yet")
		if log := b.get("/events?event=product.deleted"); !strings.Contains(log.words(), "MUG") || strings.Contains(log.body, prefix+home+`"`) {
			t.Errorf("the event log leads to what was deleted: %.600s", log.words())
		}
	})
}

// Attributes keep their types, and those that no input shows stay.
func TestProductAttributes(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.as(s.owner)
	p := s.product(`{"sku":"MUG","name":"Mug","price":1,"attributes":{"weight":300,"care":{"wash":"hand"},"colour":"blue"}}`)
	home := "/products/" + string(p.ID)
	page := b.get(home)
	b.follow(b.submit(t, page, home+"/attributes", "value-weight", "300", "value-colour", "red"))
	now, _ := s.stored(p.ID)
	if got := string(mustParse(t, now.Attributes).Fingerprint()); got != string(mustParse(t,
		`{"care":{"wash":"hand"},"colour":"red","weight":300}`).Fingerprint()) {
		t.Errorf("attributes %s", now.Attributes)
	}
	b.post(home+"/attributes", url.Values{"value-weight": {""}, "value-colour": {"red"}})
	if now, _ := s.stored(p.ID); strings.Contains(now.Attributes, "weight") {
		t.Errorf("a blank attribute stays: %s", now.Attributes)
	}
}

// Who may only read sees all of a product: its images and categories, and prices as money, in place of the values of the forms.
func TestAProductForReaders(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c := s.shopper(t)
		c.call("POST", "/categories", map[string]any{"name": "Kitchen", "externalId": "kitchen"})
		plain := s.product(`{"sku":"POT","name":"Pot","price":1250.5}`)
		mug := s.product(`{"sku":"MUG","name":"Mug","price":12.5,"compareAtPrice":15,"categoryIds":["kitchen"],
			"images":[{"url":"https://images.example/mug.jpg"}],
			"variants":[{"sku":"MUG-S","name":"Small","price":11},{"sku":"MUG-L","name":"Large"}]}`)
		b := s.as(s.newUser("vera@test.example", accounts.Viewer))
		b.header.Set("Accept-Language", "de-DE")
		page := b.get("/products/" + string(mug.ID))
		has(t, page, "Price 12,50 €", "Price before 15,00 €", "Category Kitchen", "MUG-S Small 11,00 €",
			"MUG-L Large 12,50 €")
		if !strings.Contains(page.body, `src="https://images.example/mug.jpg"`) {
			t.Error("no image")
		}
		page = b.get("/products/" + string(plain.ID))
		has(t, page, "Price 1.250,50 €")
		if strings.Contains(page.words(), "Variants") {
			t.Errorf("a product without variants: %s", page.words())
		}
	})
}

// A draft is not for sale, so it is not taken off sale; a product for sale is.
func TestDraftsAreNotTakenOffSale(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.as(s.owner)
	for status, offered := range map[string]bool{"DRAFT": false, "ACTIVE": true, "ARCHIVED": true} {
		p := s.product(`{"sku":"` + status + `","name":"Mug","price":1,"status":"` + status + `"}`)
		page := b.get("/products/" + string(p.ID))
		if strings.Contains(page.words(), "Take off sale") != offered {
			t.Errorf("%s: %.400s", status, page.words())
		}
	}
}
