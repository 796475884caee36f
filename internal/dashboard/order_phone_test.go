package dashboard

import (
	"slices"
	"testing"
)

// On a phone, what an order comes to, its customer and addresses stand before the JSON of the API; parts of the page are opened in place,
// and what was typed meanwhile stays. Who opens the form of the lines by the keyboard stays at its button.
func TestPartsOfAnOrder(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	order := c.order("PROCESSING", map[string]any{"channelId": string(s.channel("Shop").ID)}, 3)
	b := s.window(t, s.owner)
	b.look(390, "light")
	b.open("/orders/" + order)
	tops := eval[[]float64](b, `['card-sum', 'card-cust', 'addresses', 'json'].map(
		id => document.getElementById(id).getBoundingClientRect().top)`)
	if !slices.IsSorted(tops) || len(slices.Compact(tops)) < 4 {
		t.Errorf("total, customer, addresses and JSON are at %v", tops)
	}
	if line := eval[string](b, "getComputedStyle(document.querySelector('.sub a')).textDecorationLine"); line != "underline" {
		t.Errorf("a link within words has only its colour to be seen by: %s", line) // axe: link-in-text-block
	}
	b.fill("[name=trackingNumber]", "1Z")
	b.press("Show JSON")
	b.until("document.querySelector('#json .body pre')?.innerText.includes('unitPrice') && location.href.endsWith('?open=json#json')")
	if typed := eval[string](b, "document.querySelector('[name=trackingNumber]').value"); typed != "1Z" {
		t.Errorf("what was typed is %q", typed)
	}
	b.press("Show JSON")
	b.until("!document.querySelector('#json .body pre') && location.search === ''")
	b.focus("#lines header button")
	b.keys("\r")
	b.until(`document.querySelector('#edit-form') && document.activeElement.innerText === 'Edit lines' &&
		document.activeElement.ariaExpanded === 'true'`)
	if b.is("document.body.innerText.includes('Ship everything')") {
		t.Error("what is being edited can be shipped")
	}
	b.fill("[aria-label='Quantity of The MUG']", "2")
	b.press("Save lines")
	b.shows("1 line, 2 units")
	b.until("!document.querySelector('#edit-form')")
}
