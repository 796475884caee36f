package dashboard

import (
	"strings"
	"testing"
)

// A parcel with a typo is undone and shipped again: the form has what the parcel had, once. The next orders of this browser begin with its
// carrier; what a colleague types elsewhere is no news to a form.
func TestAParcelIsCorrected(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b, other := s.shopper(t), s.as(s.owner), s.as(s.owner)
		c.articles()
		order, next := "/orders/"+c.order("PROCESSING", nil, 5, 4), "/orders/"+c.order("PROCESSING", nil, 1)
		if carrier := b.get(next).inputs(t, next+"/ship").Get("carrier"); carrier != "" {
			t.Errorf("a carrier that nobody typed: %q", carrier)
		}
		ship := func(path string, typed ...string) reply {
			t.Helper()
			return b.leads(t, b.sendForm(t, b.get(path), path+"/ship", typed...), "shipped")
		}
		ship(order, "carrier", "Chronopost & Söhne", "trackingNumber", "XY 1", "items[0].quantity", "2", "items[1].quantity", "1")
		open := b.get(next)
		if carrier := open.inputs(t, next+"/ship").Get("carrier"); carrier != "Chronopost & Söhne" {
			t.Errorf("the next order begins with %q", carrier)
		}
		if carrier := other.get(next).inputs(t, next+"/ship").Get("carrier"); carrier != "" {
			t.Errorf("in another browser it begins with %q", carrier)
		}
		page := b.leads(t, b.sendForm(t, b.get(order), order+"/unship"), "Deleted the shipment")
		again := page.inputs(t, order+"/ship")
		for name, want := range map[string]string{"carrier": "Chronopost & Söhne", "trackingNumber": "XY 1", "items[0].quantity": "2",
			"items[1].quantity": "1"} {
			if again.Get(name) != want {
				t.Errorf("%s of the parcel that was undone: %q instead of %q", name, again.Get(name), want)
			}
		}
		page = b.leads(t, b.sendForm(t, page, order+"/ship", "trackingNumber", "XY 2"), "3 units with Chronopost", "XY 2", "2 of 5", "1 of 4")
		if strings.Contains(page.words(), "XY 1 ") {
			t.Errorf("the wrong number is still there: %s", page.words())
		}
		if rest := page.inputs(t, order+"/ship"); rest.Get("trackingNumber") != "" || rest.Get("items[0].quantity") != "3" {
			t.Errorf("the form of the rest: %v", rest)
		}
		ship(order, "carrier", "UPS")
		b.leads(t, b.sendForm(t, open, next+"/ship"), "Shipped 1 unit with Chronopost & Söhne") // as its page said
	})
}

// The billing address is edited by itself while nothing is shipped; what the form does not show of it stays. Prices have their cents.
func TestEditBillingAddress(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		path := "/orders/" + c.order("PROCESSING", map[string]any{"shippingAmount": "4.9"}, 1)
		lines := b.get(path+"?open=lines").inputs(t, path+"/lines")
		if lines.Get("items[0].unitPrice") != "9.50" || lines.Get("shippingAmount") != "4.90" {
			t.Errorf("the form of the lines has %v", lines)
		}
		page := b.get(path)
		if out := b.sendForm(t, page, path+"/billing-address", "billingAddress.country", "France"); out.status != 422 ||
			!strings.Contains(out.words(), "must be two letters, such as FR") {
			t.Errorf("%d %s", out.status, out.words())
		}
		page = b.leads(t, b.sendForm(t, page, path+"/billing-address", "billingAddress.company", "Lovelace & Cie"),
			"Saved the billing address of ORD-000001", "Lovelace & Cie", "Details edited billing address")
		order := c.call("GET", path, nil)
		billing, shipping := order["billingAddress"].(map[string]any), order["shippingAddress"].(map[string]any)
		if billing["company"] != "Lovelace & Cie" || billing["doorCode"] != "12B" || billing["zip"] != "75002" || shipping["company"] != nil {
			t.Errorf("billed to %v, shipped to %v", billing, shipping)
		}
		page = b.leads(t, b.sendForm(t, page, path+"/ship"), "is shipped")
		if strings.Contains(page.words(), "Edit shipping address") || strings.Contains(page.words(), "Edit billing address") {
			t.Error("addresses of a parcel that has left can be edited")
		}
	})
}
