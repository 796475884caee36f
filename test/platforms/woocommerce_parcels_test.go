package platforms

import (
	"strconv"
	"testing"

	"entrepot/internal/connector/connectortest/story"
	wooshop "entrepot/internal/connector/woocommerce/fakeshop"
)

// wooParcels is a shop of WooCommerce that has parcels of its own, and an order of so many mugs.
func (s *service) wooParcels(t *testing.T, quantity int64) (c *channelOf, shop *wooshop.Shop, order string, number int64) {
	t.Helper()
	s.try("POST", "/api/v1/products", map[string]any{"sku": "MUG", "name": "Mug", "price": 7.9, "stock": map[string]any{"quantity": 99}})
	made := wooCommerce()
	shop, _ = made.Handler.(*wooshop.Shop)
	shop.Habits.Fulfillments = true
	c = s.connectShop(t, made, map[string]any{"pullEvery": 300})
	order = c.Buy(story.Wish{Email: "ada@shop.example", Fee: true, Lines: []story.Line{{SKU: "MUG", Quantity: quantity, Cents: 1000}}})
	c.passUntil(t, "the order", func() string { return unless(c.order(order) != nil, "none") })
	number, _ = strconv.ParseInt(order, 10, 64)
	return c, shop, order, number
}

// Parcels that were packed in WooCommerce are shipments here; the rest is shipped here and there, each parcel once.
func TestParcelsPackedInWooCommerce(t *testing.T) {
	t.Parallel()
	parcels(t, func(t *testing.T, s *service) {
		c, shop, id, number := s.wooParcels(t, 5)
		shop.Fulfil(number, 2, "THEIRS-1")
		c.passUntil(t, "their parcel", func() string { o := c.order(id); return unless(o.Text("status") == "PARTIALLY_SHIPPED", o) })
		o := c.order(id)
		if o.Text("shipments", 0, "trackingNumber") != "THEIRS-1" || o.Text("shipments", 0, "carrier") != "dhl" ||
			o.At("shippedUnitCount") != 2.0 || len(o.List("issues")) != 0 {
			t.Errorf("%v", o)
		}
		c.ship(t, id, 3, "OURS-1")
		c.passUntil(t, "completed there", func() string { o := c.Order(id); return unless(o.Shipped, o) })
		c.settle(t)
		if o := c.order(id); o.Text("status") != "SHIPPED" || len(o.List("shipments")) != 2 || shop.Parcels(number) != 2 ||
			len(o.List("issues")) != 0 {
			t.Errorf("%d parcels there: %v", shop.Parcels(number), o)
		}
	})
}

// An order of which everything was packed in WooCommerce is shipped, although its status stays what it was.
func TestAllPackedInWooCommerce(t *testing.T) {
	t.Parallel()
	parcels(t, func(t *testing.T, s *service) {
		c, shop, id, number := s.wooParcels(t, 2)
		shop.Fulfil(number, 1, "THEIRS-1")
		shop.Fulfil(number, 1, "THEIRS-2")
		c.passUntil(t, "shipped", func() string { o := c.order(id); return unless(o.Text("status") == "SHIPPED", o) })
		shop.Edit(number, "Bonn", 2) // a later change of something else
		c.settle(t)
		if o := c.order(id); o.Text("status") != "SHIPPED" || len(o.List("shipments")) != 2 || len(o.List("issues")) != 0 {
			t.Errorf("%v", o)
		}
	})
}

// An order that is completed in WooCommerce with numbers of a tracking plugin is one shipment with these numbers.
func TestNumbersOfATrackingPlugin(t *testing.T) {
	t.Parallel()
	parcels(t, func(t *testing.T, s *service) {
		c, shop, id, number := s.wooParcels(t, 2)
		shop.Track(number, "JD1")
		shop.Track(number, "JD2")
		c.settle(t)
		if o := c.order(id); o.Text("status") != "PROCESSING" || len(o.List("shipments")) != 0 {
			t.Errorf("what is in the parcels is not known: %v", o)
		}
		shop.Move(number, "completed")
		c.settle(t)
		o := c.order(id)
		if o.Text("status") != "SHIPPED" || len(o.List("shipments")) != 1 || o.Text("trackingNumber") != "JD1, JD2" ||
			o.Text("trackingCarrier") != "dhl" {
			t.Errorf("%v", o)
		}
	})
}
