package platforms

import (
	"fmt"
	"testing"
	"time"

	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/connectortest/story"
	prestashop "entrepot/internal/connector/prestashop/fakeshop"
)

// each runs a test with a shop of each platform in which nothing goes wrong, on each engine, under a clock of its own.
func each(t *testing.T, test func(t *testing.T, s *service, shop story.Shop), only ...string) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		for _, shop := range chosen(t, s.store.Engine(), only) {
			shop.Faults = nil
			shop.Clock(s.clock.now)
			t.Run(shop.Platform, func(t *testing.T) { test(t, s, shop) })
		}
	}, timed)
}

// statuses are the channel's orders by the platform's ids, with their statuses.
func (c *channelOf) statuses() map[string]string {
	found := map[string]string{}
	list := c.call("GET", "/api/v1/orders?limit=100&channelId="+c.id, nil, 200)
	for i := range list.List("data") {
		found[list.Text("data", i, "externalId")] += list.Text("data", i, "status")
	}
	return found
}

// order is one of the channel's orders, whole.
func (c *channelOf) order(id string) document {
	list := c.call("GET", "/api/v1/orders?limit=100&channelId="+c.id, nil, 200)
	for i := range list.List("data") {
		if list.Text("data", i, "externalId") == id {
			return c.call("GET", "/api/v1/orders/"+list.Text("data", i, "id"), nil, 200).Object("data")
		}
	}
	return nil
}

func oneMug() story.Wish {
	return story.Wish{Email: "ada@shop.example", Lines: []story.Line{{SKU: "MUG", Quantity: 1, Cents: 790}}}
}

// Orders that are older than the channel stay out, also when they change later, unless its settings name an earlier time.
func TestOrdersOlderThanTheChannel(t *testing.T) {
	each(t, func(t *testing.T, s *service, shop story.Shop) {
		first := s.Now()
		old := shop.Buy(oneMug())
		for s.Now().Before(first.Add(48 * time.Hour)) {
			s.Pass(12 * time.Hour)
		}
		c := s.connectShop(t, shop, map[string]any{"pullEvery": 300})
		young := shop.Buy(oneMug())
		shop.Cancel(old)
		c.passUntil(t, "the young order", func() string { return unless(c.statuses()[young] == "PROCESSING", c.statuses()) })
		for began := s.Now(); s.Now().Before(began.Add(30 * time.Minute)); {
			s.Pass(time.Minute)
		}
		if got := c.statuses(); len(got) != 1 {
			t.Errorf("%v, want %s alone", got, young)
		}
		from := s.connectShop(t, shop, map[string]any{"pullEvery": 300, "ordersFrom": first.Add(-time.Hour).UTC().Format(time.RFC3339)})
		from.passUntil(t, "the old order, too", func() string {
			got := from.statuses()
			return unless(len(got) == 2 && got[old] == "CANCELLED" && got[young] == "PROCESSING", got)
		})
		s.call("PATCH", "/api/v1/channels/"+c.id, map[string]any{"settings": map[string]any{"pullEvery": 300,
			"ordersFrom": first.Add(-time.Hour).UTC().Format(time.RFC3339)}}, 200)
		c.passUntil(t, "the old order, later", func() string { return unless(c.statuses()[old] == "CANCELLED", c.statuses()) })
	})
}

// An order of the very second from which orders are taken is taken: platforms tell times in whole seconds, and some leave out the time that
// they are asked for.
func TestOrdersOfTheFirstSecond(t *testing.T) {
	each(t, func(t *testing.T, s *service, shop story.Shop) {
		at := s.Now().UTC().Truncate(time.Second)
		first := shop.Buy(oneMug())
		for s.Now().Before(at.Add(48 * time.Hour)) {
			s.Pass(12 * time.Hour)
		}
		c := s.connectShop(t, shop, map[string]any{"pullEvery": 300, "ordersFrom": at.Format(time.RFC3339)})
		c.passUntil(t, "the order", func() string { return unless(c.statuses()[first] == "PROCESSING", c.statuses()) })
	})
}

// What a platform cannot express is skipped: the order says so with a reason, nothing is written there and nothing counts as failed. A
// move there that is not legal here, such as the cancellation of what was shipped, is written on the order, which stays as it is, and is
// not undone there.
func TestWhatCannotBeSaidOrDone(t *testing.T) {
	says := map[string]bool{"PRESTASHOP": true, "SHOPIFY": true} // that an order was delivered
	each(t, func(t *testing.T, s *service, shop story.Shop) {
		s.try("POST", "/api/v1/products", map[string]any{"sku": "MUG", "name": "Mug", "price": 7.9, "stock": map[string]any{"quantity": 99}})
		c := s.connectShop(t, shop, map[string]any{"pullEvery": 300})
		delivered, shipped := shop.Buy(oneMug()), shop.Buy(oneMug())
		c.passUntil(t, "the orders", func() string {
			got := c.statuses()
			return unless(got[delivered] == "PROCESSING" && got[shipped] == "PROCESSING", got)
		})
		ship := func(id string) {
			o := c.order(id)
			s.call("POST", "/api/v1/orders/"+o.Text("id")+"/shipments", map[string]any{"carrier": "DHL", "trackingNumber": "JD1",
				"items": []any{map[string]any{"orderItemId": o.Text("items", 0, "id"), "quantity": 1}}}, 201)
		}
		synced := func(id, want string) {
			t.Helper()
			c.passUntil(t, want, func() string {
				o := c.order(id)
				return unless(o.Text("channelSync", "status") == want, o.At("channelSync"))
			})
		}
		ship(delivered)
		ship(shipped)
		synced(delivered, "synced")
		synced(shipped, "synced")
		c.settle(t)
		_, last := s.events("")
		before := len(c.written())
		s.call("PATCH", "/api/v1/orders/"+c.order(delivered).Text("id")+"/status", map[string]any{"status": "DELIVERED"}, 200)
		if says[c.Platform] {
			synced(delivered, "synced")
		} else {
			synced(delivered, "skipped")
			if o := c.order(delivered); o.Text("channelSync", "error") == "" || len(o.List("issues")) != 0 {
				t.Errorf("%v", o)
			}
			if wrote := c.written()[before:]; len(wrote) != 0 {
				t.Errorf("written: %v", wrote)
			}
		}
		before = len(c.written())
		shop.Cancel(shipped)
		c.passUntil(t, "an issue", func() string { return unless(len(c.order(shipped).List("issues")) > 0, c.order(shipped)) })
		c.settle(t)
		o := c.order(shipped)
		if got := codes(document{"data": map[string]any(o)}); o.Text("status") != "SHIPPED" || got != "illegal_transition" {
			t.Errorf("%s: %v", got, o)
		}
		if wrote := c.written()[before:]; len(wrote) != 0 || !shop.Order(shipped).Cancelled && c.Platform != "WOOCOMMERCE" {
			t.Errorf("written: %v; there it is %+v", wrote, shop.Order(shipped))
		}
		names, _ := s.events(last)
		for _, name := range names {
			if name == "channel.sync_failed" {
				t.Errorf("events %v, %s", names, s.jobs(c.id))
			}
		}
	})
}

// Credentials that the platform refuses make the channel needs_reauth: it says why, and the platform is left alone. With others and a
// connection test it goes on where it was, and no order is lost.
func TestRefusedCredentials(t *testing.T) {
	secret := map[string]string{"WOOCOMMERCE": "consumerSecret", "PRESTASHOP": "webserviceKey", "SHOPIFY": "clientSecret",
		"EBAY": "refreshToken", "TIKTOK_SHOP": "appSecret", "AMAZON": "refreshToken"}
	each(t, func(t *testing.T, s *service, shop story.Shop) {
		c := s.connectShop(t, shop, map[string]any{"pullEvery": 300})
		c.settle(t)
		path := "/api/v1/channels/" + c.id
		name := secret[c.Platform]
		s.call("PATCH", path, map[string]any{"credentials": map[string]any{name: "a wrong one"}}, 200)
		if shop.Expire != nil {
			shop.Expire()
		}
		c.passUntil(t, "needs_reauth", func() string {
			now := s.call("GET", path, nil, 200)
			return unless(now.Text("data", "status") == "needs_reauth" && now.Text("data", "lastError") != "" &&
				now.At("data", "nextPullAt") == nil, now)
		})
		c.settle(t) // a job that began with the right credentials has ended
		id := shop.Buy(oneMug())
		c.settle(t)
		if got := c.statuses(); len(got) != 0 {
			t.Errorf("%v", got)
		}
		s.call("PATCH", path, map[string]any{"credentials": map[string]any{name: shop.Credentials[name]}}, 200)
		if got := s.call("POST", path+"/sync/test", map[string]any{}, 200); got.At("data", "success") != true {
			t.Fatal(fmt.Sprint(got))
		}
		c.passUntil(t, "the order", func() string { return unless(c.statuses()[id] == "PROCESSING", c.statuses()) })
		c.settle(t) // the pull has ended, which clears the error
		if now := s.call("GET", path, nil, 200); now.Text("data", "status") != "active" || now.At("data", "lastError") != nil {
			t.Errorf("%v", now)
		}
	})
}

// A hundred notifications of orders and a hundred of stock, while the shop does not answer, are a pull and a push that wait, and one
// channel.sync_failed of each. When it answers again, they bring all orders and set the stock back by one write.
func TestAHundredNotificationsInAnOutage(t *testing.T) {
	each(t, func(t *testing.T, s *service, shop story.Shop) {
		inner := shop.Handler.(*prestashop.Shop)
		c := s.connectShop(t, shop, map[string]any{"pullEvery": 3600})
		c.publish(t, map[string]any{"sku": "MUG", "name": "Mug", "price": 10, "stock": map[string]any{"quantity": 500},
			"images": []any{map[string]any{"url": connectortest.Pictures(t) + "/front.png"}}}, "MUG")
		c.settle(t)
		_, last := s.events("")
		jobs := func() int { return len(s.call("GET", "/api/v1/jobs?limit=100&channelId="+c.id, nil, 200).List("data")) }
		before, wrote, sent := jobs(), len(c.written()), inner.Notices.Sent()
		c.down.Store(true)
		for i := range 100 {
			shop.Buy(oneMug())
			inner.SetStock("MUG", 7+i%3)
		}
		s.await("the notifications", func() string { return unless(inner.Notices.Sent() >= sent+200, inner.Notices.Sent()-sent) })
		for range 3 { // meanwhile somebody asks for pulls, which fail like the first one
			for began := s.Now(); s.Now().Sub(began) < 30*time.Minute; {
				s.Pass(time.Minute)
			}
			s.call("POST", "/api/v1/channels/"+c.id+"/sync", map[string]any{"type": "order_pull"}, 202)
		}
		failed := map[string]int{}
		for after := last; ; {
			got := s.call("GET", "/api/v1/developer/events?limit=100&after="+after, nil, 200)
			for i := range got.List("data") {
				after = got.Text("data", i, "id")
				failed[got.Text("data", i, "event")+" "+got.Text("data", i, "data", "type")]++
			}
			if len(got.List("data")) < 100 {
				break
			}
		}
		if failed["channel.sync_failed order_pull"] != 1 || failed["channel.sync_failed stock_push"] > 1 {
			t.Errorf("in the outage: %v", failed)
		}
		c.down.Store(false)
		c.passUntil(t, "all orders", func() string { n := len(c.statuses()); return unless(n == 100, n) })
		c.passUntil(t, "stock", func() string { there, _ := shop.Stands(); return unless(there["MUG"].Quantity == 400, there) })
		c.settle(t)
		if n := len(c.written()) - wrote; n > 3 {
			t.Errorf("%d writes: %v", n, c.written()[wrote:])
		}
		if n := jobs() - before; n > 60 { // some ten, and more on a machine that takes long to send the notifications
			t.Errorf("%d jobs for 200 notifications", n)
		}
	}, "PRESTASHOP") // its module sends each notification, and none of them twice
}
