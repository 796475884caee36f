package dashboard

import (
	"fmt"
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
		b.follow(b.sendForm(t, page, home, "name", "Mug, large", "price", "13", "slug", "mug", "description", "Holds tea",
			"gtin", "4006381333931", "weight", "0,35", "cost", "4,1", "taxClass", "reduced-rate", "countryOfOrigin", "pt",
			"variants[0].sku", "MUG-R", "variants[0].name", "Red", "variants[0].price", "14.25", "variants[0].gtin", "96385074",
			"images[0].url", "https://pics.example/a.jpg"))
		p, _ := s.stored(made[0])
		if p.Name != "Mug, large" || p.Price.Text("EUR") != "13.00" || p.Description != "Holds tea" || len(p.Variants) != 1 ||
			p.Variants[0].Price.Text("EUR") != "14.25" || p.Variants[0].GTIN != "96385074" || len(p.Images()) != 1 ||
			p.GTIN != "4006381333931" || p.Weight.String() != "0.35" || p.Cost.String() != "4.1" || p.TaxClass != "reduced-rate" || p.Origin != "PT" {
			t.Fatalf("stored %+v", p)
		}
		has(t, s.as(s.newUser("vera@test.example", accounts.Viewer)).get(home), "GTIN 4006381333931", "Weight 0.35 kg", "Cost €4.10",
			"Tax class reduced-rate", "Country of origin PT", "MUG-R Red 96385074")
		page = b.get(home)
		has(t, page, "Changed name, description, price, GTIN, weight, cost, tax class, country of origin, images, variants", "by you")
		b.follow(b.sendForm(t, page, home, "variants[0].price", "", "variants[0].gtin", "", "images[0].url", "", "gtin", "", "weight", ""))
		if p, _ := s.stored(made[0]); p.Variants[0].Price != nil || p.Variants[0].GTIN != "" || len(p.Images()) != 0 || p.GTIN != "" || p.Weight != nil {
			t.Errorf("what was emptied stays: %+v", p)
		}
		for input, typed := range map[string][2]string{"images[0].url": {"ftp://x", "must be an absolute http or https URL"},
			"gtin": {"4006381333932", "Must end in the check digit 1, not 2"}, "weight": {"heavy", "Must be a number such as 12.50"},
			"countryOfOrigin":  {"ZZ", "Must be a country's two letters, such as FR"},
			"variants[1].gtin": {"96385075", "SKU is required"}} {
			out = b.sendForm(t, b.get(home), home, input, typed[0])
			if out.status != 422 || !strings.Contains(strings.ToLower(out.words()), strings.ToLower(typed[1])) {
				t.Errorf("%s: %d %.900s", input, out.status, out.words())
			}
		}
	})
}

// Variants are built from options: each combination gets a row, and what is typed elsewhere stays. Nothing is stored before the form is
// saved, and a row whose SKU was removed is left out.
func TestVariantsAreBuiltFromOptions(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b, c := s.as(s.owner), s.shopper(t)
		p := s.product(`{"sku":"TEE","name":"Tee","price":20,"variants":[{"sku":"TEE-1","name":"One","attributes":{"Size":"M","Colour":"red"}}]}`)
		home := "/products/" + string(p.ID)
		out := b.sendForm(t, b.get(home), home, "name", "T-shirt", "make[0].name", "size", "make[0].values", "S, M", "make[1].name", "Colour",
			"make[1].values", "red, Blau", "then", "rows")
		has(t, out, "3 new rows: Save stores them")
		for input, want := range map[string]string{"name": "T-shirt", "variants[0].name": "One", "variants[1].sku": "TEE-S-RED",
			"variants[1].values[0]": "S", "variants[1].values[1]": "red", "variants[1].name": "S / red", "variants[3].sku": "TEE-M-BLAU"} {
			if got := out.inputs(t, home).Get(input); got != want {
				t.Errorf("%s is %q, not %q", input, got, want)
			}
		}
		if now, _ := s.stored(p.ID); now.Name != "Tee" || len(now.Variants) != 1 {
			t.Errorf("stored before it was saved: %+v", now)
		}
		page := b.follow(b.sendForm(t, out, home, "variants[2].sku", "", "variants[3].gtin", "96385074"))
		has(t, page, "Saved", "T-shirt")
		options := fmt.Sprint(c.call("GET", home, nil)["options"])
		if now, _ := s.stored(p.ID); len(now.Variants) != 3 || now.Variants[2].GTIN != "96385074" || now.Variants[1].Attributes != `{"Size":"S","Colour":"red"}` ||
			options != "[map[name:Size values:[M S]] map[name:Colour values:[red Blau]]]" {
			t.Errorf("stored %+v %s", now.Variants, options)
		}
		b.follow(b.sendForm(t, page, home, "variants[0].values[0]", "L"))
		if now, _ := s.stored(p.ID); now.Variants[0].Attributes != `{"Size":"L","Colour":"red"}` {
			t.Errorf("stored %+v", now.Variants[0])
		}
		for _, typed := range [][]string{{"make[0].name", "", "make[0].values", "S"}, {"make[0].values", ""},
			{"make[0].values", "1,2,3,4,5,6,7,8", "make[1].values", "1,2,3,4,5,6,7,8"}} {
			if out := b.sendForm(t, b.get(home), home, append(typed, "then", "rows")...); out.status != 422 {
				t.Errorf("%v: %d %.600s", typed, out.status, out.words())
			}
		}
	})
}

// Images are moved and dropped by buttons, and the description is shown as shops show it: nothing of it is stored meanwhile.
func TestImagesAreMovedByButtons(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.as(s.owner)
	p := s.product(`{"sku":"MUG","name":"Mug","price":1,"images":[{"url":"https://x.example/a.png"},{"url":"https://x.example/b.png"}]}`)
	home := "/products/" + string(p.ID)
	page := b.get(home)
	for _, step := range []struct{ then, first, second string }{{"up-1", "b", "a"}, {"down-0", "a", "b"}, {"down-0", "b", "a"}, {"drop-0", "a", ""}} {
		page = b.sendForm(t, page, home, "then", step.then)
		for i, want := range []string{step.first, step.second} {
			if got := page.inputs(t, home).Get(imageName(i)); want == "" && got != "" || want != "" && got != "https://x.example/"+want+".png" {
				t.Errorf("%s: image %d is %q", step.then, i, got)
			}
		}
	}
	page = b.sendForm(t, page, home, "description", `<b title="x">bold</b>`, "then", "preview")
	if !strings.Contains(page.body, `srcdoc="&lt;b title=`) {
		t.Errorf("no preview: %.300s", page.words())
	}
	if now, _ := s.stored(p.ID); len(now.Images()) != 2 || now.Description != "" {
		t.Errorf("stored %+v", now)
	}
	b.follow(b.sendForm(t, page, home))
	if now, _ := s.stored(p.ID); len(now.Images()) != 1 || now.Images()[0].URL != "https://x.example/a.png" || now.Description == "" {
		t.Errorf("stored %+v", now)
	}
}

// Archiving, and leaving a channel, are taken back by the button that the next page shows.
func TestProductIsArchivedAndPublishedWithUndo(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		p := s.product(`{"sku":"MUG","name":"Mug","price":1}`)
		shop := s.channel("Own shop")
		home := "/products/" + string(p.ID)
		page := b.follow(b.submit(t, b.get(home), home+"/status", "status", "ARCHIVED"))
		has(t, page, "Changed MUG to: Archived", "Undo")
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
	b.follow(b.sendForm(t, page, home, "value-colour", "red"))
	now, _ := s.stored(p.ID)
	if got := string(mustParse(t, now.Attributes).Fingerprint()); got != string(mustParse(t,
		`{"care":{"wash":"hand"},"colour":"red","weight":300}`).Fingerprint()) {
		t.Errorf("attributes %s", now.Attributes)
	}
	b.follow(b.sendForm(t, b.get(home), home, "value-weight", ""))
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
		viewer := s.newUser("vera@test.example", accounts.Viewer)
		b := s.as(viewer)
		b.header.Set("Accept-Language", "de-DE") // numbers are German, words English
		s.english(t, viewer)
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
