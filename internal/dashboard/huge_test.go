package dashboard

import (
	"fmt"
	"strings"
	"testing"
)

// covered gives what lies on something else, is wider than the page, or has letters below each other, of the cells and figures of a page.
const covered = `(() => {
	const wrong = [], wide = document.documentElement.scrollWidth - innerWidth;
	if (wide > 0) wrong.push(wide + " px too wide");
	const box = cell => { const all = document.createRange(); all.selectNodeContents(cell);
		return (getComputedStyle(cell).overflowX === "visible" ? all : cell).getBoundingClientRect() };
	for (const row of document.querySelectorAll("main tbody tr")) {
		const cells = [...row.cells].filter(cell => cell.checkVisibility() && cell.innerText.trim());
		for (const one of cells) {
			const a = box(one);
			if (a.height > 30 * Math.max(3, a.width / 8)) wrong.push("letters below each other: " + one.innerText.slice(0, 40));
			for (const other of cells) {
				const b = box(other);
				if (one !== other && a.left < b.right - 2 && b.left < a.right - 2 && a.top < b.bottom - 3 && b.top < a.bottom - 3 &&
					getComputedStyle(row).display === "grid") {
					wrong.push(one.innerText.slice(0, 40) + " covers " + other.innerText.slice(0, 40));
				}
			}
		}
	}
	for (const figure of document.querySelectorAll(".kpis strong, a.hit[id^=a-]")) {
		const all = document.createRange();
		all.selectNodeContents(figure);
		if (all.getClientRects().length > 1) wrong.push("broken: " + figure.innerText);
	}
	for (const number of document.querySelectorAll("a.hit[id^=a-]")) {
		const cell = number.closest("td").getBoundingClientRect();
		if (number.getBoundingClientRect().right > cell.right + 4) wrong.push("cut: " + number.innerText);
	}
	const axis = document.querySelector(".chart")?.closest(".card").getBoundingClientRect();
	for (const words of document.querySelectorAll(".chart .axis")) {
		if (words.checkVisibility() && words.getBoundingClientRect().left < axis.left + 4) wrong.push("beyond its card: " + words.textContent);
	}
	return wrong;
})()`

// Amounts of twelve digits, long addresses of receivers and long names leave every page whole at each width: nothing covers anything, no
// figure is broken, and no order's number is cut.
func TestHugeAmountsLeavePagesWhole(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.call("PATCH", "/account", map[string]any{"currency": "KWD"})
	name := strings.Repeat("Betriebswerkbau", 6)
	c.call("POST", "/products", map[string]any{"sku": "HUGE", "name": name, "price": "99999999999.999", "compareAtPrice": "99999999999.998"})
	channel := string(s.channel("WooCommerce shop (simulated)").ID)
	var customers, orders []string
	for i, currency := range []string{"KWD", "INR", "JPY"} {
		mail := fmt.Sprint("p", i, "@example.com")
		orders = append(orders, c.call("POST", "/orders", map[string]any{"customerName": name, "customerEmail": mail, "currency": currency,
			"channelId": channel, "initialStatus": "PROCESSING", "externalReference": fmt.Sprint("REFERENCE-", i), "items": []any{
				map[string]any{"sku": "HUGE", "quantity": 7, "unitPrice": "14285714.5"}}})["id"].(string))
		customers = append(customers, c.list("/customers?search=" + mail)[0]["id"].(string))
	}
	endpoint := c.call("POST", "/developer/webhooks", map[string]any{"url": "http://127.0.0.1:9/" + strings.Repeat("path/", 40),
		"events": []string{"*"}})["id"].(string)
	test := c.call("POST", "/developer/webhooks/"+endpoint+"/test", nil)
	delivery := c.list("/developer/webhooks/" + endpoint + "/deliveries")
	if len(delivery) == 0 {
		t.Fatalf("no delivery: %v", test)
	}
	b := s.window(t, s.owner)
	for _, width := range []int64{1440, 1000, 390, 320} {
		b.look(width, "light")
		for _, path := range []string{"/", "/orders", "/orders/" + orders[1], "/products", "/customers",
			"/customers/" + customers[0] + "/merge?with=" + customers[1], "/webhooks/deliveries/" + delivery[0]["id"].(string)} {
			b.open(path)
			for i, what := range eval[[]string](b, covered) {
				if i < 4 {
					t.Errorf("%s at %d: %s", path, width, what)
				}
			}
		}
	}
}
