package platforms

import (
	"strings"
	"testing"
	"time"

	"entrepot/internal/connector/connectortest"
	ebayshop "entrepot/internal/connector/ebay/fakeshop"
)

// When the day's quota of an application is nearly spent, shipments wait and say why; stock and orders go on. The next day everything is
// sent.
func TestStockAndOrdersHaveAShareOfTheQuota(t *testing.T) {
	t.Parallel()
	parcels(t, func(t *testing.T, s *service) {
		account := ebayshop.New()
		account.Spend("fulfillment", 10000, 9100)
		account.Spend("inventory", 10000, 100)
		c := s.connectShop(t, ebayStory(account), map[string]any{"pullEvery": 300})
		c.publish(t, map[string]any{"sku": "MUG", "name": "Mug", "price": 7.9, "stock": map[string]any{"quantity": 9},
			"images": []any{map[string]any{"url": connectortest.Pictures(t) + "/front.png", "position": 1}}}, "MUG")
		first, o := c.buy(t, 2)
		c.call("POST", "/api/v1/orders/"+o.Text("id")+"/shipments", map[string]any{"carrier": "DHL", "trackingNumber": "JD1", "items": []any{
			map[string]any{"orderItemId": o.Text("items", 0, "id"), "quantity": 2}}}, 201)
		c.passUntil(t, "the reason", func() string {
			o := c.order(first)
			return unless(strings.Contains(o.Text("channelSync", "error"), "quota") && o.Text("channelSync", "status") == "pending", o)
		})
		c.call("PATCH", "/api/v1/sdk/inventory/bulk-update", map[string]any{"updates": []any{map[string]any{"sku": "MUG", "quantity": 5}}}, 200)
		c.buy(t, 1)
		c.passUntil(t, "stock", func() string {
			return unless(account.Offers()["MUG"].Quantity == 4, account.Offers(), s.jobs(c.id))
		})
		if sent, _, _ := account.Order(first); sent != 0 {
			t.Errorf("%d parcels were sent with what is kept", sent)
		}
		account.Spend("fulfillment", 10000, 0)
		for until := s.Now().Add(24 * time.Hour); s.Now().Before(until); { // no time passes while a job runs
			s.Pass(24 * time.Hour)
		}
		c.passUntil(t, "the shipment", func() string {
			sent, _, _ := account.Order(first)
			return unless(sent == 1 && c.order(first).Text("channelSync", "status") == "synced", c.order(first), s.jobs(c.id))
		})
	})
}
