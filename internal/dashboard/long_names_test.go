package dashboard

import (
	"strings"
	"testing"
)

// A name that does not fit is cut at its end, also one that is written from right to left, and what stands behind it stays in sight: how
// many lines more an order has, and the country.
func TestLongNamesKeepTheirBeginning(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	arabic := strings.Repeat("قميص قطني طويل الأكمام ", 8)
	c.call("POST", "/products", map[string]any{"sku": "RTL", "name": arabic, "price": 1})
	c.call("POST", "/orders", map[string]any{"customerName": arabic, "customerEmail": "rtl@example.com", "shippingAddress": map[string]any{
		"country": "IL"}, "items": []any{map[string]any{"sku": "RTL", "quantity": 1, "unitPrice": 1},
		map[string]any{"sku": "RTL", "quantity": 2, "unitPrice": 1}}})
	b := s.window(t, s.owner)
	for _, width := range []int64{1440, 1000, 390} {
		b.look(width, "light")
		for path, cells := range map[string]string{"/orders": "[data-at=who], [data-at=more]", "/products": "[data-at=name]",
			"/stock": "[data-at=who]", "/customers": "[data-at=name]"} {
			b.open(path)
			if cut := eval[[]string](b, `[...document.querySelectorAll('.rows tbody tr')].flatMap(row => [...row.querySelectorAll('`+cells+`')])
				.filter(cell => {
					const text = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode(), first = document.createRange();
					first.setStart(text, 0);
					first.setEnd(text, 1);
					const seen = box => { const all = cell.getBoundingClientRect();
						return box.width > 0 && box.left >= all.left - 1 && box.right <= all.right + 1 && box.bottom <= all.bottom + 4 };
					const behind = document.createRange();
					behind.selectNodeContents(cell.lastChild);
					return !seen(first.getBoundingClientRect()) || cell.matches('.both') && !seen(behind.getBoundingClientRect());
				}).map(cell => cell.innerText)`); len(cut) > 0 {
				t.Errorf("%s at %d: %q", path, width, cut)
			}
		}
	}
}

// Beside a long name without spaces, what a row begins with keeps its width on a phone, and the way to a page breaks between its steps.
func TestLongNamesLeaveRoom(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	c.order("PROCESSING", map[string]any{"customerName": strings.Repeat("x", 200)}, 1)
	c.call("POST", "/products", map[string]any{"sku": "LONG", "name": strings.Repeat("A long name ", 30), "price": 1})
	endpoint := c.call("POST", "/developer/webhooks", map[string]any{"url": "http://127.0.0.1:9/", "events": []string{"*"},
		"description": strings.Repeat("Receiver ", 8)})["id"].(string)
	b := s.window(t, s.owner)
	b.look(390, "light")
	b.open("/stock/MUG")
	width := eval[float64](b, `document.querySelector('main a[href*="/orders/"]').closest('td').getBoundingClientRect().width`)
	if width < 80 {
		t.Errorf("the number of an order has %v px", width)
	}
	b.open("/products")
	lines := eval[float64](b, "Math.max(...[...document.querySelectorAll('td[data-at=name]')].map(cell => cell.offsetHeight)) / 24")
	if lines > 2.1 {
		t.Errorf("a name in a card has %v lines", lines)
	}
	b.open("/webhooks/replay/" + endpoint)
	if height := eval[float64](b, "document.querySelector('.crumbs a').getBoundingClientRect().height"); height > 30 {
		t.Errorf("a step of the way is broken within its word: %v px high", height)
	}
}

// The list of deliveries says why a connection failed; where to is said beside it.
func TestWhyAConnectionFailed(t *testing.T) {
	for said, want := range map[string]string{
		"connecting to 127.0.0.1:9: dial: connection refused": "connection refused", "HTTP 500": "HTTP 500",
		"connecting to shop.example:443: dial: lookup shop.example: no such host": "lookup shop.example: no such host", "": "",
		"connecting to nothing": "connecting to nothing", "timeout": "timeout"} {
		if got := shortError(said); got != want {
			t.Errorf("%q is shown as %q", said, got)
		}
	}
}
