package dashboard

import (
	"crypto/rand"
	"fmt"
	"html"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"entrepot/internal/accounts"
	"entrepot/internal/base/patch"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/stock"
)

// level reads a level's current state.
func (s *site) level(sku, warehouse string) (l stock.Level) {
	s.t.Helper()
	s.do(s.account.Tenant, func(tx *db.Tx) error {
		list, _, err := stock.List(tx, stock.Filter{SKU: sku, Warehouse: warehouse, Limit: 1})
		if len(list) > 0 {
			l = list[0].Level
		}
		return err
	})
	return l
}

// The list shows levels, those that are low, and those of which more is reserved than there is.
func TestStockList(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		has(t, b.get("/stock"), "No stock yet")
		s.product(`{"sku":"MUG","name":"Blue mug","price":1,"stock":{"quantity":7}}`)
		s.product(`{"sku":"POT","name":"Iron pot","price":1,"stock":{"quantity":2}}`)
		has(t, b.get("/stock?view=oversold"), "No level matches")
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			_, err := s.Commerce.MoveStock(tx, s.caller(), commerce.Movement{SKU: "POT", Cause: stock.Adjustment, Quantity: -5})
			return err
		})
		has(t, b.get("/stock"), "Blue mug", "Iron pot", "−3", "Oversold", "2 levels")
		has(t, b.get("/stock?search=mug"), "1 level")
		has(t, b.get("/stock?view=low"), "POT", "1 level")
		action, inputs := thresholdInputs(t, b.get("/stock?search=mug"))
		input := inputs.Get("MUG")
		inputs.Set(input, "9")
		has(t, b.follow(b.post(action, inputs)), "Saved 1 level", "Undo", "1 level")
		if l := s.level("MUG", "MAIN"); l.Threshold == nil || *l.Threshold != 9 || !l.Low {
			t.Errorf("level %+v", l)
		}
		inputs.Set(input, "-1")
		if out := b.post(action, inputs); out.status != 422 || !strings.Contains(out.words(), "must be a whole number from 0 to 1000000000") {
			t.Errorf("a threshold below zero: %d %s", out.status, out.words())
		}
	})
}

// Stock is received, adjusted and transferred on the page of its SKU, whose ledger adds up to what is on hand.
func TestStockOfOneSKU(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.product(`{"sku":"MUG/1 x","name":"Blue mug","price":1}`)
		b := s.as(s.owner)
		const home = "/stock/MUG%2F1%20x"
		has(t, b.get(home), "MUG/1 x", "Blue mug", "Nothing has moved yet")
		page := b.follow(b.submit(t, b.get(home), home+"/receive", "sku", "MUG/1 x", "type", "receive", "quantity", "10", "warehouseCode", "MAIN",
			"reason", "first delivery"))
		has(t, page, "Received: 10 on hand in MAIN", "first delivery", "ledger 10, on hand 10", "equal")
		out := b.submit(t, page, home+"/adjust", "sku", "MUG/1 x", "type", "adjust", "quantity", "0", "warehouseCode", "MAIN")
		if out.status != 422 || !strings.Contains(out.words(), "must not be 0") {
			t.Errorf("nothing adjusted: %d %.300s", out.status, out.words())
		}
		has(
			t,
			b.follow(b.submit(t, out, home+"/adjust", "sku", "MUG/1 x", "type", "adjust", "quantity", "-3", "warehouseCode", "MAIN")),
			"Adjusted: 7",
		)
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			_, err := s.Commerce.CreateWarehouse(tx, s.caller(), commerce.WarehouseDraft{Code: patch.To("EAST"), Name: patch.To("East")})
			return err
		})
		page = b.follow(b.submit(t, b.get(home), home+"/transfer", "sku", "MUG/1 x", "quantity", "2", "fromWarehouseCode", "MAIN",
			"toWarehouseCode", "EAST"))
		has(t, page, "Transferred 2 to EAST", "Undo")
		if a, e := s.level("MUG/1 x", "MAIN"), s.level("MUG/1 x", "EAST"); a.OnHand != 5 || e.OnHand != 2 {
			t.Errorf("levels %d and %d", a.OnHand, e.OnHand)
		}
		out = b.submit(t, page, home+"/receive", "sku", "MUG/1 x", "type", "receive", "quantity", "-4", "warehouseCode", "MAIN")
		if out.status != 422 {
			t.Errorf("less than nothing received: %d", out.status)
		}
		if out := b.get("/stock/UNKNOWN"); out.status != 404 {
			t.Errorf("an unknown SKU: %d", out.status)
		}
	})
}

// An order marks the line that cannot be shipped, and leads from it to the SKU's stock; what is gone or shipped needs none.
func TestShortLinesAreMarked(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		first, second, third := c.order("PROCESSING", nil, 60, 60), c.order("PROCESSING", nil, 60), c.order("PENDING", nil, 120)
		cancelled, shipped := c.order("CANCELLED", nil, 500), c.order("SHIPPED", nil, 1)
		const to = `<a class="bad small" href="/dashboard/stock/MUG#held">`
		for order, words := range map[string]string{first: "Oversold by 141", second: "Oversold by 141", third: "Only 99 on hand",
			cancelled: "", shipped: ""} {
			page := b.get("/orders/" + order)
			n := strings.Count(page.body, to)
			if page.status != 200 || n != min(len(words), 1) || words != "" && !strings.Contains(page.body, to+words+"</a>") {
				t.Errorf("%q is said %d times in %.900s", words, n, page.words())
			}
			if strings.Contains(page.body, "/stock/TEA") {
				t.Error("a line of which there is enough is marked")
			}
		}
		c.call("POST", "/inventory/movements", map[string]any{"sku": "MUG", "type": "receive", "quantity": 200})
		if page := b.get("/orders/" + third); strings.Contains(page.body, to) {
			t.Errorf("it is marked after more came: %.900s", page.words())
		}
	})
}

// From what is oversold one comes to the orders that hold it, the oldest first; what was shipped or cancelled holds nothing.
func TestOversoldLeadsToItsOrders(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		page := b.get("/stock/MUG")
		if strings.Contains(page.words(), "Orders that hold it") {
			t.Error("orders are said to hold what nothing is reserved of")
		}
		first, second := c.order("PENDING", nil, 3), c.order("PROCESSING", nil, 4)
		c.order("CANCELLED", nil, 9)
		c.order("SHIPPED", nil, 1)
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			_, err := s.Commerce.MoveStock(tx, s.caller(), commerce.Movement{SKU: "MUG", Cause: stock.Adjustment, Quantity: -97}) // 2 are left
			return err
		})
		has(t, b.get("/"), "1 SKU oversold", "See its orders")
		if page := b.get("/"); !strings.Contains(page.body, `href="/dashboard/stock/MUG#held"`) {
			t.Error("the overview does not lead to its orders")
		}
		if page := b.get("/stock?view=oversold"); !strings.Contains(page.body, `href="/dashboard/stock/MUG#held"`) {
			t.Error("the list does not lead to its orders")
		}
		page = b.get("/stock/MUG")
		has(t, page, "Orders that hold it")
		_, held, _ := strings.Cut(page.body, `id="held"`)
		held, _, _ = strings.Cut(held, "</section>")
		if strings.Count(held, "/dashboard/orders/") != 2 || !strings.Contains(held, "<b>3</b>") || !strings.Contains(held, "<b>4</b>") ||
			!strings.Contains(held, first) || strings.Index(held, first) > strings.Index(held, second) {
			t.Errorf("not the two orders, the oldest first: %s", held)
		}
	})
}

// A threshold that is none stays in its input, with all the others; a blank one is 0, which is none.
func TestWrongThresholdsStay(t *testing.T) {
	s := newSite(t, "sqlite")
	s.shopper(t).articles()
	b := s.window(t, s.owner)
	b.open("/stock")
	b.fill("tr:nth-child(1) [name^=threshold-]", "-3")
	b.fill("tr:nth-child(2) [name^=threshold-]", "7")
	b.press("Save")
	b.until("document.activeElement.matches('[aria-invalid=true]')")
	b.shows("Must be a whole number from 0 to")
	if now := eval[string](b, "[...document.querySelectorAll('td [name^=threshold-]')].map(input => input.value).join()"); now != "-3,7" {
		t.Errorf("the inputs hold %s", now)
	}
	b.fill("tr:nth-child(1) [name^=threshold-]", "4")
	b.press("Save")
	b.shows("Saved 2 levels")
	b.do(chromedp.Evaluate[chromedp.Void]("document.querySelector('td [name^=threshold-]').value = ''"))
	b.press("Save")
	b.shows("Saved 1 level")
	if now := eval[string](b, "[...document.querySelectorAll('td [name^=threshold-]')].map(input => input.value).join()"); now != "0,7" {
		t.Errorf("the inputs hold %s", now)
	}
}

// A threshold that a colleague has changed meanwhile is refused, with the value that it has now beside it; then it can be sent. Levels that
// were not touched, or that come and go, are in nobody's way, and the list stays the one that was looked at.
func TestThresholdsBesideAColleague(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		thresholds := func() string {
			list := c.list("/inventory?limit=10")
			text := ""
			for _, l := range list {
				text += fmt.Sprint(l["sku"], " ", l["threshold"], ", ")
			}
			return text
		}
		set := func(sku string, n int) {
			c.call("PATCH", "/inventory/thresholds", map[string]any{"updates": []any{map[string]any{"sku": sku, "threshold": n}}})
		}
		page := b.get("/stock?search=the")
		action, inputs := thresholdInputs(t, page)
		c.call("POST", "/products", map[string]any{"sku": "JAR", "name": "The JAR", "price": 1}) // its level comes before the others
		c.call("POST", "/inventory/movements", map[string]any{"sku": "JAR", "type": "receive", "quantity": 1})
		set("MUG", 5)
		set("TEA", 6)
		inputs.Set(inputs.Get("MUG"), "7")
		out := b.post(action, inputs)
		if out.status != 412 || strings.Count(out.words(), "hanged meanwhile: it is “5” now") < 2 || strings.Contains(out.words(), "it is “6”") {
			t.Fatalf("%d %s", out.status, out.words())
		}
		if now := thresholds(); !strings.Contains(now, "MUG 5") {
			t.Errorf("stored all the same: %s", now)
		}
		action, again := thresholdInputs(t, out)
		if typed := again.Get(again.Get("MUG")); typed != "7" {
			t.Errorf("what was typed is %q", typed)
		}
		has(t, b.leads(t, b.post(action, again), "Saved 1 level"), "Clear filters")
		if now := thresholds(); !strings.Contains(now, "MUG 7") || !strings.Contains(now, "TEA 6") {
			t.Error(now)
		}
	})
}

// thresholdInputs are the action and the inputs of the form of thresholds; under a SKU it has the name of its input.
func thresholdInputs(t *testing.T, page reply) (action string, values url.Values) {
	t.Helper()
	found := regexp.MustCompile(`action="` + prefix + `(/stock/levels[^"]*)"`).FindStringSubmatch(page.body)
	if found == nil {
		t.Fatalf("no form of thresholds: %s", page.words())
	}
	action = html.UnescapeString(found[1])
	values = page.inputs(t, action)
	for name := range values {
		if which, is := strings.CutPrefix(name, "sku-"); is {
			values.Set(values.Get(name), "threshold-"+which)
		}
	}
	return action, values
}

// All thresholds of a page are set at once, and taken back: browsers drop cookies of more than 4 KB, and the message is in one.
func TestManyThresholds(t *testing.T) {
	s := newSite(t, "sqlite")
	for i := range perPage {
		s.product(fmt.Sprintf(`{"sku":"SKU-%08d","name":"Mug","price":1,"stock":{"quantity":7}}`, i*7919))
	}
	b := s.window(t, s.owner)
	b.open("/stock")
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("main [name^=threshold-]").forEach((input, i) => input.value = i + 100)`))
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("main [name^=threshold-]").form.requestSubmit()`))
	b.shows(fmt.Sprint("Saved ", perPage, " levels"))
	if l := s.level("SKU-00000000", "MAIN"); l.Threshold == nil {
		t.Error("the threshold is not stored")
	}
	b.click("#toasts form button")
	b.until("[...document.querySelectorAll('main [name^=threshold-]')].every(input => input.value === '0')") // which is none
	if l := s.level("SKU-00000000", "MAIN"); l.Low {
		t.Error("the level is low")
	}
}

// A message is kept however long it is, and its undo as long as a browser keeps it.
func TestMessagesFitIntoACookie(t *testing.T) {
	r := &request{http: httptest.NewRequestWithContext(t.Context(), "GET", "/", nil), d: &Dashboard{}}
	long := map[string]string{}
	for range 200 {
		long[rand.Text()] = rand.Text()
	}
	for _, f := range []*flash{{Text: "Saved"}, {Text: "Saved", Undo: &undo{Action: "/x", Fields: long}},
		{Text: strings.Repeat("é ", 300) + rand.Text()}, {Text: randomText(9000), Undo: &undo{Action: "/x", Fields: long}}} {
		cookie := r.flashCookie(f)
		got := flashOf(cookie.Value)
		begins, cut := strings.CutSuffix(got.Text, "…")
		if len(cookie.Value) > mostFlash || got.Text != f.Text && !cut || begins == "" || !strings.HasPrefix(f.Text, begins) {
			t.Errorf("%.40q: %d bytes with %.40q", f.Text, len(cookie.Value), got.Text)
		}
	}
	for _, value := range []string{"", "x", "AAAA", "%%%"} {
		if f := flashOf(value); f.Text != "" {
			t.Errorf("%q is %+v", value, f)
		}
	}
}

// randomText is a text that does not compress.
func randomText(n int) string {
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(rand.Text())
	}
	return b.String()
}

// An image by http is not loaded, which the policy of the pages forbids: its input says so.
func TestImagesByHTTP(t *testing.T) {
	s := newSite(t, "sqlite")
	product := s.shopper(t).call("POST", "/products", map[string]any{"sku": "PIC", "name": "Pic", "price": 1,
		"images": []any{map[string]any{"url": "http://images.example/pic.png"}}})["id"].(string)
	b := s.window(t, s.owner)
	for _, path := range []string{"/products", "/products/" + product} {
		b.open(path)
		if eval[bool](b, "!!document.querySelector('main img')") {
			t.Errorf("%s shows it", path)
		}
	}
	b.shows("Not shown here, because its address does not begin with https")
}

// Stock is transferred from a page on which the SKU is typed, too; what is wrong stands beside its input, and what was typed stays.
func TestTransferOfATypedSKU(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c := s.shopper(t)
		c.articles()
		b := s.as(s.owner)
		if strings.Contains(b.get("/stock").body, "/stock/transfer") {
			t.Error("with one warehouse the list leads to a transfer")
		}
		has(t, b.follow(b.get("/stock/transfer")), "A transfer needs a second warehouse", "New warehouse")
		c.call("POST", "/warehouses", map[string]any{"code": "EAST", "name": "Depot"})
		if list := b.get("/stock"); !strings.Contains(list.body, `"`+prefix+`/stock/transfer"`) {
			t.Error("the list leads to no transfer")
		}
		page := b.get("/stock/transfer")
		out := b.submit(t, page, "/stock/transfer", "sku", "MUGG", "quantity", "2", "fromWarehouseCode", "MAIN", "toWarehouseCode", "EAST")
		if out.status != 404 && out.status != 422 || !strings.Contains(out.body, `value="MUGG"`) ||
			!strings.Contains(out.body, `id="stock-transfer-sku-error"`) {
			t.Errorf("an unknown SKU: %d %s", out.status, out.words())
		}
		out = b.submit(t, page, "/stock/transfer", "sku", "MUG", "quantity", "2", "fromWarehouseCode", "MAIN", "toWarehouseCode", "MAIN")
		if out.status != 400 && out.status != 422 || !strings.Contains(out.body, `id="stock-transfer-toWarehouseCode-error"`) {
			t.Errorf("to where it is: %d %s", out.status, out.words())
		}
		page = b.follow(b.submit(t, page, "/stock/transfer", "sku", "MUG", "quantity", "2", "fromWarehouseCode", "MAIN",
			"toWarehouseCode", "EAST"))
		has(t, page, "Transferred 2 to EAST")
		if l := s.level("MUG", "EAST"); l.OnHand != 2 {
			t.Errorf("%d in EAST", l.OnHand)
		}
		_, page.body, _ = strings.Cut(page.body, `id="toasts"`)
		b.follow(b.sendForm(t, page, "/stock/MUG/transfer"))
		if l := s.level("MUG", "EAST"); l.OnHand != 0 {
			t.Errorf("%d in EAST after the undo", l.OnHand)
		}
	})
}

// Warehouses stand below stock; their addresses of before lead there. A SKU of the name of such a page has a page all the same.
func TestAddressesBelowStock(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.as(s.owner)
	at := s.samples["/stock/warehouses"]
	for from, to := range map[string]string{"/warehouses": "/stock/warehouses", "/warehouses/" + at: "/stock/warehouses/" + at} {
		if out := b.get(from); out.status != 303 || out.to() != prefix+to {
			t.Errorf("%s: %d to %s", from, out.status, out.to())
		}
		if out := b.get(to); out.status != 200 {
			t.Errorf("%s: %d", to, out.status)
		}
	}
	c := s.shopper(t)
	for _, sku := range []string{"warehouses", "transfer"} {
		c.call("POST", "/products", map[string]any{"name": "A plan", "sku": sku, "price": 1})
		c.call("POST", "/inventory/movements", map[string]any{"sku": sku, "type": "receive", "quantity": 3})
		if list := b.get("/stock?search=" + sku); !strings.Contains(list.body, `"`+prefix+`/stock/-/`+sku+`"`) {
			t.Errorf("%s is not in %s", sku, list.words())
		}
		page := b.get("/stock/-/" + sku)
		has(t, page, "A plan")
		has(t, b.follow(b.submit(t, page, "/stock/"+sku+"/receive", "sku", sku, "type", "receive", "quantity", "4", "warehouseCode", "MAIN")),
			"7 on hand in MAIN")
	}
}

// Where the forms of a SKU stand below its ledger, as on a phone, a link at the top leads to them.
func TestFormsOfASKUAreReachedOnAPhone(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.window(t, s.owner)
	b.look(1440, "light")
	b.open("/stock/MUG-BLUE")
	const link = "document.querySelector('a[href=\"#card-receive\"]')"
	b.until("!" + link + ".checkVisibility()")
	b.look(390, "light")
	b.until(link + ".checkVisibility()")
	b.click(`a[href="#card-receive"]`)
	b.until("document.querySelector('#card-receive').getBoundingClientRect().top < innerHeight / 2")
	if page := s.as(s.newUser("vic@test.example", accounts.Viewer)).get("/stock/MUG-BLUE"); strings.Contains(page.body, "#card-receive") {
		t.Error("a viewer is led to what is not there")
	}
}
