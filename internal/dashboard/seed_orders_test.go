package dashboard

import (
	"net/url"
	"strings"
)

// seedOrders are orders of each status, one of them shipped in part, of which a unit comes back, and a bulk move.
func (s *site) seedOrders() {
	s.t.Helper()
	c, b := s.shopper(s.t), s.as(s.owner)
	c.articles()
	for _, status := range []string{"PENDING", "SHIPPED", "DELIVERED", "CANCELLED", "RETURNED"} {
		c.order(status, map[string]any{"externalReference": "WEB-" + status, "notes": "Call before delivery."}, 3, 1)
	}
	order := c.order("PROCESSING", map[string]any{"notes": "The bell is broken.", "paymentMetadata": map[string]any{"provider": "stripe",
		"captured": true}}, 5, 2)
	lines := c.call("GET", "/orders/"+order, nil)["items"].([]any)
	c.call("POST", "/orders/"+order+"/shipments", map[string]any{"carrier": "DHL", "trackingNumber": "JJD1", "items": []any{
		map[string]any{"orderItemId": lines[0].(map[string]any)["id"], "quantity": 2}}})
	c.call("POST", "/orders/"+order+"/returns", map[string]any{"reason": "torn", "items": []any{
		map[string]any{"orderItemId": lines[0].(map[string]any)["id"], "quantity": 1}}})
	job := b.post("/orders/bulk", url.Values{"all": {"6"}, "to": {"SHIPPED"}, "status": {"PENDING"}, "confirm": {"yes"}}).to()
	s.work()
	s.samples["/orders"], s.samples["/orders/bulk"] = order, job[strings.LastIndex(job, "/")+1:]
	s.samples["/jobs"] = s.samples["/orders/bulk"]
	s.samples["/products/bulk"] = c.call("POST", "/products/bulk", map[string]any{"action": "price", "percent": 0,
		"filter": map[string]any{"sku": "POT-4"}})["jobId"].(string)
	s.work()
}
