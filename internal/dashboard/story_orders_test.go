package dashboard

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// An order that arrives is in an open list at once; ticked boxes stay ticked, the cursor and the scroll position stay.
// Nine tabs of one browser, which opens six connections to a host, all load and all update.
func TestStoryOfAnOpenList(t *testing.T) {
	alone(t)
	nodes(t, func(t *testing.T, here, there *site) {
		c := there.shopper(t)
		c.articles()
		var first string
		for range 40 {
			first = c.order("PROCESSING", nil, 2)
		}
		b := here.window(t, here.owner)
		b.open("/orders")
		b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.getElementById('t-%s').click();"+
			"document.getElementById('orders-search').focus({preventScroll: true}); scrollTo(0, 300)", first)))
		tabs := []*window{b}
		slowest := 0.0
		for range 8 {
			tab := b.tab()
			tab.open("/orders")
			tabs = append(tabs, tab)
			slowest = max(slowest, eval[float64](tab, "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"))
		}
		within(t, "the slowest of nine tabs", time.Duration(slowest*float64(time.Millisecond)), time.Second)
		began := time.Now()
		c.order("PENDING", nil, 1) // the one order, also for pages that do not listen yet
		b.until("document.querySelectorAll('#orders tbody tr').length === 41")
		within(t, "from an order to its row", time.Since(began), 2*time.Second)
		streams := 0
		for _, tab := range tabs {
			tab.until("document.querySelectorAll('#orders tbody tr').length === 41")
			streams += len(tab.asks(prefix + "/live"))
		}
		if streams != 1 {
			t.Errorf("nine tabs opened %d streams", streams)
		}
		if !eval[bool](b, fmt.Sprintf("document.getElementById('t-%s').checked", first)) {
			t.Error("the tick is gone")
		}
		if id := eval[string](b, "document.activeElement.id"); id != "orders-search" {
			t.Errorf("the cursor is in %q", id)
		}
		words := eval[string](b, "document.querySelector('.bulk').innerText")
		if !strings.Contains(words, "1 selected") || !strings.Contains(words, "Select all 41") {
			t.Errorf("the bar says %q", words)
		}
		// The browser may keep in view what was in view, below the new row.
		if y := eval[float64](b, "scrollY"); y < 300 || y > 400 {
			t.Errorf("the page is scrolled to %v", y)
		}
	})
}

// Nine of three are refused beside the input, which keeps them; one is shipped and the ledger has one less; taken back, all is as before.
// A list and the article's page that are open on another node follow.
func TestStoryOfAPartialShipment(t *testing.T) {
	nodes(t, func(t *testing.T, here, there *site) {
		c := there.shopper(t)
		c.articles()
		order := c.order("PROCESSING", nil, 3)
		list, sku, b := here.window(t, here.owner), here.window(t, here.owner), there.window(t, there.owner)
		list.open("/orders")
		sku.open("/stock/MUG")
		sku.shows("ledger 100, on hand 100")
		b.open("/orders/" + order)
		ship := func(n string) {
			b.fill(".qty", n)
			b.click("#ship")
		}
		ship("9")
		b.shows("Cannot ship 9 of MUG only 3 remaining")
		b.until("document.activeElement.classList.contains('qty') && document.activeElement.value === '9'")
		if !eval[bool](b, "document.querySelector('.qty').parentElement.innerText.includes('only 3 remaining')") {
			t.Error("the error is not beside the input")
		}
		ship("1")
		b.shows("Shipped 1 unit. ")
		b.shows("1 of 3")
		list.shows("Partly shipped")
		sku.open("/stock/MUG")
		sku.shows("ledger 99, on hand 99")
		b.click("#toasts form button")
		b.shows("Deleted the shipment and put its units back in stock")
		b.shows("0 of 3")
		list.until("!document.querySelector('#orders tbody').innerText.includes('Partly shipped')")
		sku.open("/stock/MUG")
		sku.shows("ledger 100, on hand 100")
		after := c.call("GET", "/orders/"+order, nil)
		if left := after["shipments"].([]any); len(left) != 0 || after["status"] != "PROCESSING" {
			t.Errorf("%v %v", after["status"], left)
		}
	})
}

// Of the 147 orders of a view those that can be shipped are, by one job. Meanwhile the page is reloaded and another node takes the job over;
// the report gives the outcome of each order, and none is shipped twice.
func TestStoryOfShippingAView(t *testing.T) {
	nodes(t, func(t *testing.T, here, there *site) {
		c := there.shopper(t)
		c.articles()
		var placed []string
		for i := range 147 {
			placed = append(placed, c.order([]string{"PROCESSING", "PENDING"}[i/130], nil, 1))
		}
		b := here.window(t, here.owner)
		b.open("/orders")
		b.click("input[data-all]")
		b.click(".bulk [name=all]")
		b.click(".bulk .primary")
		b.shows("Still pending: release it to ship first") // on the sheet: those are left out
		for _, order := range placed[:9] {                 // by somebody else, while the sheet is filled in
			c.call("PATCH", "/orders/"+order+"/status", map[string]any{"status": "CANCELLED"})
		}
		b.press("Ship 130 orders")
		b.shows("121 orders have no tracking number")
		b.press("Ship 121 orders, 121 without tracking")
		b.until("document.querySelector('#bulk-report')?.innerText.includes('0 of 130')")
		there.workABit()
		b.do(chromedp.Reload())
		b.until("/[1-9][0-9]* of 130/.test(document.querySelector('#bulk-report').innerText)")
		here.work()
		b.shows("130 of 130")
		b.shows("121 done, 9 refused")
		b.press("Refused 9")
		b.until("document.querySelectorAll('#bulk-report tbody tr').length === 9")
		b.shows("Already cancelled")
		shipments := 0
		for page := 1; page <= 2; page++ {
			for _, o := range c.list(fmt.Sprint("/orders?limit=100&page=", page)) {
				whole := c.call("GET", "/orders/"+o["id"].(string), nil)
				n := len(whole["shipments"].([]any))
				if shipments += n; n > 1 {
					t.Errorf("%v is shipped %d times", o["orderNumber"], n)
				}
			}
		}
		if shipments != 121 {
			t.Errorf("%d shipments", shipments)
		}
	})
}

// workABit starts the bulk job that is due and, once some of its orders are done, leaves it for another node.
func (s *site) workABit() {
	s.t.Helper()
	var list []jobs.Job
	s.do(db.Across, func(tx *db.Tx) (err error) {
		list, err = jobs.Claim(tx, 1, time.Minute)
		return err
	})
	if len(list) != 1 {
		s.t.Fatalf("%d jobs are due", len(list))
	}
	ctx, stop := context.WithCancel(s.t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := s.Commerce.RunOrderBulk(ctx, s.DB, list[0], time.Minute); err != nil && ctx.Err() == nil {
			s.t.Error(err)
		}
	})
	for settled := int64(0); settled == 0 && !s.t.Failed(); {
		err := s.DB.Read(s.t.Context(), s.account.Tenant, func(tx *db.Tx) error {
			job, err := jobs.ByID(tx, list[0].ID)
			settled = job.Processed
			return err
		})
		if err != nil {
			s.t.Error(err)
		}
	}
	stop()
	running.Wait()
}

// list gives the records of a list of the API.
func (c *shopper) list(path string) (list []map[string]any) {
	c.t.Helper()
	out := c.send("GET", "/api/v1"+path, nil, "")
	var answer struct{ Data []map[string]any }
	if err := json.Unmarshal([]byte(out.body), &answer); out.status != 200 || err != nil {
		c.t.Fatalf("%s: %d %s", path, out.status, out.body)
	}
	return answer.Data
}
