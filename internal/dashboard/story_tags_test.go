package dashboard

import (
	"testing"

	"github.com/chromedp/chromedp"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// A person tags an order with the keyboard, assigns it, and takes a tag away: each is one step, and the cursor stays in the card. Two
// ticked orders are tagged together in three clicks.
func TestStoryOfTags(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	one, two := c.order("PROCESSING", nil, 1), c.order("PENDING", map[string]any{"tags": []any{"a rather long tag of a long order"}}, 1)
	b := s.window(t, s.owner)
	for _, width := range []int64{1440, 390} {
		b.look(width, map[int64]string{1440: "dark", 390: "light"}[width])
		b.open("/orders/" + one)
		b.fill("#card-tags [name=add]", "gift, fragile")
		b.press("Add")
		b.shows("Tags saved")
		b.until("document.querySelectorAll('#card-tags .chip').length === 2")
		b.choose("#card-tags [name=assignedTo]", string(s.owner.ID))
		b.press("Assign")
		b.shows("is assigned")
		b.shoot(t, "order-tags")
		for b.click("#card-tags .chip"); eval[int](b, "document.querySelectorAll('#card-tags .chip').length") > 1; {
			b.until("document.querySelectorAll('#card-tags .chip').length === 1")
		}
		b.click("#card-tags .chip")
		b.until("document.querySelectorAll('#card-tags .chip').length === 0")
	}
	b.look(1440, "dark")
	b.open("/orders")
	b.click("#t-" + one)
	b.click("#t-" + two)
	b.press("Tag or assign")
	b.shows("Tag or assign 2 orders")
	b.fill("[name=add]", "rush")
	b.shoot(t, "orders-tag")
	b.press("Change 2 orders")
	b.shows("Progress")
	s.work()
	b.shows("2 done, 0 refused")
	b.open("/orders?tag=rush&assignedTo=none")
	b.shows("Tag: rush")
	b.shoot(t, "orders-tagged")
	b.look(390, "light")
	b.open("/orders?tag=rush")
	b.shoot(t, "orders-tagged")
	s.do(s.account.Tenant, func(tx *db.Tx) error {
		list, err := orders.ByIDs(tx, []id.Order{id.Order(one), id.Order(two)})
		for _, o := range list {
			if len(o.Tags) == 0 || o.Tags[len(o.Tags)-1] != "rush" {
				t.Errorf("%v", o.Tags)
			}
		}
		return err
	})
}

var _ chromedp.Action
