package platforms

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest/story"
)

// standIns are what answers for a while in place of a shop: its host, a firewall, WordPress without WooCommerce, PrestaShop without its web
// service, a shop that has to settle with Shopify.
func standIns(platform string) map[string]http.HandlerFunc {
	say := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	page := "<!DOCTYPE html><html><body><h1>Back soon</h1></body></html>"
	list := map[string]http.HandlerFunc{"a page, 404": say(404, "text/html", page), "a page, 503": say(503, "text/html", page)}
	switch platform {
	case "WOOCOMMERCE":
		list["a page, 403"], list["a page, 406"] = say(403, "text/html", page), say(406, "text/html", page)
		list["no WooCommerce"] = say(404, "application/json",
			`{"code":"rest_no_route","message":"No route was found matching the URL and request method.","data":{"status":404}}`)
	case "PRESTASHOP":
		list["a page, 403"] = say(403, "text/html", page)
		list["switched off"] = say(503, "text/xml", `<?xml version="1.0" encoding="UTF-8"?><prestashop><errors><error><code>22</code>`+
			`<message>The PrestaShop webservice is disabled.</message></error></errors></prestashop>`)
	case "SHOPIFY":
		list["frozen"], list["locked"] = say(402, "application/json", `{"errors":"Unavailable Shop"}`), say(423, "application/json", "{}")
	}
	return list
}

// threeShops are the shops that merchants run or rent.
func threeShops() []story.Shop { return []story.Shop{wooCommerce(), prestaShop(), shopify()} }

// Whatever stands in place of a shop for a while, none of its products counts as gone, and no order as unknown there.
func TestNothingIsGoneWhileAShopIsAway(t *testing.T) {
	for _, shop := range threeShops() {
		shop.Faults = nil
		for name, instead := range standIns(shop.Platform) {
			t.Run(shop.Platform+"/"+name, func(t *testing.T) {
				var away atomic.Bool
				o := open(t, shop, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if away.Load() {
						instead(w, r)
						return
					}
					shop.Handler.ServeHTTP(w, r)
				}))
				sold := o.publish(t)
				away.Store(true)
				for _, item := range sold {
					results, err := o.SetStock(t.Context(), []connector.StockItem{{Item: item, Quantity: 3}})
					if err == nil {
						t.Errorf("%+v", results)
					}
					results, err = o.SetPrices(t.Context(), []connector.PriceItem{{Item: item, Price: 90_000, Currency: "EUR"}})
					if err == nil {
						t.Errorf("%+v", results)
					}
				}
				results, err := o.Unpublish(t.Context(), sold, false)
				if err == nil && slices.ContainsFunc(results, func(r connector.Result) bool { return r.State != connector.Failed }) {
					t.Errorf("taken off sale: %+v", results)
				}
				if _, err := o.PullOrder(t.Context(), "7"); err == nil || connector.Is(err, connector.Missing) {
					t.Errorf("an order: %v", err)
				}
				if _, err := o.Test(t.Context()); err == nil || connector.Is(err, connector.Unauthorized) {
					t.Errorf("the test: %v", err)
				}
			})
		}
	}
}

// An order that was shipped here while something stood in place of the shop is shipped there when the shop is back.
func TestStatusesReachAShopThatWasAway(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		s.try("POST", "/api/v1/products", map[string]any{"sku": "MUG", "name": "Mug", "price": 7.9, "stock": map[string]any{"quantity": 99}})
		for _, shop := range threeShops() {
			shop.Faults = nil
			for name, instead := range standIns(shop.Platform) {
				t.Run(shop.Platform+"/"+name, func(t *testing.T) { s.shipsLater(t, shop, instead) })
			}
		}
	}, timed)
}

func (s *service) shipsLater(t *testing.T, shop story.Shop, instead http.HandlerFunc) {
	var away atomic.Bool
	inner := shop.Handler
	shop.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away.Load() {
			instead(w, r)
			return
		}
		inner.ServeHTTP(w, r)
	})
	c := s.connectShop(t, shop, map[string]any{"pullEvery": 300})
	ids := []string{shop.Buy(oneMug()), shop.Buy(oneMug()), shop.Buy(oneMug())}
	c.passUntil(t, "the orders", func() string {
		for _, id := range ids {
			if o := c.order(id); o == nil || o.Text("status") != "PROCESSING" {
				return fmt.Sprint(id, o)
			}
		}
		return ""
	})
	away.Store(true)
	for _, id := range ids {
		o := c.order(id)
		s.call("POST", "/api/v1/orders/"+o.Text("id")+"/shipments", map[string]any{"carrier": "DHL", "trackingNumber": "JD" + o.Text("id")[30:],
			"items": []any{map[string]any{"orderItemId": o.Text("items", 0, "id"), "quantity": 1}}}, 201)
	}
	c.passUntil(t, "an attempt", func() string {
		return unless(strings.Contains(fmt.Sprint(c.call("GET", "/api/v1/channels/"+c.id, nil, 200).At("data", "lastError")), " "), "no error")
	})
	for range 20 {
		c.Pass(60e9)
	}
	for _, id := range ids {
		if o := c.order(id); o.Text("channelSync", "status") != "pending" {
			t.Errorf("while the shop is away: %v", o.At("channelSync"))
		}
	}
	away.Store(false)
	c.passUntil(t, "shipped there", func() string {
		for _, id := range ids {
			if o := c.order(id); !shop.Order(id).Shipped && shop.Platform != "SHOPIFY" || o.Text("channelSync", "status") != "synced" {
				return fmt.Sprint(shop.Order(id), o.At("channelSync"))
			}
		}
		return ""
	})
}
