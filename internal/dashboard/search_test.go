package dashboard

import (
	"net/url"
	"strings"
	"testing"

	"entrepot/internal/accounts"
)

// The search finds records by number, name, e-mail, SKU and id, pages and actions by their names, and nothing of another account.
func TestSearchOfEverything(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.seed()
		_, stranger := s.newAccount("Stranger", "stranger@test.example")
		b, foreign, c := s.as(s.owner), s.as(stranger), s.shopper(t)
		delivered := c.call("GET", "/orders/"+c.list("/orders?status=DELIVERED")[0]["id"].(string), nil)
		shipment := delivered["shipments"].([]any)[0].(map[string]any)["id"].(string)
		for term, want := range map[string]string{
			shipment:                          "Records Shipment of " + delivered["orderNumber"].(string),
			s.samples["/categories"]:          "Records Kitchen Category",
			"ORD-000003":                      "Orders ORD-000003",
			"web-delivered":                   "Orders ORD-",
			"lovelace":                        "Customers",
			"ada@example.com":                 "ada@example.com",
			"mug-blue":                        "Products Blue mug MUG-BLUE",
			"blue mug":                        "Products Blue mug MUG-BLUE",
			"MUG-BLUE-S":                      "Variants MUG-BLUE-S Blue mug",
			"mug-blue-s":                      "Variants MUG-BLUE-S Blue mug",
			s.samples["/orders"]:              "Records ORD-",
			s.samples["/customers"]:           "Lovelace",
			s.samples["/products"]:            "Records Blue mug MUG-BLUE",
			s.samples["/channels"]:            "Records ERP Custom",
			s.samples["/webhooks"]:            "Records",
			s.samples["/jobs"]:                "Records",
			s.samples["/events"]:              "Records Event",
			s.samples["/webhooks/deliveries"]: "Records Delivery of",
		} {
			out := b.get("/search?q=" + url.QueryEscape(term))
			if out.status != 200 || !strings.Contains(out.words(), want) {
				t.Errorf("%q: %d, no %q in %s", term, out.status, want, out.found())
			}
			if out := foreign.get("/search?q=" + url.QueryEscape(term)); !strings.Contains(out.words(), "Nothing is called") {
				t.Errorf("%q finds in another account: %s", term, out.found())
			}
		}
		for term, want := range map[string]string{"": "Pages Overview Orders Returns Products",
			"hook":        "Pages Webhooks Integrations Actions Add a webhook",
			"add product": "Actions Add a product", nobodys: "Nothing is called",
			"<script>x</script>": "Nothing is called “<script>x</script>”", strings.Repeat("é", 5000): "Nothing is called"} {
			if out := b.get("/search?q=" + url.QueryEscape(term)); out.status != 200 || !strings.Contains(out.words(), want) ||
				strings.Contains(out.body, "<script>x") {
				t.Errorf("%.20q: %d, no %q in %.300s", term, out.status, want, out.found())
			}
		}
	})
}

// found is what a page of the search lists.
func (r reply) found() string {
	_, list, _ := strings.Cut(r.body, `id="found"`)
	list, _, _ = strings.Cut(list, "</main>")
	return reply{body: list}.words()
}

// A viewer is offered no action that changes something; a user with fewer rights finds only what his pages show.
func TestSearchKeepsToTheRights(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	s.newUser("look@test.example", accounts.Viewer)
	b := s.as(accounts.User{Email: "look@test.example"})
	if found := b.get("/search?q=").found(); !strings.Contains(found, "Orders") || strings.Contains(found, "Add a") {
		t.Errorf("a viewer finds %s", found)
	}
	if found := b.get("/search?q=ORD-000003").found(); !strings.Contains(found, "ORD-000003") {
		t.Errorf("a viewer finds %s", found)
	}
}
