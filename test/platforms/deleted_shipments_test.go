package platforms

import (
	"testing"

	"entrepot/internal/connector/connectortest/story"
)

// A shipment that is deleted here does not come back when its shop says that the order was shipped: neither by the change that was sent
// there, which is read only then, nor by a later change of something else. One that is made in its place stays alone, too.
func TestDeletedShipmentsStayDeleted(t *testing.T) {
	t.Parallel()
	for _, shop := range []func() story.Shop{wooCommerce, prestaShop, shopify, ebay} {
		engines(t, func(t *testing.T, s *service) {
			t.Run(shop().Platform, func(t *testing.T) {
				made := shop()
				made.Deliver, made.Install = nil, nil // nothing is read before the test wants it
				s.try("POST", "/api/v1/products", map[string]any{"sku": "MUG", "name": "Mug", "price": 7.9, "stock": map[string]any{"quantity": 99}})
				c := s.connectShop(t, made, map[string]any{"pullEvery": 86400, "stock": "off"})
				id := c.Buy(story.Wish{Email: "ada@shop.example", Lines: []story.Line{{SKU: "MUG", Quantity: 2, Cents: 1000}}})
				c.pull(t)
				c.ship(t, id, 2, "JD014600001")
				c.passUntil(t, "shipped there", func() string { o := c.Order(id); return unless(o.Shipped, o) })
				o := c.order(id)
				c.call("DELETE", "/api/v1/orders/"+o.Text("id")+"/shipments/"+o.Text("shipments", 0, "id"), nil, 200)
				open := func(when string) {
					t.Helper()
					c.passUntil(t, "synced", func() string { o := c.order(id); return unless(o.Text("channelSync", "status") != "pending", o) })
					c.pull(t)
					if o := c.order(id); o.Text("status") != "PROCESSING" || len(o.List("shipments")) != 0 || o.At("items", 0, "shippedQuantity") != 0.0 {
						t.Errorf("%s: %v", when, o)
					}
				}
				open("the echo")
				c.Refund(id)
				open("a refund later")
				c.ship(t, id, 1, "JD014600002")
				c.pull(t)
				if o := c.order(id); o.At("items", 0, "shippedQuantity") != 1.0 || len(o.List("shipments")) != 1 {
					t.Errorf("another shipment: %v", o)
				}
			})
		}, timed)
	}
}

// pull reads the channel's orders and waits until that is done.
func (c *channelOf) pull(t *testing.T) {
	t.Helper()
	job := c.call("POST", "/api/v1/channels/"+c.id+"/sync", map[string]any{"type": "order_pull"}, 202).Text("data", "jobId")
	c.passUntil(t, "the pull", func() string {
		for _, j := range c.call("GET", "/api/v1/jobs?channelId="+c.id+"&limit=50", nil, 200).List("data") {
			one, _ := j.(map[string]any)
			if document(one).Text("id") == job {
				return unless(document(one).Text("status") == "COMPLETED", one)
			}
		}
		return "not listed"
	})
}
