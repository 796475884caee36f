package dashboard

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/channels"
)

// manyProducts creates products P-0, P-1 … by imports of 500.
func (c *shopper) manyProducts(many int) {
	c.t.Helper()
	c.header.Set("X-API-Key", c.call("POST", "/developer/api-keys", map[string]any{"name": "robot",
		"scopes": []any{"write:products"}})["key"].(string))
	defer c.header.Del("X-API-Key")
	for from := 0; from < many; from += 500 {
		var list []any
		for i := from; i < min(from+500, many); i++ {
			list = append(list, map[string]any{"sku": fmt.Sprintf("P-%d", i), "name": fmt.Sprintf("Thing %d", i), "price": 10 + i%3})
		}
		c.call("POST", "/sdk/products/bulk-import", map[string]any{"products": list})
	}
}

// confirming are the inputs of the form below a preview.
func (r reply) confirming(t *testing.T) url.Values {
	t.Helper()
	_, r.body, _ = strings.Cut(r.body, `id="card-preview"`)
	return r.inputs(t, "/products/bulk")
}

// 500 products are published by five clicks, two of which choose them, and the report follows the job to its end.
func TestStoryOfPublishingManyProducts(t *testing.T) {
	nodes(t, func(t *testing.T, here, there *site) {
		c := there.shopper(t)
		c.manyProducts(500)
		channel := c.call("POST", "/channels", map[string]any{"name": "Own shop", "platform": channels.Custom})["channel"].(map[string]any)["id"].(string)
		b := here.window(t, here.owner)
		b.open("/products")
		clicks := 0
		click := func(css string) { clicks++; b.click(css) }
		press := func(words string) { clicks++; b.press(words) }
		click("[data-all]")
		b.shows("Select all 500")
		click(".bulk [name=all]")
		b.shows("All 500 selected")
		b.shoot(t, "products-bar")
		b.look(1440, "light")
		press("Publish on")
		press("Own shop")
		b.shows("Would change")
		b.shoot(t, "products-bulk")
		b.look(1440, "light")
		press("Publish 500 products")
		b.shows("You can leave this page")
		if clicks > 5 {
			t.Errorf("%d clicks", clicks)
		}
		there.work()
		b.shows("500 changed, 0 unchanged, 0 refused")
		b.shoot(t, "products-bulk-report")
		if n := len(c.list("/channels/" + channel + "/publications?limit=250&page=2")); n != 250 {
			t.Errorf("%d publications on the second page", n)
		}
	})
}

// Without a script: a price that changes by more than half is confirmed by typing, a job is paused, stopped and undone, and
// its report is a file.
func TestBulkChangeOfProducts(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.manyProducts(60)
		has(t, b.get("/products"), "Select all 60", "Publish on…", "Withdraw from…")
		if out := b.follow(b.get("/products/bulk?action=status")); !strings.Contains(out.words(), "No product is selected") {
			t.Errorf("without a product: %d %.300s", out.status, out.words())
		}
		if out := b.get("/products/bulk?action=sell&all=60"); out.status != 400 {
			t.Errorf("an unknown action: %d", out.status)
		}
		wrong := b.get("/products/bulk?action=price&all=60&percent=-101")
		wrong.has(t, 422, "Percent must be at least -100")
		const jump = "/products/bulk?action=price&all=60&list=search%3DThing&percent=60"
		page := b.get(jump)
		has(t, page, "60 prices change by more than half", "Type 60, the largest change in percent", "Change 60 products", "€10.00 → €16.00")
		sent := page.confirming(t)
		again := b.post("/products/bulk", sent)
		has(t, again, "Change 60 products")
		sent.Set("confirm", "59")
		has(t, b.post("/products/bulk", sent), "This is not the largest change")
		sent.Set("confirm", "60 %")
		begun := b.post("/products/bulk", sent)
		report := b.follow(begun)
		has(t, report, "Change prices", "Pause", "Stop")
		at := strings.TrimPrefix(begun.to(), prefix)
		act := func(action string) reply {
			t.Helper()
			values := b.get(at).inputs(t, at+"/action")
			values.Set("action", action)
			out := b.post(at+"/action", values)
			at = strings.TrimPrefix(out.to(), prefix)
			return b.follow(out)
		}
		has(t, act("pause"), "Paused", "Resume")
		s.work()
		has(t, b.get(at), "0 changed, 0 unchanged, 0 refused")
		has(t, act("resume"), "Resumed the job")
		s.work()
		has(t, b.get(at), "60 changed, 0 unchanged, 0 refused", "€10.00 → €16.00", "Undo all")
		file := b.post(at+"/report", url.Values{})
		if lines := strings.Count(file.body, "\n"); file.status != 200 || lines != 61 || !strings.Contains(file.body, `"{""prices"":{""P-0"":""10""}}"`) {
			t.Errorf("the file: %d, %d lines: %.300s", file.status, lines, file.body)
		}
		has(t, act("undo"), "Undoing the changes", "Undo: Change prices")
		has(t, act("stop"), "Stopped after 0 of 60")
		if out := b.get("/products/bulk?action=status&all=60&status=DRAFT"); !strings.Contains(out.words(), "For sale → Draft") {
			t.Errorf("%d %.900s", out.status, out.words())
		}
		sent = b.get("/products/bulk?action=status&all=60&status=DRAFT").confirming(t)
		c.call("POST", "/products", map[string]any{"sku": "NEW", "name": "New", "price": 1})
		has(t, b.post("/products/bulk", sent), "Meanwhile 61 products match", "Change 61 products")
		viewer := s.as(s.newUser("viewer@test.example", accounts.Viewer))
		if out := viewer.get("/products/bulk?action=status&all=60"); out.status != 403 {
			t.Errorf("a viewer: %d", out.status)
		}
	})
}
