package dashboard

import (
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"entrepot/internal/connector/woocommerce/fakeshop"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// A shop is connected step by step: nothing is fetched or sent before the last click, the steps go on after they were left, and
// eight clicks lead to the shop's first order.
func TestStoryOfConnectingAShop(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.manyProducts(3)
	shop := fakeshop.New("ck_good", "cs_good")
	server := httptest.NewServer(shop)
	defer server.Close()
	b := s.window(t, s.owner)
	clicks := 0
	press := func(words string) { clicks++; b.press(words) }
	field := func(name string) string { return "[name=\"credentials." + name + "\"]" }
	b.open("/channels/new")
	clicks++
	b.click(`a.btn[href$="platform=WOOCOMMERCE"]`)
	b.fill("[name=name]", "Paris shop")
	b.fill(field("url"), server.URL)
	b.fill(field("consumerKey"), "ck_good")
	b.fill(field("consumerSecret"), "cs_wrong")
	press("Test and continue")
	b.shows("The connection does not work")
	b.shoot(t, "channel-start-wrong")
	b.look(1440, "light")
	b.fill(field("consumerSecret"), "cs_good")
	b.press("Save and test") // no step of somebody who types the right one
	b.shows("Connected to")
	b.shoot(t, "channel-start")
	b.look(1440, "light")
	press("Continue")
	b.shows("Kept back")
	b.fill("[name='settings.stockBuffer']", "2")
	b.shoot(t, "channel-start-stock")
	b.look(1440, "light")
	press("Continue")
	b.shows("Orders from")
	channel := eval[string](b, "location.pathname.split('/')[3]")
	b.open("/channels/" + channel)
	b.shows("Not switched on yet")
	b.press("Continue the set-up")
	b.shows("You can leave these pages and come back")
	b.open("/connect/" + channel + "/orders")
	press("Continue")
	b.shows("Which products")
	press("Continue")
	b.shows("3 products")
	b.shoot(t, "channel-start-on")
	b.look(1440, "light")
	summary := eval[string](b, "document.querySelector('dl.pairs').innerText")
	for _, words := range []string{"Send it to the shop", "2", "All", "3 products"} {
		if !strings.Contains(summary, words) {
			t.Errorf("the summary lacks %q: %s", words, summary)
		}
	}
	before := c.call("GET", "/channels/"+channel, nil)
	if before["status"] != "inactive" || before["lastSyncAt"] != nil || len(before["webhooks"].([]any)) > 0 || len(c.list("/jobs")) > 1 {
		t.Errorf("before it is on: %v, %v", before, c.list("/jobs"))
	}
	press("Switch on")
	b.shows("Switched on Paris shop")
	if status := c.call("GET", "/channels/"+channel, nil)["status"]; status != "active" {
		t.Errorf("the channel is %v", status)
	}
	if clicks > 8 {
		t.Errorf("%d clicks", clicks)
	}
	var list []jobs.Job
	s.do(db.Across, func(tx *db.Tx) (err error) { list, err = jobs.Claim(tx, 10, time.Minute); return err })
	list = slices.DeleteFunc(list, func(j jobs.Job) bool { return j.Type != jobs.ProductBulk })
	if len(list) != 1 {
		t.Fatalf("%d jobs publish", len(list))
	}
	if err := s.Commerce.RunProductBulk(t.Context(), s.DB, list[0], time.Minute); err != nil {
		t.Fatal(err)
	}
	if n := len(c.list("/channels/" + channel + "/publications")); n != 3 {
		t.Errorf("%d products are on the channel", n)
	}
	if out := s.as(s.owner).post("/connect/"+channel+"/on", url.Values{"products": {"all"}}); out.status != 303 {
		t.Errorf("switched on twice: %d", out.status)
	}
}
