package dashboard

import (
	"bytes"
	"encoding/json"
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

// A category that waits for its parent goes on waiting when it is renamed.
func TestRenamedCategoryGoesOnWaiting(t *testing.T) {
	s := newSite(t, "sqlite")
	c, b := s.shopper(t), s.as(s.owner)
	mugs := c.call("POST", "/categories", map[string]any{"name": "Mugs", "externalId": "mugs", "parentExternalId": "kitchen"})["id"].(string)
	page := "/categories/" + mugs
	b.follow(b.submit(t, b.get(page), page, "name", "Cups"))
	kitchen := c.call("POST", "/categories", map[string]any{"name": "Kitchen", "externalId": "kitchen"})["id"]
	if now := c.call("GET", page, nil); now["name"] != "Cups" || now["parentId"] != kitchen {
		t.Errorf("%v", now)
	}
}

// manyCategories adds so many that no page can offer all: group-0 to group-9, and below each in turn thing-0, thing-1 and so on.
func (c *shopper) manyCategories(many int) {
	c.t.Helper()
	c.header.Set("X-API-Key", c.call("POST", "/developer/api-keys", map[string]any{"name": "robot",
		"scopes": []any{"write:categories"}})["key"].(string))
	defer c.header.Del("X-API-Key")
	for from := 0; from < many; from += 500 {
		var list []any
		for i := from; i < from+500 && i < many; i++ {
			one := map[string]any{"externalId": fmt.Sprintf("t%d", i), "name": fmt.Sprintf("thing-%d", i),
				"parentExternalId": fmt.Sprintf("g%d", i%10)}
			if i < 10 {
				one = map[string]any{"externalId": fmt.Sprintf("g%d", i), "name": fmt.Sprintf("group-%d", i)}
			}
			list = append(list, one)
		}
		text, _ := json.Marshal(map[string]any{"categories": list})
		if out := c.send("POST", "/api/v1/sdk/categories/bulk-import", bytes.NewReader(text), "application/json"); out.status != 200 {
			c.t.Fatalf("%d %s", out.status, out.body)
		}
	}
}

// Of more categories than a tree can show, each is found by its name, with its place; its parent is named, and so is a product's.
func TestVeryManyCategories(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.manyCategories(maxTree + 20)
		has(t, b.get("/categories"), "1–50 of 1,020 categories", "group-0", "thing-10 in group-0")
		has(t, b.get("/categories?page=21"), "1,001–1,020 of 1,020", "thing-999 in group-9")
		has(t, b.get("/categories?search=THING-998"), "thing-998 in group-8", "1 category")
		has(t, b.get("/categories?search=nothing"), "No category matches")
		id := func(external string) string { return c.list("/categories?externalId=" + external)[0]["id"].(string) }
		page := "/categories/" + id("t998")
		has(t, b.get(page), "It is in group-8")
		for typed, parent := range map[string]string{"Thing-500": id("t500"), "g3": id("g3"), id("g4"): id("g4"), "": ""} {
			b.follow(b.submit(t, b.get(page), page, "name", "Thing 998", "parent", typed))
			if now := c.call("GET", page, nil)["parentId"]; fmt.Sprint(now) != parent && (parent != "" || now != nil) {
				t.Errorf("%q is %v", typed, now)
			}
		}
		b.follow(b.submit(t, b.get(page), page, "parent", "g3"))
		b.follow(b.submit(t, b.get(page), page, "name", "thing-999"))
		if now := c.call("GET", page, nil)["parentId"]; now != id("g3") {
			t.Errorf("renamed, it is in %v", now)
		}
		for typed, words := range map[string]string{"nobody": "is no category's name", "thing-999": "is the name of 2 categories"} {
			if out := b.submit(t, b.get(page), page, "parent", typed); out.status != 422 || !strings.Contains(out.words(), words) {
				t.Errorf("%q: %d %s", typed, out.status, out.words())
			}
		}
		product := c.call("POST", "/products", map[string]any{"sku": "MUG", "name": "Mug", "price": 1, "categoryIds": []any{"t997", "later"}})
		home := "/products/" + product["id"].(string)
		out := b.get(home)
		has(t, out, "group-7 › thing-997", "later (not here yet)", "Add a category")
		b.follow(b.sendForm(t, out, home, "add", "thing-500"))
		has(t, b.get(home), "group-7 › thing-997", "group-0 › thing-500", "later (not here yet)")
		if out := b.sendForm(t, b.get(home), home, "add", "nobody"); out.status != 422 {
			t.Errorf("%d %s", out.status, out.words())
		}
		has(t, b.get("/products?categoryId="+id("t500")), "Mug", "thing-500")
	})
}

// A product's categories show where they stand.
func TestCategoriesOfOneName(t *testing.T) {
	s := newSite(t, "sqlite")
	c, b := s.shopper(t), s.as(s.owner)
	for _, who := range []string{"Women", "Men"} {
		c.call("POST", "/categories", map[string]any{"name": who, "externalId": who})
		c.call("POST", "/categories", map[string]any{"name": "Shoes", "parentExternalId": who})
	}
	p := s.product(`{"sku":"MUG","name":"Mug","price":1}`)
	has(t, b.get("/products/"+string(p.ID)), "Men Men › Shoes Women Women › Shoes")
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
		b.follow(b.sendForm(t, b.get(home), home, "value-colour", "blue"))
		if now, _ := s.stored(p.ID); now.Attributes != `{"colour":"blue"}` {
			t.Errorf("attributes %s", now.Attributes)
		}
	})
}

// Warehouses are made, renamed, made the default, and deleted while they are empty.
func TestWarehousePage(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		page := b.follow(b.submit(t, b.get("/stock/warehouses"), "/stock/warehouses", "code", "EAST", "name", "Depot east"))
		has(t, page, "Created the warehouse EAST", "Depot east", "default")
		_, rest, _ := strings.Cut(page.body, `Depot east`)
		before := page.body[:len(page.body)-len(rest)]
		home := before[strings.LastIndex(before, `href="`)+len(`href="`+prefix):]
		home = home[:strings.Index(home, `"`)]
		has(t, b.follow(b.submit(t, b.get(home), home+"/save", "name", "East", "isDefault", "true", "code", "EAST")), "Saved EAST", "East")
		out := b.submit(t, b.get(home), home+"/delete")
		if out.status != 409 || !strings.Contains(out.words(), "default warehouse") {
			t.Errorf("the default deleted: %d %.300s", out.status, out.words())
		}
	})
}
