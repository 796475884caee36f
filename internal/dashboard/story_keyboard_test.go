package dashboard

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"entrepot/internal/accounts"
)

// From the login to a shipped order with the keyboard alone.
func TestStoryOfTheKeyboard(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	older := c.order("PROCESSING", nil, 1)
	order := c.order("PROCESSING", nil, 2)
	c.order("PENDING", nil, 1)
	b := s.window(t, accounts.User{})
	b.open("/")
	b.until("document.activeElement.name === 'email'")
	b.keys("owner@test.example\t" + password + "\r")
	b.until("location.pathname === '" + prefix + "/' && !!document.querySelector('#side')")
	b.keys("?")
	b.until("document.querySelector('#shortcuts').open")
	b.keys(kb.Escape)
	b.until("!document.querySelector('#shortcuts').open")
	b.keys("go")
	b.until("location.pathname === '" + prefix + "/orders'")
	b.keys("/")
	b.until("document.activeElement.id === 'orders-search'")
	b.keys(kb.Tab) // out of the input, where letters are letters
	b.keys("jj")
	b.until(fmt.Sprintf("document.activeElement.id === 'a-%s'", order))
	b.keys("x")
	b.until(fmt.Sprintf("document.getElementById('t-%s').checked", order))
	b.keys("\r")
	b.until("!!document.querySelector('#ship')")
	b.keys("s")
	b.until("document.activeElement.name === 'trackingNumber'")
	b.keys("JJD 1" + kb.Tab + "DHL\r")
	b.until("document.activeElement.id === 'ship'")
	b.keys("\r")
	b.shows("Shipped 2 units with DHL. ")
	if got := c.call("GET", "/orders/"+order, nil); got["status"] != "SHIPPED" || got["trackingNumber"] != "JJD 1" {
		t.Errorf("%v", got)
	}
	b.keys("]")
	b.until("location.pathname.includes('" + older + "')")
	b.keys("s") // the carrier is that of the parcel before: a scanner types the number and Enter
	b.until("document.activeElement.name === 'trackingNumber'")
	b.keys("JJD 2\r")
	b.shows("Shipped 1 unit with DHL. ")
}
