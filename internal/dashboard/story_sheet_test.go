package dashboard

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// A packer ships a view: a scanner fills a row and goes to the next, a pasted column fills the rows below, and only the last button ships.
// The report undoes all of it.
func TestStoryOfTheShippingSheet(t *testing.T) {
	alone(t)
	nodes(t, func(t *testing.T, here, _ *site) {
		c := here.shopper(t)
		c.articles()
		var placed []string
		for range 4 {
			placed = append(placed, c.order("PROCESSING", nil, 2))
		}
		b := here.window(t, here.owner)
		b.open("/orders?status=PROCESSING")
		b.click("#orders tbody input[type=checkbox]")
		b.click("#bulk [name=all]")
		b.press("Ship")
		b.shows("Ship 4 orders")
		b.until("document.activeElement.name === 'number'")
		b.keys("1Z999AA10123456784\r")
		at := func(row int) string {
			return fmt.Sprintf("document.activeElement === document.querySelectorAll('[data-scan]')[%d]", row)
		}
		b.until(at(1))
		b.do(chromedp.Evaluate[chromedp.Void](`(() => { const data = new DataTransfer();
			data.setData("text", "6A12345678901\r\nOWN-1\r\nOWN-2\r\nOWN-3\r\n");
			document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })); })()`))
		b.until("document.activeElement.id === 'ship-all'")
		b.fill("#carrier", "DHL")
		b.keys("\r") // goes on, and ships nothing
		b.until(at(0))
		b.shoot(t, "orders-ship")
		for _, order := range placed {
			if o := c.call("GET", "/orders/"+order, nil); o["status"] != "PROCESSING" {
				t.Fatalf("shipped by accident: %v", o)
			}
		}
		b.press("Ship 4 orders")
		b.shows("Running")
		here.work()
		b.shows("4 done, 0 refused")
		want := map[string]bool{"UPS 1Z999AA10123456784": true, "La Poste 6A12345678901": true, "DHL OWN-1": true, "DHL OWN-2": true}
		for _, order := range placed {
			o := c.call("GET", "/orders/"+order, nil)
			if tracking := fmt.Sprint(o["trackingCarrier"], " ", o["trackingNumber"]); !want[tracking] || o["status"] != "SHIPPED" {
				t.Errorf("%v with %s", o["status"], tracking)
			}
		}
		b.press("Undo all")
		b.shows("Undo shipping")
		here.work()
		b.shows("4 done, 0 refused")
		if o := c.call("GET", "/orders/"+placed[0], nil); o["status"] != "PROCESSING" || o["trackingNumber"] != nil {
			t.Errorf("after undo: %v", o)
		}
	})
}
