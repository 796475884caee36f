package dashboard

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/webhooks"
)

// What happened in one moment names its events once: a deleted shipment and the status that it leaves are one change.
func TestStepsOfOneMoment(t *testing.T) {
	list := []trailEntry{{Head: "Shipped → To ship", at: 7}, {Head: "Shipment deleted", at: 7}, {Head: "Received", at: 3}}
	facts := &orderFacts{heard: []webhooks.Heard{
		{Delivery: webhooks.Delivery{Name: "order.status_changed", State: webhooks.Delivered}, EventAt: 7},
		{Delivery: webhooks.Delivery{Name: "order.received", State: webhooks.Delivered}, EventAt: 3}}}
	(&request{}).whoHeard(facts, list)
	for i, events := range []string{"order.status_changed", "", "order.received"} {
		if list[i].Events != events || (list[i].Heard == "") != (events == "") {
			t.Errorf("%s: %q %q", list[i].Head, list[i].Events, list[i].Heard)
		}
	}
}

// Nine of three cannot be shipped: the API's words stand beside the input, which keeps what was typed. One can, and is taken back whole.
func TestShipAndUndo(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		order := c.order("PROCESSING", nil, 3, 2)
		path := "/orders/" + order
		lines := c.call("GET", path, nil)["items"].([]any)
		line := func(i int) string { return lines[i].(map[string]any)["id"].(string) }
		ship := func(first, second string) reply {
			return b.post(path+"/ship", url.Values{"_key": {b.get(path).key(t, path+"/ship")}, "carrier": {"DHL"}, "trackingNumber": {"JD 1"},
				"items[0].orderItemId": {line(0)}, "items[0].quantity": {first}, "items[1].orderItemId": {line(1)}, "items[1].quantity": {second}})
		}
		if page := b.get(path); !strings.Contains(page.words(), "2 lines, 5 units, 5 to ship") ||
			!strings.Contains(page.words(), "Ship 5 units") {
			t.Errorf("%s", page.words())
		}
		out := ship("0", "9")
		if out.status != 422 || !strings.Contains(out.words(), "Cannot ship 9 of TEA only 2 remaining") ||
			!strings.Contains(out.body, `name="items[1].quantity" inputmode="numeric" value="9"`) || !strings.Contains(out.body, `value="JD 1"`) {
			t.Errorf("%d %s", out.status, out.words())
		}
		if out := ship("", "0"); out.status != 422 || !strings.Contains(out.words(), "Type how many units of a line leave now") {
			t.Errorf("%d %s", out.status, out.words())
		}
		if out := ship("many", ""); out.status != 422 || !strings.Contains(out.words(), "must be a whole number") {
			t.Errorf("%d %s", out.status, out.words())
		}
		out = b.follow(ship("1", "0"))
		for _, words := range []string{"Shipped 1 unit with DHL. ORD-000001 is partly shipped", "Undo", "Partly shipped", "1 × The MUG",
			"JD 1", "Ready to ship → Partly shipped 1 unit with DHL"} {
			if !strings.Contains(out.words(), words) {
				t.Errorf("no %q in %s", words, out.words())
			}
		}
		has(t, b.get(path+"?open=movements"), "MAIN, shipment −1")
		shipment := c.call("GET", path, nil)["shipments"].([]any)[0].(map[string]any)["id"].(string)
		undo := url.Values{"_key": {"undo"}, "shipment": {shipment}}
		for range 2 { // a double click
			out = b.follow(b.post(path+"/unship", undo))
		}
		for _, words := range []string{"2 lines, 5 units, 5 to ship", "Shipment deleted"} {
			if !strings.Contains(out.words(), words) {
				t.Errorf("no %q in %s", words, out.words())
			}
		}
		// What the shipment had is in the form, which news of its deletion leave alone; its button does not name another number.
		if _, form, _ := strings.Cut(out.body, `<form id="lines-form"`); !strings.Contains(form, " data-stays") ||
			!strings.Contains(form, `name="items[0].quantity" inputmode="numeric" value="1"`) || !strings.Contains(out.words(), "Ship again") {
			t.Errorf("to be shipped again: %.900s", form)
		}
		has(t, b.get(path), "Ship 5 units")
		has(t, b.get(path+"?open=movements"), "MAIN, shipment deleted")
	})
}

// Only what the order allows is offered, and what it refuses changes nothing.
func TestMovesOfAnOrder(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		for status, offers := range map[string]map[string]bool{
			"PENDING":    {"Release to ship": true, "Cancel order": true, "Mark delivered": false, "Ship 2 units": false, "Edit lines": true},
			"PROCESSING": {"Release to ship": false, "Cancel order": true, "Ship 2 units": true, "Edit lines": true},
			"SHIPPED":    {"Mark delivered": true, "Mark returned": true, "Cancel order": false, "Undo shipment": true, "Edit lines": false},
			"DELIVERED":  {"Mark returned": true, "Mark delivered": false, "Undo shipment": false},
			"CANCELLED":  {"Mark returned": false, "Release to ship": false, "Edit lines": false},
		} {
			page := b.get("/orders/" + c.order(status, nil, 2))
			for words, want := range offers {
				if strings.Contains(page.words(), words) != want {
					t.Errorf("%s: %q is offered: %v", status, words, !want)
				}
			}
		}
		order := "/orders/" + c.order("PENDING", nil, 2)
		if out := b.post(order+"/move", url.Values{"status": {"DELIVERED"}}); out.status != 422 ||
			!strings.Contains(out.words(), "Not shipped yet") {
			t.Errorf("%d %s", out.status, out.words())
		}
		if out := b.follow(b.post(order+"/move", url.Values{"status": {"CANCELLED"}})); !strings.Contains(out.words(), "Cancelled ORD-") {
			t.Errorf("%s", out.words())
		}
		s.newUser("vera@test.example", accounts.Viewer)
		if page := s.as(accounts.User{Email: "vera@test.example"}).get(order); page.status != 200 || strings.Contains(page.body, "<textarea") {
			t.Errorf("a viewer's page: %d", page.status)
		}
	})
}

// What came back is asked for first, because it cannot be taken back; its units are on hand again only if the user says so.
func TestReturn(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		left := 100
		for _, restock := range []string{"", "true"} {
			path := "/orders/" + c.order("DELIVERED", nil, 3)
			left -= 3
			page := b.get(path)
			has(t, page, "Mark returned…", "ORD-00000", "returned?", "You cannot undo this.", "Put the shipped units back in stock", "Packing slip")
			sent := url.Values{"_key": {page.key(t, path+"/move")}, "status": {"RETURNED"}}
			if restock != "" {
				sent.Set("restock", restock)
				left += 3
			}
			after := b.follow(b.post(path+"/move", sent))
			if words := after.words(); !strings.Contains(words, "Marked ORD-") || strings.Contains(words, "Packing slip") {
				t.Errorf("restock %q: %.600s", restock, words)
			}
			has(t, b.get("/stock/MUG"), fmt.Sprintf("ledger %d, on hand %d", left, left))
		}
	})
}

// A note that was changed meanwhile is refused in the open: the form that is otherwise folded stands open, with what was typed, and the
// form of the address stays what it is.
func TestRefusedNotesAreSeen(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c := s.shopper(t)
		c.articles()
		path := "/orders/" + c.order("PENDING", nil, 1)
		one, two := s.as(s.owner), s.as(s.owner)
		late := two.get(path).inputs(t, path+"/details")
		first := one.get(path).inputs(t, path+"/details")
		first.Set("notes", "Ring")
		one.follow(one.post(path+"/details", first))
		late.Set("notes", "Do not ring")
		out := two.post(path+"/details", late)
		_, form, _ := strings.Cut(out.body, `<details open><summary class="btn tiny quiet">Edit note`)
		if form, _, _ = strings.Cut(form, "</details>"); out.status != 412 || !strings.Contains(form, "Do not ring") ||
			!strings.Contains(form, "it is “Ring” now") {
			t.Errorf("%d %s", out.status, form)
		}
		if address := out.inputs(t, path+"/address"); !address.Has("shippingAddress.line1") || address.Has("notes") {
			t.Errorf("the form of the address has %v", address)
		}
	})
}

// Lines, note and address are edited, and the timeline shows what was and what is.
func TestEditOrder(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		order := c.order("PENDING", nil, 8, 1)
		path := "/orders/" + order
		lines := c.call("GET", path, nil)["items"].([]any)
		line := func(i int) string { return lines[i].(map[string]any)["id"].(string) }
		values := url.Values{"items[0].id": {line(0)}, "items[0].sku": {"MUG"}, "items[0].quantity": {"6"}, "items[0].unitPrice": {"9,50"},
			"items[1].id": {line(1)}, "items[1].sku": {"TEA"}, "items[1].quantity": {"0"}, "items[1].unitPrice": {"9.50"},
			"items[2].sku": {"NOPE"}, "items[2].quantity": {"1"}, "items[2].unitPrice": {"2"}, "shippingAmount": {"4.90"},
			"discountAmount": {"0"}}
		if out := b.post(path+"/lines", values); out.status != 422 || !strings.Contains(out.words(), "NOPE") {
			t.Errorf("%d %s", out.status, out.words())
		}
		values.Set("items[2].sku", "")
		out := b.follow(b.post(path+"/lines", values))
		for _, words := range []string{"Saved the lines of ORD-000001", "1 line, 6 units",
			"Lines edited : The MUG 8 → 6 , TEA 1 → none", "shipping €0.00 → €4.90", "total €85.50 → €61.90", "by you"} {
			if !strings.Contains(out.words(), words) {
				t.Errorf("no %q in %s", words, out.words())
			}
		}
		b.post(path+"/details", url.Values{"notes": {"Call first:\nthe bell is broken"}})
		address := url.Values{"shippingAddress.line1": {"2 rue"}, "shippingAddress.postalCode": {"54000"}, "shippingAddress.city": {"Nancy"},
			"shippingAddress.country": {"France"}}
		if out := b.post(path+"/address", address); out.status != 422 || !strings.Contains(out.words(), "must be two letters, such as FR") {
			t.Errorf("%d %s", out.status, out.words())
		}
		address.Set("shippingAddress.country", "FR")
		out = b.follow(b.post(path+"/address", address))
		for _, words := range []string{"Call first: the bell is broken", "2 rue 54000 Nancy France", "Details edited shipping address"} {
			if !strings.Contains(out.words(), words) {
				t.Errorf("no %q in %s", words, out.words())
			}
		}
		kept, err := json.Marshal(c.call("GET", path, nil)["shippingAddress"])
		if err != nil || !strings.Contains(string(kept), `"doorCode":"12B"`) || strings.Contains(string(kept), "75002") {
			t.Errorf("%s", kept)
		}
	})
}

// An order is opened with the list it came from: its neighbours are those of that list.
func TestNeighboursOfAnOrder(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		c, b := s.shopper(t), s.as(s.owner)
		c.articles()
		first, _, third := c.order("PENDING", nil, 1), c.order("DELIVERED", nil, 1), c.order("PENDING", nil, 1)
		page := b.get("/orders/" + third + "?status=PENDING")
		if !strings.Contains(page.body, `rel="next" href="/dashboard/orders/`+first+`?status=PENDING"`) ||
			strings.Contains(page.body, `rel="prev"`) {
			t.Errorf("%s", page.body[:3000])
		}
	})
}
