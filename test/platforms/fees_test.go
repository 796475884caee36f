package platforms

import (
	"testing"

	"entrepot/internal/connector/connectortest/story"
)

// A fee of an order is nothing to ship: the order is shipped when its goods are, and its shop knows. A caller that ships every line may
// name the fee, too.
func TestFeesAreNotShipped(t *testing.T) {
	t.Parallel()
	for _, shop := range []func() story.Shop{wooCommerce, prestaShop, shopify} {
		engines(t, func(t *testing.T, s *service) {
			t.Run(shop().Platform, func(t *testing.T) {
				s.try("POST", "/api/v1/products", map[string]any{"sku": "MUG", "name": "Mug", "price": 7.9, "stock": map[string]any{"quantity": 99}})
				c := s.connectShop(t, shop(), map[string]any{"pullEvery": 300})
				for _, all := range []bool{false, true} {
					id := c.Buy(story.Wish{Email: "ada@shop.example", Fee: true, Lines: []story.Line{{SKU: "MUG", Quantity: 2, Cents: 1000}}})
					c.passUntil(t, "the order", func() string { return unless(c.order(id) != nil, "none") })
					o := c.order(id)
					var items []any
					for i := range o.List("items") {
						if fee := o.At("items", i, "fee") == true; all || !fee {
							items = append(items, map[string]any{"orderItemId": o.Text("items", i, "id"), "quantity": o.At("items", i, "quantity")})
						} else if o.Text("items", i, "productId") != "" {
							t.Errorf("a fee with a product: %v", o)
						}
					}
					if len(o.List("items")) != 2 || o.At("unitCount") != 2.0 || len(items) == 2 != all {
						t.Fatalf("%v", o)
					}
					c.call("POST", "/api/v1/orders/"+o.Text("id")+"/shipments", map[string]any{"trackingNumber": "JD1", "items": items}, 201)
					c.passUntil(t, "shipped there", func() string { o := c.Order(id); return unless(o.Shipped, o) })
					if o := c.order(id); o.Text("status") != "SHIPPED" || o.At("shippedUnitCount") != 2.0 || len(o.List("issues")) != 0 {
						t.Errorf("%v", o)
					}
				}
			})
		}, timed)
	}
}
