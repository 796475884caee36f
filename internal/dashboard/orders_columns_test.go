package dashboard

import (
	"net/url"
	"strings"
	"testing"

	"entrepot/internal/accounts"
)

// Columns that are left out stay so in the browser, a viewer's too, with the filter kept; the number and the status are always there.
func TestColumnsOfOrders(t *testing.T) {
	s := newSite(t, "sqlite")
	s.newUser("vera@test.example", accounts.Viewer)
	c := s.shopper(t)
	c.articles()
	c.order("PROCESSING", map[string]any{"externalReference": "WEB-1"}, 3)
	b := s.as(accounts.User{Email: "vera@test.example"})
	heads := func(page reply) string {
		t.Helper()
		_, head, _ := strings.Cut(page.body, "<thead")
		head, _, _ = strings.Cut(head, "</thead>")
		_, head, _ = strings.Cut(tags.ReplaceAllString(strings.ReplaceAll(head, "</th>", "|"), ""), ">")
		return strings.Join(strings.Fields(head), " ")
	}
	const whole = "|Order|Placed |Customer|Lines|Status|Shipped|Channel|Total|"
	if list := heads(b.get("/orders")); list != whole {
		t.Errorf("at first: %s", list)
	}
	out := b.post("/orders/columns", url.Values{"show": {"customer", "total", "nothing"}, "status": {"PROCESSING"}})
	if out.to() != prefix+"/orders?status=PROCESSING" {
		t.Errorf("%d to %s", out.status, out.to())
	}
	page := b.follow(out)
	if list := heads(page); list != "|Order|Customer|Status|Total|" {
		t.Errorf("chosen: %s", list)
	}
	has(t, page, "WEB-1", "Ada Lovelace", "To ship")
	if _, rows, _ := strings.Cut(page.body, "<tbody"); strings.Contains(rows, "0 of 3") || strings.Contains(rows, "<time") {
		t.Errorf("cells of columns that are left out: %s", rows)
	}
	if strings.Contains(page.body, `value="placed" checked`) || !strings.Contains(page.body, `value="total" checked`) {
		t.Error("the form does not show the choice")
	}
	b.post("/orders/columns", url.Values{"show": {"placed", "customer", "lines", "shipped", "channel", "total"}})
	if list := heads(b.get("/orders")); list != whole {
		t.Errorf("all again: %s", list)
	}
}

// The bar says what the ticked orders come to, by currency and as the locale writes it, and what of them is to ship; one button
// unticks all.
func TestSumOfASelection(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	line := func(price string) map[string]any {
		return map[string]any{"items": []any{map[string]any{"sku": "MUG", "quantity": 2, "unitPrice": price}}}
	}
	yen := line("1200")
	yen["currency"] = "JPY"
	first, second := c.order("PROCESSING", line("617283.75")), c.order("PENDING", line("0.10"))
	third, fourth := c.order("PROCESSING", yen), c.order("PROCESSING", line("5.00"))
	c.call("PATCH", "/orders/"+fourth+"/status", map[string]any{"status": "CANCELLED"})
	b := s.window(t, s.owner)
	says := func(words string) {
		t.Helper()
		b.until(`document.querySelector("#bulk-sums").textContent.replaceAll("\u00a0", " ") === "` + words + `"`)
	}
	b.open("/orders")
	b.click("#t-" + first)
	says("€1,234,567.50, 2 units to ship")
	b.click("#t-" + second)
	says("€1,234,567.70, 2 units to ship")
	c.order("PENDING", line("1"))
	b.until("document.querySelectorAll('.rows tbody tr').length === 5") // news leave the sum as it is
	says("€1,234,567.70, 2 units to ship")
	b.click("#t-" + third)
	says("€1,234,567.70 + ¥2,400, 4 units to ship")
	b.click("#bulk [name=all]") // whose sum is not known here
	says("")
	b.until(`document.querySelector("[data-ticked]").textContent === "All 5 selected"`)
	b.click("#bulk [name=all]")
	b.click("#bulk [type=reset]")
	b.until(`!document.querySelector("#bulk").checkVisibility() && !document.querySelector(".rows :checked")`)
	b.until(`document.activeElement.id === "t-` + first + `"`) // the last in the list
	b.click("#t-" + fourth)
	says("€10.00")

	preferences := s.as(s.owner)
	preferences.leads(t, preferences.sendForm(t, preferences.get("/settings/me"), "/settings/me/preferences", "locale", "de-DE"))
	b.open("/orders")
	b.click("#t-" + first)
	says("1.234.567,50 €, 2 units to ship")
	b.click("#t-" + third)
	b.until(`/ \+ 2\.400.¥, 4 units to ship$/.test(document.querySelector("#bulk-sums").textContent)`)
}
