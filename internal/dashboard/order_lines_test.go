package dashboard

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// platformOrder is an order of a shop: two mugs and a fee, which has no SKU, with the shop's tax.
func (s *site) platformOrder(t *testing.T) id.Order {
	t.Helper()
	return s.receive(t, s.platform(), 0, "processing", orders.Processing)
}

// platform is a channel of a shop.
func (s *site) platform() channels.Channel {
	c := channels.Channel{Tenant: s.account.Tenant, ID: id.New[id.Channel](), Name: "Shop", Platform: "WOOCOMMERCE", Status: "active",
		Settings: "{}", Oversell: "allow"}
	s.do(c.Tenant, func(tx *db.Tx) error { c.Insert(tx); return nil })
	return c
}

// receive takes a version of the shop's order.
func (s *site) receive(t *testing.T, c channels.Channel, minute int, theirs string, status orders.Status) id.Order {
	t.Helper()
	at := time.Date(2026, 1, 2, 3, minute, 5, 0, time.UTC)
	out, err := s.Commerce.ReceiveOrder(t.Context(), s.DB, c, connector.Order{ExternalID: "77", Number: "1077", Theirs: theirs,
		Status: status, CreatedAt: at, UpdatedAt: at, Currency: "EUR", Name: "Ada Lovelace",
		Lines: []connector.OrderLine{{ExternalID: "a", SKU: "MUG", Name: "Mug", Quantity: 2, Amount: 100000},
			{ExternalID: "f", Name: "Gift wrap", Quantity: 1, Amount: 20000}},
		Tax: 24000, Total: 144000}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.ID
}

// Editing a line of a shop's order takes neither its fees nor its tax away.
func TestEditOrderOfAShop(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		path := "/orders/" + string(s.platformOrder(t))
		page := b.get(path + "?open=lines")
		b.follow(b.sendForm(t, page, path+"/lines", "items[0].quantity", "3"))
		o := c.call("GET", path, nil)
		if lines := o["items"].([]any); len(lines) != 2 || o["subtotal"] != 17.0 || o["taxAmount"] != 2.4 || o["total"] != 19.4 {
			t.Errorf("%v", o)
		}
		b.follow(b.sendForm(t, b.get(path+"?open=lines"), path+"/lines", "items[1].quantity", "0", "taxAmount", "3"))
		if o = c.call("GET", path, nil); len(o["items"].([]any)) != 1 || o["total"] != 18.0 {
			t.Errorf("without the fee %v", o)
		}
	})
}

// An order that does not follow its shop needs a person, who settles it. One that its shop took up again leads to the cancelled one.
func TestOrderThatDisagreesWithItsShop(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b, shop := s.shopper(t), s.as(s.owner), s.platform()
		c.articles()
		sent := s.receive(t, shop, 0, "completed", orders.Shipped)
		s.receive(t, shop, 1, "cancelled", orders.Cancelled)
		path := "/orders/" + string(sent)
		for _, page := range []string{"", path, "/orders?stuck=true"} {
			for text, is := range map[string]bool{"1 order disagrees with its shop": page == "", "Mark settled": page == path,
				"ORD-000001": true} {
				if got := strings.Contains(b.get(page).body, text); got != is {
					t.Errorf("%q of %q: %t", text, page, got)
				}
			}
		}
		if list := c.list("/orders?stuck=true&search=1077"); len(list) != 1 {
			t.Errorf("%d orders are stuck", len(list))
		}
		b.follow(b.sendForm(t, b.get(path), path+"/issues"))
		for _, page := range []string{"", path} {
			if body := b.get(page).body; strings.Contains(body, "disagrees") || strings.Contains(body, "Mark settled") {
				t.Errorf("%q still asks", page)
			}
		}
		if list := c.list("/orders?stuck=true"); len(list) != 0 {
			t.Errorf("%d orders are stuck", len(list))
		}
	})
}

func TestReopenedOrderLeadsToTheOther(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b, shop := s.shopper(t), s.as(s.owner), s.platform()
		c.articles()
		old := s.receive(t, shop, 0, "failed", orders.Cancelled)
		paid := s.receive(t, shop, 1, "processing", orders.Processing)
		for page, link := range map[id.Order]id.Order{old: paid, paid: old} {
			if !strings.Contains(b.get("/orders/"+string(page)).body, `href="/dashboard/orders/`+string(link)+`"`) {
				t.Errorf("%s has no link to %s", page, link)
			}
		}
		if o := c.call("GET", "/orders/"+string(paid), nil); o["reopens"] != string(old) || o["reopenedBy"] != nil {
			t.Errorf("%v", o)
		}
		list := c.list("/orders?search=1077")
		if len(list) != 2 || list[0]["id"] != string(paid) || list[1]["reopenedBy"] != string(paid) {
			t.Errorf("%v", list)
		}
	})
}

// Over the API a line without a SKU is named by its id and the SKU that it shows, "". New lines need one, and others keep theirs.
func TestLinesWithoutSKUs(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c := s.shopper(t)
		c.articles()
		path := "/orders/" + string(s.platformOrder(t))
		lines := c.call("GET", path, nil)["items"].([]any)
		line := func(i int) map[string]any {
			l := lines[i].(map[string]any)
			return map[string]any{"id": l["id"], "sku": l["sku"], "quantity": l["quantity"], "unitPrice": l["unitPrice"]}
		}
		wrap := line(1)
		wrap["unitPrice"] = 1.5
		o := c.call("PUT", path+"/items", map[string]any{"items": []any{line(0), wrap}, "taxAmount": 2.4})
		if o["total"] != 13.9 || o["items"].([]any)[1].(map[string]any)["name"] != "Gift wrap" {
			t.Errorf("%v", o)
		}
		mug, fresh := line(0), line(1)
		mug["sku"] = ""
		delete(fresh, "id")
		for says, wrong := range map[string]map[string]any{"only a line without a SKU is named by": mug, "must not be empty": fresh} {
			body, err := json.Marshal(map[string]any{"items": []any{wrong}})
			if err != nil {
				t.Fatal(err)
			}
			out := c.send("PUT", "/api/v1"+path+"/items", bytes.NewReader(body), "application/json")
			if out.status != 400 || !strings.Contains(out.body, `"path":"items[0].sku","message":"`+says) {
				t.Errorf("%d %s", out.status, out.body)
			}
		}
	})
}

// Why lines cannot be edited stands in words, not in the title of a button that no key reaches; who may not ship has no column for it.
func TestWhatAnOrderDoesNotAllow(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	s.newUser("vic@test.example", accounts.Viewer)
	path := "/orders/" + s.samples["/orders"]
	has(t, s.as(s.owner).get(path), "Ship now", "Lines can be edited only while nothing is shipped or refunded")
	if page := s.as(accounts.User{Email: "vic@test.example"}).get(path); page.status != 200 || strings.Contains(page.words(), "Ship now") {
		t.Errorf("a viewer: %d %s", page.status, page.words())
	}
}

// What is wrong about lines is said in the words of pages: the status of an order as its badge has it, and a sentence about a SKU apart
// from the name of its input.
func TestWhatIsWrongAboutLines(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		path := "/orders/" + c.order("PROCESSING", nil, 3)
		page := b.get(path + "?open=lines")
		wrong := b.sendForm(t, page, path+"/lines", "items[1].sku", "NONE", "items[1].quantity", "1", "items[1].unitPrice", "2")
		wrong.has(t, 422, "Add a SKU: no product has the SKU NONE", "No product has the SKU NONE")
		b.follow(b.sendForm(t, b.get(path), path+"/ship"))
		locked := b.sendForm(t, page, path+"/lines", "items[0].quantity", "4")
		locked.has(t, 409, "“Pending” or “Ready to ship” and nothing was shipped, returned or refunded; it is “Shipped”")
	})
}
