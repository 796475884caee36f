package dashboard

import (
	"strings"
	"testing"
)

// Where orders are cards, each shows when it was placed and by which channel, below its buyer.
func TestOrderCardsShowDateAndChannel(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	b := s.window(t, s.owner)
	b.look(1000, "light")
	b.open("/orders")
	if bare := eval[[]string](b, `[...document.querySelectorAll('table.rows tbody tr')].filter(row => {
		const who = row.querySelector('[data-at=who]').getBoundingClientRect(), all = row.getBoundingClientRect();
		const seen = css => { const box = row.querySelector(css).getBoundingClientRect();
			return box.width > 0 && box.top >= who.bottom && box.bottom <= all.bottom && box.right <= all.right };
		return getComputedStyle(row).display !== 'grid' || !seen('[data-at=when] time') ||
			row.querySelector('[data-at=where]').innerText !== '' && !seen('[data-at=where]') })
		.map(row => row.innerText)`); len(bare) > 0 {
		t.Errorf("cards without date or channel: %q", bare)
	}
	if rows := eval[int](b, "document.querySelectorAll('table.rows tbody tr').length"); rows == 0 {
		t.Error("no orders are shown")
	}
	for _, width := range []int64{768, 1024, 1440} { // nobody's name is cut, whether they are cards or rows
		b.look(width, "light")
		if cut := eval[[]string](b, `[...document.querySelectorAll('[data-at=who] > bdi')].filter(name => name.scrollWidth > name.clientWidth + 1)
			.map(name => name.innerText)`); len(cut) > 0 {
			t.Errorf("at %d, names are cut: %q", width, cut)
		}
	}
}

// On a phone, a card says what was ordered and how much of it is shipped, and nothing covers anything else.
func TestOrderCardsShowLinesAndUnits(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	c.order("PROCESSING", map[string]any{"customerName": strings.Repeat("Ada ", 40)}, 2, 3)
	c.order("PENDING", nil, 100_000)
	b := s.window(t, s.owner)
	for _, width := range []int64{390, 320} {
		b.look(width, "light")
		b.open("/orders")
		if bare := eval[[]string](b, `[...document.querySelectorAll('table.rows tbody tr')].filter(row => {
			const cells = [...row.cells].filter(cell => cell.checkVisibility()).map(cell => [cell, cell.getBoundingClientRect()]);
			const seen = at => cells.some(([cell, box]) => cell.dataset.at === at && box.width > 40 && box.right <= innerWidth);
			return !seen('more') || !seen('units') || !seen('name') || cells.some(([one, a]) => cells.some(([other, b]) => one !== other &&
				one.dataset.at !== 'tick' && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1));
		}).map(row => row.innerText)`); len(bare) > 0 {
			t.Errorf("at %d: %q", width, bare)
		}
		if words := eval[string](b, "document.querySelector('tbody tr:last-child').innerText.replace(/\\s+/g, ' ')"); !strings.Contains(words,
			"The MUG +1") || !strings.Contains(words, "0 of 5") {
			t.Errorf("at %d: %s", width, words)
		}
	}
}

// On a phone, the inputs of variants and the figures of an order's lines say what they are, within the page.
func TestCardsOfVariantsAndLines(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	product := c.call("POST", "/products", map[string]any{"sku": "SHIRT", "name": "Shirt", "price": 1,
		"variants": []any{map[string]any{"sku": "SHIRT-M", "name": "Medium"}}})["id"].(string)
	order := c.order("PENDING", nil, 2)
	b := s.window(t, s.owner)
	b.look(390, "light")
	const outside = `[...document.querySelectorAll('main td, main td input:not([type=hidden])')].filter(one => {
		const box = one.getBoundingClientRect();
		return box.right > one.closest('.card').getBoundingClientRect().right || one.tagName === 'INPUT' && box.width < 100;
	}).map(one => one.outerHTML)`
	label := func(css string) string {
		return eval[string](b, "getComputedStyle(document.querySelector('"+css+"'), '::before').content")
	}
	b.open("/products/" + product)
	if bad := eval[[]string](b, outside); len(bad) > 0 || label("#card-variants td:nth-child(4)") != `"GTIN "` {
		t.Errorf("%s: %q", label("#card-variants td:nth-child(4)"), bad)
	}
	b.open("/orders/" + order)
	if bad := eval[[]string](b, outside); len(bad) > 0 || label("#lines td:last-child") != `"Total "` {
		t.Errorf("%s: %q", label("#lines td:last-child"), bad)
	}
	if words := eval[string](b, "document.querySelector('#lines td:last-child').innerText"); words != "€19.00" {
		t.Errorf("the total of a line: %s", words)
	}
}
