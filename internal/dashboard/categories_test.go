package dashboard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"entrepot/internal/catalog"
	"entrepot/internal/db"
)

// Categories are a tree: made, renamed, moved by a menu that never offers a place below itself, and deleted.
func TestCategoryTree(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		b.follow(b.submit(t, b.get("/categories"), "/categories", "name", "Kitchen", "externalId", "kitchen"))
		b.follow(b.submit(t, b.get("/categories"), "/categories", "name", "Mugs", "externalId", "mugs"))
		s.product(`{"sku":"MUG","name":"Mug","price":1,"categoryIds":["mugs"]}`)
		ids := map[string]string{}
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			list, _, err := catalog.ListCategories(tx, catalog.CategoryFilter{Limit: 10})
			for _, c := range list {
				ids[c.Name] = string(c.ID)
			}
			return err
		})
		mugs := "/categories/" + ids["Mugs"]
		page := b.follow(b.submit(t, b.get(mugs), mugs, "name", "Mugs", "parentId", ids["Kitchen"], "externalId", "mugs", "slug", "mugs"))
		has(t, page, "Saved Mugs", "Mugs 1 product mugs", "Kitchen 0 products kitchen")
		if !strings.Contains(page.body, `class="depth-1"`) {
			t.Error("the moved category is not below the other")
		}
		page = b.get("/categories/" + ids["Kitchen"])
		if strings.Contains(page.body, `<option value="`+ids["Mugs"]+`"`) {
			t.Error("a category may be put below its child")
		}
		out := b.submit(t, page, "/categories/"+ids["Kitchen"], "name", "Kitchen", "parentId", ids["Mugs"])
		if out.status != 422 || !strings.Contains(out.words(), "would put the category below itself") {
			t.Errorf("a cycle: %d %.300s", out.status, out.words())
		}
		has(t, b.follow(b.submit(t, page, "/categories/"+ids["Kitchen"]+"/delete")), "Deleted Kitchen", "Mugs")
	})
}

// A category is dragged below another one, and to the top again; below itself it does not go, and the page says why.
func TestCategoriesAreDragged(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.as(s.owner)
	for _, name := range []string{"Kitchen", "Mugs"} {
		b.follow(b.submit(t, b.get("/categories"), "/categories", "name", name))
	}
	w := s.window(t, s.owner)
	w.open("/categories")
	drag := func(from, to string) {
		w.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => {
			const link = name => [...document.querySelectorAll('tr a')].find(a => a.innerText === name);
			const send = (el, kind) => el.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: new DataTransfer() }));
			const from = link(%q), to = link(%q) ?? document.querySelector('thead th');
			send(from, 'dragstart');
			if (!send(to, 'dragover')) send(to, 'drop'); // a place that takes it says so
			send(from, 'dragend') })()`, from, to)))
	}
	drag("Mugs", "Kitchen")
	w.shows("Saved Mugs")
	w.until("document.querySelector('td.depth-1').innerText === 'Mugs'")
	drag("Kitchen", "Mugs")
	w.shows("Would put the category below itself")
	w.open("/categories")
	drag("Mugs", "the top")
	w.until("!document.querySelector('td.depth-1')")
}

// Attributes are described on their page, and entered on a product's.
func TestAttributePage(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		out := b.submit(t, b.get("/attributes"), "/attributes", "label", "Colour", "code", "colour", "type", "select")
		if out.status != 422 {
			t.Errorf("a select without options: %d", out.status)
		}
		has(t, b.follow(b.submit(t, out, "/attributes", "label", "Colour", "code", "colour", "type", "select", "lines", "red\r\nblue\r\n")),
			"Created colour", "red, blue")
		p := s.product(`{"sku":"MUG","name":"Mug","price":1}`)
		home := "/products/" + string(p.ID)
		b.follow(b.submit(t, b.get(home), home+"/attributes", "value-colour", "blue"))
		if now, _ := s.stored(p.ID); now.Attributes != `{"colour":"blue"}` {
			t.Errorf("attributes %s", now.Attributes)
		}
	})
}

// Warehouses are made, renamed, made the default, and deleted while they are empty.
func TestWarehousePage(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		page := b.follow(b.submit(t, b.get("/warehouses"), "/warehouses", "code", "EAST", "name", "Depot east"))
		has(t, page, "Created the warehouse EAST", "Depot east", "default")
		_, rest, _ := strings.Cut(page.body, `Depot east`)
		before := page.body[:len(page.body)-len(rest)]
		home := before[strings.LastIndex(before, `href="`)+len(`href="`+prefix):]
		home = home[:strings.Index(home, `"`)]
		has(t, b.follow(b.submit(t, b.get(home), home, "name", "East", "isDefault", "true", "code", "EAST")), "Saved EAST", "East")
		out := b.submit(t, b.get(home), home+"/delete")
		if out.status != 409 || !strings.Contains(out.words(), "default warehouse") {
			t.Errorf("the default deleted: %d %.300s", out.status, out.words())
		}
	})
}
