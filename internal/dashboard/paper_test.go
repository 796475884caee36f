package dashboard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

// On paper nothing is cut: a list of stock is counted by its SKUs, and nobody can point at a name to see the rest of it. What was minutes
// ago when it was printed has its date there.
func TestNothingIsCutOnPaper(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	name := strings.Repeat("Jute twine, three strands ", 4)
	var items []any
	for i := range 3 {
		sku := fmt.Sprint("GARDEN-TWINE-JUTE-THREE-STRANDS-", i)
		c.call("POST", "/products", map[string]any{"sku": sku, "name": name, "price": 1})
		c.call("POST", "/inventory/movements", map[string]any{"sku": sku, "type": "receive", "quantity": 5})
		items = append(items, map[string]any{"sku": sku, "quantity": 1, "unitPrice": 1})
	}
	c.call("POST", "/orders", map[string]any{"customerName": "Maximiliane Oberhuber-Waldenfels", "customerEmail": "max@example.com",
		"items": items, "shippingAddress": map[string]any{"country": "AT"}, "externalReference": "REFERENCE-OF-THE-SHOP-2026-11-28"})
	b := s.window(t, s.owner)
	b.look(794, "light")
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	for _, path := range []string{"/stock", "/orders", "/products", "/customers", "/events"} {
		b.open(path)
		if cut := eval[[]string](b, `[...document.querySelectorAll("main tbody td")].filter(cell => {
			const all = document.createRange();
			all.selectNodeContents(cell);
			const text = all.getBoundingClientRect(), box = cell.getBoundingClientRect();
			return cell.checkVisibility() && text.width && !cell.querySelector("input") && (text.right > box.right + 1 || text.left < box.left - 1 ||
				[cell, ...cell.querySelectorAll("*")].some(el => getComputedStyle(el).overflowX !== "visible" && el.scrollWidth > el.clientWidth + 1 &&
					!el.matches("input, svg, .out")));
		}).map(cell => cell.innerText)`); len(cut) > 0 {
			t.Errorf("%s: %q", path, cut)
		}
		if times := eval[[]string](b, `[...document.querySelectorAll("main tbody time")].map(at => getComputedStyle(at).fontSize === "0px" ?
			getComputedStyle(at, "::after").content : at.innerText).filter(words => !/\d \w+ 20\d\d/.test(words))`); len(times) > 0 {
			t.Errorf("%s: times without a date: %q", path, times)
		}
		if b.is("[...document.querySelectorAll('.live, [data-at=tick] input, [data-all]')].some(el => el.checkVisibility())") {
			t.Errorf("%s: ticks or news are on the paper", path)
		}
	}
}
