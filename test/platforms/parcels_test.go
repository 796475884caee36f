package platforms

import (
	"testing"
	"time"

	"entrepot/internal/connector/connectortest/story"
	shopifyshop "entrepot/internal/connector/shopify/fakeshop"
)

// shopifyParcels is a shop of Shopify whose parcels a test packs.
func (s *service) shopifyParcels(t *testing.T) (*channelOf, *shopifyshop.Shop) {
	t.Helper()
	shop := shopifyshop.New()
	s.try("POST", "/api/v1/products", map[string]any{"sku": "MUG", "name": "Mug", "price": 7.9, "stock": map[string]any{"quantity": 99}})
	return s.connectShop(t, shopifyStory(shop), map[string]any{"pullEvery": 300}), shop
}

// parcels runs a test on each engine, with a channel that is deleted before its service ends.
func parcels(t *testing.T, test func(t *testing.T, s *service)) {
	t.Helper()
	engines(t, func(t *testing.T, s *service) { t.Run("shop", func(t *testing.T) { test(t, s) }) }, timed)
}

// buy places an order of so many mugs and waits until it is here.
func (c *channelOf) buy(t *testing.T, quantity int64) (external string, order document) {
	t.Helper()
	external = c.Buy(story.Wish{Email: "ada@shop.example", Lines: []story.Line{{SKU: "MUG", Quantity: quantity, Cents: 1000}}})
	c.passUntil(t, "the order", func() string { return unless(c.order(external) != nil, "none") })
	return external, c.order(external)
}

// ship ships a quantity of an order's first line here, and waits until the platform knows.
func (c *channelOf) ship(t *testing.T, external string, quantity int64, number string) {
	t.Helper()
	o := c.order(external)
	c.call("POST", "/api/v1/orders/"+o.Text("id")+"/shipments", map[string]any{"trackingNumber": number, "items": []any{
		map[string]any{"orderItemId": o.Text("items", 0, "id"), "quantity": quantity}}}, 201)
	c.passUntil(t, "synced", func() string { o := c.order(external); return unless(o.Text("channelSync", "status") == "synced", o) })
}

// A parcel that was shipped here and has no tracking number comes back from the shop, and is not shipped a second time.
func TestParcelsWithoutNumberComeBack(t *testing.T) {
	t.Parallel()
	parcels(t, func(t *testing.T, s *service) {
		c, shop := s.shopifyParcels(t)
		id, _ := c.buy(t, 5)
		c.ship(t, id, 2, "")
		c.settle(t)
		o := c.order(id)
		if _, there, _, _ := shop.Order(id); there != 2 || o.At("items", 0, "shippedQuantity") != 2.0 || len(o.List("shipments")) != 1 {
			t.Errorf("%d shipped there: %v", there, o)
		}
	})
}

// What is shipped here is shipped in the shop too, beside parcels that the merchant packed there.
func TestParcelsOfBothSides(t *testing.T) {
	t.Parallel()
	parcels(t, func(t *testing.T, s *service) {
		c, shop := s.shopifyParcels(t)
		id, _ := c.buy(t, 6)
		shop.Pack(id, 3, "THEIRS-1")
		c.passUntil(t, "their parcel", func() string { o := c.order(id); return unless(o.At("items", 0, "shippedQuantity") == 3.0, o) })
		c.ship(t, id, 2, "OURS-1")
		c.settle(t)
		numbers, there, _, _ := shop.Order(id)
		o := c.order(id)
		if there != 5 || len(numbers) != 2 || o.At("items", 0, "shippedQuantity") != 5.0 || len(o.List("shipments")) != 2 {
			t.Errorf("%d shipped there in %v: %v", there, numbers, o)
		}
		c.ship(t, id, 1, "OURS-2")
		c.settle(t)
		if numbers, there, _, _ = shop.Order(id); there != 6 || len(numbers) != 3 || numbers[2] != "OURS-2" {
			t.Errorf("%d shipped there in %v", there, numbers)
		}
	})
}

// Of an order that is first seen after it was shipped and a piece of it was sent back, all is shipped: the piece that is refunded has left.
func TestRefundsAfterTheParcel(t *testing.T) {
	t.Parallel()
	parcels(t, func(t *testing.T, s *service) {
		c, shop := s.shopifyParcels(t)
		c.down.Store(true)
		id := c.Buy(story.Wish{Email: "ada@shop.example", Lines: []story.Line{{SKU: "MUG", Quantity: 2, Cents: 1000}}})
		s.clock.pass(time.Minute)
		shop.Pack(id, 2, "JD1")
		s.clock.pass(time.Minute)
		shop.Change(id, "refunded")
		whole := c.Buy(story.Wish{Email: "ada@shop.example", Lines: []story.Line{{SKU: "MUG", Quantity: 2, Cents: 1000}}})
		s.clock.pass(time.Minute)
		shop.Pack(whole, 2, "JD2")
		s.clock.pass(time.Minute)
		shop.Change(whole, "returned")
		c.down.Store(false)
		c.passUntil(t, "the orders", func() string { return unless(c.order(id) != nil && c.order(whole) != nil, "none") })
		c.settle(t)
		o := c.order(id)
		if o.Text("status") != "SHIPPED" || o.At("items", 0, "shippedQuantity") != 2.0 {
			t.Errorf("%v", o)
		}
		o = c.order(whole)
		if o.Text("status") != "RETURNED" || o.At("items", 0, "shippedQuantity") != 2.0 {
			t.Errorf("%v", o)
		}
	})
}

// A quantity that was changed in the shop is set back: Shopify names the inventory item, not the product.
func TestQuantitiesThatAreChangedInShopify(t *testing.T) {
	t.Parallel()
	parcels(t, func(t *testing.T, s *service) {
		c, shop := s.shopifyParcels(t)
		s.call("POST", "/api/v1/channels/"+c.id+"/publications", map[string]any{"skus": []any{"MUG"}}, 200)
		there := func(want int64) {
			t.Helper()
			c.passUntil(t, "the quantity", func() string { v, _ := c.Stands(); return unless(v["MUG"].Quantity == want && v["MUG"].OnSale, v) })
		}
		there(99)
		c.settle(t)
		shop.Count("MUG", 3)
		there(99)
	})
}

// What is shipped here while the shop holds the order back waits for its release, and keeps no other order waiting.
func TestParcelsThatShopifyHoldsBack(t *testing.T) {
	t.Parallel()
	parcels(t, func(t *testing.T, s *service) {
		c, shop := s.shopifyParcels(t)
		held, o := c.buy(t, 2)
		other, _ := c.buy(t, 1)
		shop.Hold(held, 2)
		c.call("POST", "/api/v1/orders/"+o.Text("id")+"/shipments", map[string]any{"trackingNumber": "HELD", "items": []any{
			map[string]any{"orderItemId": o.Text("items", 0, "id"), "quantity": 2}}}, 201)
		c.ship(t, other, 1, "OTHER")
		c.settle(t)
		if o = c.order(held); o.Text("channelSync", "status") != "pending" || o.Text("channelSync", "error") == "" {
			t.Errorf("%v", o.At("channelSync"))
		}
		shop.Release(held)
		c.passUntil(t, "synced", func() string { o := c.order(held); return unless(o.Text("channelSync", "status") == "synced", o) })
		if numbers, there, _, _ := shop.Order(held); there != 2 || len(numbers) != 1 || numbers[0] != "HELD" {
			t.Errorf("%d shipped there in %v", there, numbers)
		}
	})
}

// A shipment in place of one that was deleted here after the shop had it: the shop shows its tracking number, in the parcel that it has.
func TestTrackingInPlaceOfADeletedShipment(t *testing.T) {
	t.Parallel()
	parcels(t, func(t *testing.T, s *service) {
		c, shop := s.shopifyParcels(t)
		id, order := c.buy(t, 2)
		for _, number := range []string{"WRONG", "RIGHT"} {
			c.ship(t, id, 2, number)
			c.passUntil(t, "shown in the shop", func() string {
				numbers, pieces, _, _ := shop.Order(id)
				o := c.order(id)
				return unless(len(numbers) == 1 && numbers[0] == number && pieces == 2 && o.Text("channelSync", "status") == "synced", numbers, o)
			})
			if number == "WRONG" {
				c.call("DELETE", "/api/v1/orders/"+order.Text("id")+"/shipments/"+c.order(id).Text("shipments", 0, "id"), nil, 200)
			}
		}
		c.pull(t)
		o := c.order(id)
		if len(o.List("shipments")) != 1 || o.Text("shipments", 0, "trackingNumber") != "RIGHT" || o.Text("status") != "SHIPPED" {
			t.Errorf("%v", o)
		}
	})
}
