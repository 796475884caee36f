package platforms

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/connector/connectortest/fakeshop"

	amazonshop "entrepot/internal/connector/amazon/fakeshop"
	ebayshop "entrepot/internal/connector/ebay/fakeshop"
	prestashop "entrepot/internal/connector/prestashop/fakeshop"
	shopifyshop "entrepot/internal/connector/shopify/fakeshop"
	tiktokshop "entrepot/internal/connector/tiktokshop/fakeshop"
	"entrepot/internal/dbtest"
)

// other is a platform beside WooCommerce, as far as one story is the same on all.
type other struct {
	platform    string
	shop        http.Handler
	credentials map[string]any
	settings    map[string]any
	numbers     map[string]string                         // of the trade, by the last letter of the SKU, where the platform asks for them
	webhooks    int                                       // that its test registers
	stock       func(sku string) int64                    // that its buyers see
	buy         func(sku string, quantity int64) string   // gives the order's id
	sent        func(order string) (shipped, parcels int) // pieces and parcels, or 1 and numbers where the shop knows no pieces
	cancelled   func(order string) bool
	refund      func(order string) // gives the money of one piece back
	expire      func()             // ends the access token; nil where there is none that ends
	deliver     func(context.Context)
	notices     *fakeshop.Outbox             // nil: the shop keeps its own
	install     func(address, secret string) // enters where notifications go; nil: they are registered
}

func others(pictures string) []other {
	presta, shopify, ebay, amazon := prestashop.New(), shopifyshop.New(), ebayshop.New(), amazonshop.New()
	presta.Faults.LoseAnswer, shopify.Faults.Throttle, ebay.Faults.LoseAnswer = 11, 9, 13
	tiktok := tiktokshop.New()
	tiktok.Faults, tiktok.Audit = tiktokshop.Faults{LoseAnswer: 13, Throttle: 17, HTML: 29}, 2*time.Second
	amazon.Faults = amazonshop.Faults{LoseAnswer: 17, FailAfterWrite: 19, TooMany: 23, Duplicate: true, Reorder: true, Rotate: true}
	return []other{
		{platform: "PRESTASHOP", shop: presta, credentials: map[string]any{"webserviceKey": prestashop.Key},
			stock: func(sku string) int64 { return int64(presta.Stock(sku)) },
			buy: func(sku string, quantity int64) string {
				return presta.Buy("ada@example.com", true, prestashop.Bought{SKU: sku, Quantity: int(quantity)})
			},
			sent: func(order string) (int, int) {
				state, tracking, _ := presta.Order(order)
				return map[string]int{"4": 3}[state], len(strings.FieldsFunc(tracking, func(r rune) bool { return r == ',' }))
			},
			cancelled: func(order string) bool { state, _, _ := presta.Order(order); return state == "6" },
			refund:    func(order string) { presta.Refund(order, 1, "12.00") },
			deliver:   presta.Deliver, notices: presta.Notices, install: presta.Install},
		{platform: "SHOPIFY", shop: shopify,
			credentials: map[string]any{"shop": "fake.myshopify.com", "accessToken": shopifyshop.Token,
				"webhookSecret": shopifyshop.WebhookSecret}, webhooks: 9,
			stock: func(sku string) int64 { v, _ := shopify.Variant(sku); return v.Available },
			buy: func(sku string, quantity int64) string {
				return shopify.Buy("ada@example.com", true, shopifyshop.Bought{SKU: sku, Quantity: quantity, Cents: 1200})
			},
			sent: func(order string) (int, int) {
				numbers, pieces, _, _ := shopify.Order(order)
				return int(pieces), len(numbers)
			},
			cancelled: func(order string) bool { _, _, _, cancelled := shopify.Order(order); return cancelled },
			refund:    func(order string) { shopify.Change(order, "refunded") }, deliver: shopify.Deliver, notices: shopify.Notices},
		{platform: "EBAY", shop: ebay, webhooks: 3,
			credentials: map[string]any{"clientId": ebayshop.ClientID, "clientSecret": ebayshop.ClientSecret,
				"refreshToken": ebayshop.RefreshToken, "marketplaceId": "EBAY_DE", "verificationToken": strings.Repeat("v", 32)},
			stock: func(sku string) int64 { _, n, _ := ebay.Offer(sku); return n },
			buy:   func(sku string, quantity int64) string { order, _ := ebay.Buy(sku, quantity, 1200); return order },
			sent: func(order string) (int, int) {
				parcels, pieces, _ := ebay.Order(order)
				return int(pieces), parcels
			},
			cancelled: func(order string) bool { _, _, cancelled := ebay.Order(order); return cancelled },
			refund:    func(order string) { ebay.Refund(order, 1200) }, expire: ebay.Expire, deliver: ebay.Deliver, notices: ebay.Notices},
		{platform: "TIKTOK_SHOP", shop: tiktok, webhooks: 8,
			credentials: map[string]any{"appKey": tiktokshop.AppKey, "appSecret": tiktokshop.AppSecret, "accessToken": tiktokshop.AccessToken,
				"refreshToken": tiktokshop.RefreshToken, "shopCipher": tiktokshop.Cipher},
			stock: func(sku string) int64 { items, _ := tiktok.Items(); return items[sku].Quantity },
			buy: func(sku string, quantity int64) string {
				return tiktok.Buy(tiktokshop.Wish{SKUs: map[string]int64{sku: quantity}, Cents: 1200, Shipping: 490})
			},
			sent: func(order string) (int, int) {
				parcels, pieces, _ := tiktok.Order(order)
				return pieces, parcels
			},
			cancelled: func(order string) bool { _, _, status := tiktok.Order(order); return status == "CANCELLED" },
			refund:    func(order string) { tiktok.Return(order, 1, 1200) }, expire: tiktok.Expire, deliver: tiktok.Deliver},
		{platform: "AMAZON", shop: amazon, numbers: map[string]string{"S": "4006381333931", "M": "4006381333948"},
			credentials: map[string]any{"sellerId": amazonshop.SellerID, "marketplaceId": amazonshop.MarketplaceID,
				"clientId": amazonshop.ClientID, "clientSecret": amazonshop.ClientSecret, "refreshToken": amazonshop.RefreshToken},
			stock: func(sku string) int64 { _, n, _ := amazon.Offer(sku); return n },
			buy: func(sku string, quantity int64) string {
				return amazon.Place(amazonshop.Wish{Shipping: 490,
					Lines: []amazonshop.Bought{{SKU: sku, Quantity: quantity, Cents: 1200 * quantity}}})
			},
			sent: func(order string) (int, int) {
				parcels, pieces, _ := amazon.Order(order)
				return int(pieces), parcels
			},
			cancelled: func(order string) bool { _, _, status := amazon.Order(order); return status == "CANCELLED" },
			expire:    amazon.Expire},
	}
}

// One story on each of the other platforms: tested, a product with variants out, its stock in waves, orders in, two parcels and a
// cancellation back, a token that ends, an outage and a refund, with the service stopped in between; nothing twice.
func TestOtherPlatforms(t *testing.T) {
	dbtest.Long(t, "a shop of each platform lives through a whole story")
	t.Parallel()
	pictures := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("\x89PNG\r\n\x1a\n0123456789"))
	}))
	t.Cleanup(pictures.Close)
	engines(t, func(t *testing.T, s *service) {
		for i, o := range others(pictures.URL) {
			var down atomic.Bool
			var calls atomic.Int64
			began := time.Now()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				if down.Load() {
					w.WriteHeader(http.StatusBadGateway)
					return
				}
				o.shop.ServeHTTP(w, r)
			}))
			t.Cleanup(server.Close)
			if o.deliver != nil {
				go o.deliver(t.Context())
			}
			o.credentials["url"], o.credentials["baseUrl"] = server.URL, server.URL
			made := s.call("POST", "/api/v1/channels",
				map[string]any{"name": o.platform, "platform": o.platform, "credentials": o.credentials, "settings": o.settings}, 201)
			channel := made.text("data", "channel", "id")
			if o.notices != nil { // whatever goes wrong with them, the pulls have it all
				o.notices.Drop, o.notices.Duplicate, o.notices.Reorder = 3, true, true
			}
			got := s.call("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}, 200)
			if got.at("data", "success") != true || len(got.list("data", "webhooksRegistered")) != o.webhooks {
				t.Fatalf("%s: %v", o.platform, got)
			}
			if o.install != nil {
				o.install(got.text("data", "paste", "url"), got.text("data", "paste", "secret"))
			}
			sku := fmt.Sprintf("SHIRT-%d", i)
			differ := func(size string) map[string]any {
				all := map[string]any{"Size": size}
				if number := o.numbers[size]; number != "" {
					all["EAN"] = number
				}
				return all
			}
			s.call("POST", "/api/v1/products",
				map[string]any{"sku": sku, "name": "Shirt " + sku, "price": 12, "images": []any{map[string]any{"url": pictures.URL + "/front.png"}},
					"variants": []any{map[string]any{"sku": sku + "-S", "name": "S", "stock": 9, "attributes": differ("S")},
						map[string]any{"sku": sku + "-M", "name": "M", "stock": 4, "attributes": differ("M")}}}, 201)
			s.call("POST", "/api/v1/channels/"+channel+"/publications", map[string]any{"skus": []string{sku}}, 200)
			s.restart()
			s.await(o.platform+": published", func() string {
				list := s.call("GET", "/api/v1/channels/"+channel+"/publications", nil, 200)
				return unless(list.text("data", 0, "status") == "published", list, s.jobs(channel))
			})
			s.call("PATCH", "/api/v1/sdk/inventory/bulk-update", map[string]any{"updates": []any{map[string]any{"sku": sku + "-S", "quantity": 7}}},
				200)
			s.await(o.platform+": stock", func() string {
				return unless(o.stock(sku+"-S") == 7 && o.stock(sku+"-M") == 4, o.stock(sku+"-S"), o.stock(sku+"-M"), s.jobs(channel))
			})
			theirs, order := s.otherOrders(o, channel, sku+"-S")
			s.otherOutage(o, channel, sku+"-S", &down)
			s.otherRefund(o, channel, theirs, order)
			t.Logf("%s: %d calls in %s", o.platform, calls.Load(), time.Since(began).Round(time.Second))
		}
	})
}

// otherOutage ends the token, takes the platform away while stock changes here, and waits until the platform has it.
func (s *service) otherOutage(o other, channel, sku string, down *atomic.Bool) {
	s.Helper()
	if o.expire != nil {
		o.expire()
	}
	down.Store(true)
	s.call("PATCH", "/api/v1/sdk/inventory/bulk-update", map[string]any{"updates": []any{map[string]any{"sku": sku, "quantity": 5}}}, 200)
	s.await(o.platform+": the outage is seen", func() string {
		now := s.call("GET", "/api/v1/channels/"+channel, nil, 200)
		return unless(now.at("data", "lastError") != nil, now)
	})
	down.Store(false)
	s.await(o.platform+": stock after the outage", func() string { return unless(o.stock(sku) == 5, o.stock(sku), s.jobs(channel)) })
	s.await(o.platform+": all is well again", func() string {
		now := s.call("GET", "/api/v1/channels/"+channel, nil, 200)
		return unless(now.at("data", "lastError") == nil && now.text("data", "status") == "active", now)
	})
}

// otherRefund gives money of the order back on the platform, and waits until the order says so.
func (s *service) otherRefund(o other, channel, theirs, order string) {
	s.Helper()
	if o.refund == nil {
		return
	}
	o.refund(theirs)
	s.call("POST", "/api/v1/channels/"+channel+"/sync", map[string]any{"type": "order_pull", "externalIds": []string{theirs}}, 202)
	s.await(o.platform+": the refund", func() string {
		got := s.call("GET", order, nil, 200)
		return unless(len(got.list("data", "refunds")) == 1 && got.text("data", "refundedAmount") != "0" && len(got.list("data", "issues")) == 0,
			got)
	})
}

// otherOrders has two orders come in, ships one in two parcels and cancels the other; it gives the platform's id of the first and where
// it is.
func (s *service) otherOrders(o other, channel, sku string) (theirs, order string) {
	s.Helper()
	theirs = o.buy(sku, 3)
	second := o.buy(sku, 1)
	found := map[string]document{}
	s.call("POST", "/api/v1/channels/"+channel+"/sync", map[string]any{"type": "order_pull", "externalIds": []string{theirs, second}}, 202)
	s.await(o.platform+": orders", func() string {
		list := s.call("GET", "/api/v1/orders?channelId="+channel, nil, 200)
		for i := range list.list("data") {
			found[list.text("data", i, "externalId")] = document(list.at("data", i).(map[string]any))
		}
		return unless(found[theirs] != nil && found[second] != nil && len(list.list("data")) == 2, list, s.jobs(channel))
	})
	order = "/api/v1/orders/" + found[theirs].text("id")
	line := s.call("GET", order, nil, 200).text("data", "items", 0, "id")
	s.call("POST", order+"/shipments",
		map[string]any{"carrier": "DHL", "trackingNumber": "JD1", "items": []any{map[string]any{"orderItemId": line, "quantity": 2}}}, 201)
	s.call("PATCH", order+"/status", map[string]any{"status": "SHIPPED", "carrier": "DHL", "trackingNumber": "JD2"}, 200)
	s.call("PATCH", "/api/v1/orders/"+found[second].text("id")+"/status", map[string]any{"status": "CANCELLED"}, 200)
	s.await(o.platform+": states", func() string {
		pieces, parcels := o.sent(theirs)
		return unless(pieces == 3 && parcels == 2 && o.cancelled(second), pieces, parcels, o.cancelled(second), s.call("GET", order, nil, 200),
			s.jobs(channel))
	})
	s.await(o.platform+": stock in the end", func() string { return unless(o.stock(sku) == 4, o.stock(sku), s.jobs(channel)) })
	s.await(o.platform+": settled", func() string {
		got := s.call("GET", order, nil, 200)
		return unless(got.text("data", "channelSync", "status") == "synced" && len(got.list("data", "issues")) == 0, got)
	})
	if pieces, parcels := o.sent(theirs); pieces != 3 || parcels != 2 {
		s.Errorf("%s: %d pieces in %d parcels", o.platform, pieces, parcels)
	}
	return theirs, order
}
