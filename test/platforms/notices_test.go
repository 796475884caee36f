package platforms

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"entrepot/internal/connector/connectortest/fakeshop"
	ebayshop "entrepot/internal/connector/ebay/fakeshop"
	prestashop "entrepot/internal/connector/prestashop/fakeshop"
	shopifyshop "entrepot/internal/connector/shopify/fakeshop"
)

// noticing is a shop whose notifications are tried.
type noticing struct {
	platform    string
	shop        http.Handler
	notices     *fakeshop.Outbox
	credentials map[string]any
	deliver     func(context.Context)
	install     func(address, secret string) // where the merchant enters them
	buy         func() string                // gives the order's id
}

func noticingShops() []noticing {
	presta, shopify, ebay := prestashop.New(), shopifyshop.New(), ebayshop.New()
	ebay.Faults.Challenge = true
	return []noticing{
		{platform: "PRESTASHOP", shop: presta, notices: presta.Notices, deliver: presta.Deliver, install: presta.Install,
			credentials: map[string]any{"webserviceKey": prestashop.Key},
			buy:         func() string { return presta.Buy("ada@example.com", true, prestashop.Bought{SKU: "MUG", Quantity: 1}) }},
		{platform: "SHOPIFY", shop: shopify, notices: shopify.Notices, deliver: shopify.Deliver,
			credentials: map[string]any{"shop": "fake.myshopify.com", "accessToken": shopifyshop.Token,
				"webhookSecret": shopifyshop.WebhookSecret},
			buy: func() string {
				return shopify.Buy("ada@example.com", true, shopifyshop.Bought{SKU: "MUG", Quantity: 1, Cents: 790})
			}},
		{platform: "EBAY", shop: ebay, notices: ebay.Notices, deliver: ebay.Deliver,
			credentials: map[string]any{"clientId": ebayshop.ClientID, "clientSecret": ebayshop.ClientSecret,
				"refreshToken": ebayshop.RefreshToken, "marketplaceId": "EBAY_DE", "verificationToken": strings.Repeat("v", 32)},
			buy: func() string { id, _ := ebay.Buy("MUG", 1, 790); return id }},
	}
}

// Orders are here because the platform notified of them, an hour before the next pull: each once, though every notification comes twice and
// the newest first. There are fewer pulls than orders, however slowly the notifications of a burst come.
func TestPlatformsNotify(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		for _, o := range noticingShops() {
			o.notices.Duplicate, o.notices.Reorder = true, true
			go o.deliver(t.Context())
			server := httptest.NewServer(o.shop)
			t.Cleanup(server.Close)
			o.credentials["url"], o.credentials["baseUrl"] = server.URL, server.URL
			made := s.call("POST", "/api/v1/channels", map[string]any{"name": o.platform, "platform": o.platform, "credentials": o.credentials,
				"settings": map[string]any{"pullEvery": 3600}}, 201)
			channel := made.Text("data", "channel", "id")
			tested := s.call("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}, 200)
			if tested.At("data", "success") != true {
				t.Fatal(tested)
			}
			if o.install != nil {
				o.install(tested.Text("data", "paste", "url"), tested.Text("data", "paste", "secret"))
			}
			s.await(o.platform+": the pull after the connection test", func() string {
				return unless(s.call("GET", "/api/v1/channels/"+channel, nil, 200).At("data", "lastSyncAt") != nil, s.jobs(channel))
			})
			pulls := func() int {
				return len(s.call("GET", "/api/v1/jobs?type=order_pull&limit=100&channelId="+channel, nil, 200).List("data"))
			}
			before := pulls()
			placed := map[string]int{}
			for range 30 {
				placed[o.buy()] = 0
			}
			s.await(o.platform+": a burst of orders", func() string {
				for id := range placed {
					placed[id] = 0
				}
				list := s.call("GET", "/api/v1/orders?limit=100&channelId="+channel, nil, 200)
				for i := range list.List("data") {
					placed[list.Text("data", i, "externalId")]++
				}
				for id, n := range placed {
					if n != 1 {
						return fmt.Sprint(id, " is here ", n, " times", s.jobs(channel))
					}
				}
				return unless(len(placed) == 30, placed)
			})
			if ran := pulls() - before; ran >= 30 { // as fast as they come, some of them find a pull that waits
				t.Errorf("%s: %d pulls for 30 orders", o.platform, ran)
			}
			t.Logf("%s: 30 orders, %d notifications, %d pulls", o.platform, o.notices.Sent(), pulls()-before)
		}
	})
}

// A pull that a merchant asks for has the order that was placed a moment before, although nothing notified of it.
func TestPullHasTheNewest(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		for _, o := range noticingShops() {
			server := httptest.NewServer(o.shop)
			t.Cleanup(server.Close)
			o.credentials["url"], o.credentials["baseUrl"] = server.URL, server.URL
			made := s.call("POST", "/api/v1/channels", map[string]any{"name": o.platform, "platform": o.platform, "credentials": o.credentials,
				"settings": map[string]any{"pullEvery": 3600}}, 201)
			channel := made.Text("data", "channel", "id")
			if tested := s.call("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}, 200); tested.At("data", "success") != true {
				t.Fatal(tested)
			}
			s.await(o.platform+": the pull after the connection test", func() string {
				return unless(s.call("GET", "/api/v1/channels/"+channel, nil, 200).At("data", "lastSyncAt") != nil, s.jobs(channel))
			})
			placed := o.buy()
			s.call("POST", "/api/v1/channels/"+channel+"/sync", map[string]any{"type": "order_pull"}, 202)
			s.await(o.platform+": the order", func() string {
				list := s.call("GET", "/api/v1/orders?channelId="+channel, nil, 200)
				return unless(len(list.List("data")) == 1 && list.Text("data", 0, "externalId") == placed, s.jobs(channel))
			})
		}
	})
}

// A connection test succeeds without the rights that only some things need, and says what does not work; without those that the channel
// cannot do without it fails, and names them.
func TestRightsThatOnlySomeThingsNeed(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		shop := prestashop.New()
		server := httptest.NewServer(shop)
		t.Cleanup(server.Close)
		made := s.call("POST", "/api/v1/channels", map[string]any{"name": "Shop", "platform": "PRESTASHOP",
			"credentials": map[string]any{"url": server.URL, "webserviceKey": prestashop.Key}}, 201)
		test := func(rights string) document {
			shop.Rights = map[string][]string{}
			for resource := range strings.FieldsSeq(rights) {
				shop.Rights[resource] = []string{"GET", "POST", "PUT"}
			}
			return s.call("POST", "/api/v1/channels/"+made.Text("data", "channel", "id")+"/sync/test", map[string]any{}, 200)
		}
		const needed = "products combinations stock_availables order_histories images orders customers addresses countries currencies " +
			"order_states languages configurations order_carriers"
		got := test(needed)
		if got.At("data", "success") != true || len(got.List("data", "missing")) != 0 ||
			!strings.Contains(got.Text("data", "message"), "order_slip, without which refunds are not known") {
			t.Error(got)
		}
		got = test(strings.Replace(needed, "order_histories ", "", 1))
		if got.At("data", "success") != false || !strings.Contains(fmt.Sprint(got.List("data", "missing")), "order_histories") {
			t.Error(got)
		}
	})
}
