package dashboard

import (
	"fmt"
	"testing"
)

// A person tags an order by the keyboard, assigns it, and removes a tag; then two ticked orders get a tag in three clicks, and are found by
// it. Both at a desk and on a phone.
func TestStoryOfTags(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	one := c.order("PROCESSING", map[string]any{"externalReference": "WEB-1"}, 1)
	two := c.order("PENDING", map[string]any{"tags": []any{"a rather long tag of an order that has more of them", "late"}}, 1)
	b := s.window(t, s.owner)
	for _, width := range []int64{1440, 390} {
		b.look(width, "light")
		b.open("/orders/" + one)
		b.fill("#card-tags [name=add]", fmt.Sprintf("gift, fragile %d", width))
		b.keys("\r")
		b.until("document.querySelectorAll('#card-tags .chip').length === 2")
		b.act("document.querySelector('#card-tags select')", fmt.Sprintf("el.value = '%s'", s.owner.ID))
		b.press("Assign")
		b.shows("Assigned ORD-")
		b.shoot(t, "order-tags")
		b.look(width, "light")
		b.click("#card-tags .chip:last-child")
		b.until("document.querySelectorAll('#card-tags .chip').length === 1")
	}
	b.look(1440, "light")
	b.open("/orders")
	b.click("#t-" + one)
	b.click("#t-" + two)
	b.press("Tag or assign")
	b.shows("Tag or assign 2 orders")
	b.fill("[name=add]", "rush")
	b.shoot(t, "orders-tag")
	b.look(1440, "light")
	b.press("Change 2 orders")
	b.shows("Progress")
	s.work()
	b.shows("2 done, 0 refused")
	b.open("/orders?tag=rush&assignedTo=none")
	b.shows("Assigned to: nobody")
	b.until("document.querySelectorAll('#orders tbody tr').length === 1")
	b.click("a[aria-label^='Remove filter Assigned to']")
	b.until("document.querySelectorAll('#orders tbody tr').length === 2")
	b.shoot(t, "orders-tagged")
	b.look(1440, "light")
	b.press("Assigned to")
	b.press("Olga Owner (me)")
	b.until("document.querySelectorAll('#orders tbody tr').length === 1")
}
