package dashboard

import (
	"strings"
	"testing"
)

// change sends the form that a page has for an action, with some of its inputs changed.
func (b *browser) change(t testing.TB, page reply, action string, typed ...string) reply {
	t.Helper()
	values := page.inputs(t, action)
	for i := 0; i < len(typed); i += 2 {
		values.Set(typed[i], typed[i+1])
	}
	return b.post(action, values)
}

// A return is announced, received and refunded on the order's page; what is wrong stands at its input, and nothing is stored then.
func TestReturnOfAnOrder(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		path := "/orders/" + c.order("SHIPPED", nil, 3, 2)
		has(t, b.get(path), "Returns and refunds", "Nothing has come back.")
		if page := b.get("/orders/" + c.order("PROCESSING", nil, 1)); strings.Contains(page.words(), "Returns and refunds") {
			t.Errorf("an order of which nothing left offers returns: %s", page.words())
		}
		opened := b.get(path + "?open=returns")
		has(t, opened, "of 3", "of 2", "Announce return", "Record refund")
		for typed, want := range map[string]string{"": "type how many units of a line come back", "9": "Cannot return 9 of MUG only 3 shipped",
			"two": "must be a whole number"} {
			out := b.change(t, opened, path+"/returns", "items[0].quantity", typed)
			if out.status != 422 || !strings.Contains(strings.ToLower(out.words()), strings.ToLower(want)) ||
				!strings.Contains(out.body, `name="items[0].quantity" inputmode="numeric" value="`+typed+`"`) {
				t.Errorf("%q: %d, no %q in %s", typed, out.status, want, out.words())
			}
		}
		out := b.follow(b.change(t, opened, path+"/returns", "items[0].quantity", "2", "items[1].quantity", "1", "items[1].restock", "",
			"reason", "too small"))
		has(t, out, "Announced a return: 2 × The MUG · 1 × ", "not to be sold again", "Expected", "too small", "Return announced")
		has(t, b.get("/returns?status=requested"), "ORD-000001", "Expected", "2 × The MUG")
		out = b.follow(b.change(t, out, path+"/returns/move", "status", "received"))
		has(t, out, "Received the return of ORD-000001. What can be sold again is back in stock", "Received", "Return received")
		has(t, b.get(path+"?open=movements"), "MAIN, return +2")
		if page := b.change(t, out, path+"/returns/move", "status", "refunded", "refundAmount", "9999"); page.status != 422 ||
			!strings.Contains(page.words(), "must not be above what is left to refund") {
			t.Errorf("%d %s", page.status, page.words())
		}
		out = b.follow(b.change(t, out, path+"/returns/move", "status", "refunded"))
		has(t, out, "Recorded a refund of", "Refunded")
		has(t, b.get("/returns?status=refunded"), "ORD-000001")
		has(t, b.get("/returns?status=rejected"), "No return matches")
		opened = b.get(path + "?open=returns")
		has(t, opened, "of 1", "that you paid back without goods, at most")
		if page := b.change(t, opened, path+"/refunds", "amount", "0"); page.status != 422 {
			t.Errorf("a refund of nothing: %d %s", page.status, page.words())
		}
		has(t, b.follow(b.change(t, opened, path+"/refunds", "amount", "1", "reason", "late")), "Recorded a refund of", "late")
	})
}
