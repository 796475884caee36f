package dashboard

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// seedOrders are orders of each status, one of them shipped in part and edited, and a bulk move.
func (s *site) seedOrders() {
	s.t.Helper()
	c, b := s.shopper(s.t), s.as(s.owner)
	c.articles()
	for _, status := range []string{"PENDING", "SHIPPED", "DELIVERED", "CANCELLED", "RETURNED"} {
		c.order(status, map[string]any{"externalReference": "WEB-" + status, "notes": "Call before delivery."}, 3, 1)
	}
	order := c.order("PROCESSING", map[string]any{"notes": "The bell is broken.", "paymentMetadata": map[string]any{"provider": "stripe",
		"captured": true}}, 5, 2)
	lines := c.call("GET", "/orders/"+order, nil)["items"].([]any)
	c.call("POST", "/orders/"+order+"/shipments", map[string]any{"carrier": "DHL", "trackingNumber": "JJD1", "items": []any{
		map[string]any{"orderItemId": lines[0].(map[string]any)["id"], "quantity": 2}}})
	job := b.post("/orders/bulk", url.Values{"all": {"6"}, "to": {"SHIPPED"}, "status": {"PENDING"}}).to()
	s.work()
	s.samples["/orders"], s.samples["/orders/bulk"] = order, job[strings.LastIndex(job, "/")+1:]
	s.samples["/jobs"] = s.samples["/orders/bulk"]
}

// An order that comes in is in an open list at once; what was ticked stays ticked, and the cursor where it is.
func TestOrdersComeIntoAnOpenList(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	first := c.order("PROCESSING", nil, 2)
	b := s.window(t, s.owner)
	b.open("/orders")
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(
		"document.getElementById('t-%s').click(); document.getElementById('orders-search').focus()", first)))
	c.order("PENDING", nil, 1) // the one order, also when the page does not listen yet
	b.until("document.querySelectorAll('#orders tbody tr').length > 1")
	if !eval[bool](b, fmt.Sprintf("document.getElementById('t-%s').checked", first)) {
		t.Error("the tick is gone")
	}
	if id := eval[string](b, "document.activeElement.id"); id != "orders-search" {
		t.Errorf("the cursor is in %q", id)
	}
	if words := eval[string](b, "document.querySelector('.bulk').innerText"); !strings.Contains(words, "1 selected") {
		t.Errorf("the bar says %q", words)
	}
}

// The list follows what is typed, with an address that can be kept and gone back from.
func TestSearchOfOrdersAsTyped(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	for i := range 3 {
		c.order("PENDING", map[string]any{"externalReference": fmt.Sprint("WEB-", i)}, 1)
	}
	b := s.window(t, s.owner)
	b.open("/orders?status=PENDING")
	b.do(chromedp.SendKeys(chromedp.CSS("#orders-search"), "web-1"))
	b.until("document.querySelectorAll('#orders tbody tr').length === 1")
	if at := b.path(); at != prefix+"/orders?search=web-1&status=PENDING" && at != prefix+"/orders?status=PENDING&search=web-1" {
		t.Errorf("the address is %s", at)
	}
}

// Nine of three are refused beside the input, which keeps them; one is shipped, and taken back.
func TestShipInTheBrowser(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	order := c.order("PROCESSING", nil, 3)
	b := s.window(t, s.owner)
	b.open("/orders/" + order)
	ship := func(n int) {
		b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(
			"document.querySelector('.qty').value = '%d'; document.querySelector('#ship').click()", n)))
	}
	ship(9)
	b.shows("Cannot ship 9 of MUG only 3 remaining")
	b.until("document.activeElement.classList.contains('qty') && document.activeElement.value === '9'")
	ship(1)
	b.shows("1 unit shipped; it is partly shipped")
	b.shows("1 of 3")
	b.do(chromedp.Evaluate[chromedp.Void]("document.querySelector('#toasts form button').click()"))
	b.shows("0 of 3")
	if left := c.call("GET", "/orders/"+order, nil)["shipments"].([]any); len(left) != 0 {
		t.Errorf("%v", left)
	}
}

// All orders of a view are shipped by one job; the page may be left and opened again.
func TestShipAViewInTheBrowser(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	for i := range 7 {
		c.order([]string{"PROCESSING", "PENDING"}[i/5], nil, 1)
	}
	b := s.window(t, s.owner)
	b.open("/orders")
	b.do(chromedp.Evaluate[chromedp.Void]("document.querySelector('input[data-all]').click();" +
		"document.querySelector('.bulk [name=all]').click(); document.querySelector('.bulk .primary').click()"))
	b.shows("0 of 7")
	s.work()
	b.do(chromedp.Reload())
	b.shows("5 done, 2 refused")
	b.shows("An order cannot go from PENDING to SHIPPED")
}
