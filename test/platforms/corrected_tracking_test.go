package platforms

import (
	"slices"
	"strings"
	"testing"

	"entrepot/internal/connector/connectortest/story"
)

// Tracking that is corrected after shipping takes the place of the old on the platform, or beside it in a text to the buyer. What the
// platform cannot change it keeps, and the order says so. Nothing is shipped twice, there or here.
func TestCorrectedTracking(t *testing.T) {
	t.Parallel()
	const first, second = "JD014600001", "JD014600002"
	for _, c := range []struct {
		name string
		shop func() story.Shop
		want []string // which numbers the platform names then
		sync string
	}{
		{"WooCommerce", wooCommerce, []string{first, second}, "synced"}, {"PrestaShop", prestaShop, []string{second}, "synced"},
		{"Shopify", shopify, []string{second}, "synced"}, {"Amazon", amazon, []string{second}, "synced"},
		{"TikTok Shop", tikTok, []string{second}, "synced"}, {"eBay", ebay, []string{first}, "skipped"},
	} {
		engines(t, func(t *testing.T, s *service) {
			t.Run(c.name, func(t *testing.T) {
				made := c.shop()
				made.Deliver, made.Install = nil, nil // nothing is read before the test wants it
				s.try("POST", "/api/v1/products", map[string]any{"sku": "MUG", "name": "Mug", "price": 7.9, "stock": map[string]any{"quantity": 99}})
				channel := s.connectShop(t, made, map[string]any{"pullEvery": 86400, "stock": "off"})
				id := channel.Buy(story.Wish{Email: "ada@shop.example", Lines: []story.Line{{SKU: "MUG", Quantity: 2, Cents: 1000}}})
				channel.passUntil(t, "here", func() string { // Amazon lists an order some minutes later
					channel.pull(t)
					return unless(channel.order(id).Text("id") != "", id)
				})
				order := channel.order(id)
				shipments := "/api/v1/orders/" + order.Text("id") + "/shipments"
				shipment := channel.call("POST", shipments, map[string]any{"carrier": "DHL", "trackingNumber": first, "items": []any{
					map[string]any{"orderItemId": order.Text("items", 0, "id"), "quantity": 2}}}, 201).Text("data", "id")
				settled := func(want string) {
					t.Helper()
					channel.passUntil(t, want, func() string { o := channel.order(id); return unless(o.Text("channelSync", "status") == want, o) })
				}
				settled("synced")
				channel.call("PATCH", shipments+"/"+shipment, map[string]any{"trackingNumber": second}, 200)
				settled(c.sync)
				named := func(o story.Order) (list []string) {
					for _, number := range []string{first, second} {
						if strings.Contains(strings.Join(o.Numbers, " "), number) {
							list = append(list, number)
						}
					}
					return list
				}
				if o := channel.Order(id); !slices.Equal(named(o), c.want) || o.Pieces > 2 {
					t.Errorf("there: %+v", o)
				}
				if o := channel.order(id); (o.Text("channelSync", "error") != "") != (c.sync == "skipped") {
					t.Errorf("here: %v", o.At("channelSync"))
				}
				channel.pull(t)
				o := channel.order(id)
				if len(o.List("shipments")) != 1 || o.Text("shipments", 0, "trackingNumber") != second || o.Text("status") != "SHIPPED" {
					t.Errorf("after a pull: %v", o)
				}
			})
		}, timed)
	}
}
