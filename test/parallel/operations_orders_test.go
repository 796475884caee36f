package parallel

import (
	"fmt"
	"net/http"
	"path"
	"strings"

	"entrepot/test/blackbox/harness"
)

var orderOperations = []operation{
	{name: "POST /orders", weight: 60, run: createOrder, may: []int{400}}, // 400: a SKU that was deleted
	{name: "PATCH /orders/{id}/status", weight: 30, run: moveOrder, match: true},
	{name: "PUT /orders/{id}/items", weight: 16, run: editLines, may: []int{400}, match: true},
	{name: "PATCH /orders/{id}", weight: 8, run: change("order", func(c *client) object {
		return object{"notes": c.name("note"), "paymentMetadata": object{"n": c.sent}, "tags": []string{c.name("tag"), "gift"}}
	}), match: true},
	{name: "POST /orders/{id}/shipments", weight: 16, run: ship, may: []int{400}}, // 400: another client shipped it
	{name: "PATCH /orders/{id}/shipments/{id}", weight: 6, run: change("shipment", func(c *client) object {
		return object{"trackingNumber": c.name("corrected"), "carrier": "DHL"}
	})},
	{name: "DELETE /orders/{id}/shipments/{id}", weight: 6, run: remove("shipment")},
	{name: "POST /orders/bulk-ship", weight: 6, run: bulkShip},
	{name: "POST /orders/bulk-tag", weight: 6, run: bulkTag},
	{name: "POST /orders/{id}/returns", weight: 10, run: giveBack, may: []int{400}}, // 400: nothing was shipped, or it is in other returns
	{name: "PATCH /orders/{id}/returns/{id}", weight: 12, run: change("return", func(c *client) object {
		return object{"status": c.one("received", "received", "refunded", "rejected"), "notes": c.name("note")}
	}), may: []int{400}}, // 400: others have refunded more than is left for it
	{name: "POST /orders/{id}/refunds", weight: 6, run: refund, may: []int{400}}, // 400: more than is left
}

// bulkShip ships the rest of some orders; those that may not be shipped are errors of the answer.
func bulkShip(c *client) *request {
	var list []any
	for range 1 + c.random.IntN(3) {
		if order := c.pick("order"); order != "" {
			list = append(list, object{"orderId": path.Base(order), "carrier": "DHL", "trackingNumber": c.name("BULK")})
		}
	}
	if list == nil {
		return nil
	}
	return &request{method: http.MethodPost, path: "/api/v1/orders/bulk-ship", body: object{"orders": list}}
}

// bulkTag tags some orders; those that are gone are errors of the answer.
func bulkTag(c *client) *request {
	var list []string
	for range 1 + c.random.IntN(3) {
		if order := c.pick("order"); order != "" {
			list = append(list, path.Base(order))
		}
	}
	if list == nil {
		return nil
	}
	return &request{method: http.MethodPost, path: "/api/v1/orders/bulk-tag",
		body: object{"orderIds": list, "add": []string{c.name("tag")}, "remove": []string{"gift"}, "assignedTo": nil}}
}

func removed(c *client, kind, path string) func(harness.Answer) {
	return func(harness.Answer) { c.forget(kind, path) }
}

// someSKU is one that orders and stock may name: mostly one that stays.
func (c *client) someSKU() string {
	switch {
	case c.alone || c.chance(70):
		return stableSKU(c.random.IntN(stableSKUs))
	case c.chance(50):
		return comingSKU(c.random.IntN(comingSKUs))
	}
	return c.shop.known.any("sku", c.random)
}

func (c *client) lines() []any {
	var lines []any
	for range 1 + c.random.IntN(4) {
		lines = append(lines, line(c.someSKU(), 1+c.random.IntN(5)))
	}
	return lines
}

func createOrder(c *client) *request {
	body := object{
		"customerName": "Buyer " + c.name("B"), "externalReference": c.name("REF"), "items": c.lines(), "shippingAmount": 4.9, "taxRate": 20,
		"shippingAddress": object{"line1": "1 rue " + c.name("R"), "city": "Dijon", "zip": "21000", "country": "FR"},
	}
	body["initialStatus"] = c.one("PENDING", "PENDING", "PROCESSING", "PROCESSING", "SHIPPED", "CANCELLED")
	switch {
	case c.alone:
		body["customerEmail"] = c.name("alone") + "@buyer.example"
	case c.chance(60): // some of these are merged and erased by others
		body["customerEmail"] = fmt.Sprintf("buyer%d@buyer.example", c.random.IntN(40))
	case c.chance(50):
		if customer := c.shop.known.any("customer", c.random); customer != "" {
			body["customerId"] = path.Base(customer)
		}
	}
	switch {
	case c.chance(30):
		body["channelId"] = c.shop.channel
	case !c.alone && c.chance(40):
		if channel := c.shop.known.any("channel", c.random); channel != "" {
			body["channelId"] = path.Base(channel)
		}
	}
	return &request{method: http.MethodPost, path: "/api/v1/orders", body: body, sure: c.alone, done: func(a harness.Answer) {
		c.learn("order", "/api/v1/orders/"+a.Text("data", "id"))
	}}
}

func moveOrder(c *client) *request {
	order := c.pick("order")
	if order == "" {
		return nil
	}
	to := c.one("PROCESSING", "PROCESSING", "SHIPPED", "SHIPPED", "DELIVERED", "CANCELLED", "RETURNED")
	return &request{method: http.MethodPatch, path: order + "/status", body: object{
		"status": to, "note": c.name("move"), "trackingNumber": c.name("TRACK"), "restock": to == "RETURNED" && c.chance(50)}}
}

func editLines(c *client) *request {
	order := c.pick("order")
	if order == "" {
		return nil
	}
	return &request{method: http.MethodPut, path: order + "/items", body: object{"items": c.lines(), "shippingAmount": c.random.IntN(9)}}
}

// giveBack announces that a unit of an order's first line comes back.
func giveBack(c *client) *request {
	order := c.pick("order")
	if order == "" {
		return nil
	}
	if c.alone { // something must have been sent
		for _, to := range []string{"PROCESSING", "SHIPPED"} {
			c.shop.send("PATCH /orders/{id}/status", c.shop.on(0, c.shop.account.Key), harness.Request{
				Method: http.MethodPatch, Path: order + "/status", Body: text(object{"status": to})})
		}
	}
	read, ok := c.get("GET /orders/{id}", order)
	if !ok || (c.alone && read.Text("data", "status") != "SHIPPED") {
		return nil
	}
	return &request{method: http.MethodPost, path: order + "/returns",
		body: object{"reason": c.name("reason"), "items": []any{object{"orderItemId": read.Text("data", "items", 0, "id"), "quantity": 1,
			"restock": c.chance(50)}}},
		done: func(a harness.Answer) { c.learn("return", order+"/returns/"+a.Text("data", "id")) },
		effects: func(c *client) int {
			list, ok := c.get("GET /orders/{id}/returns", order+"/returns")
			if !ok {
				return -1
			}
			return strings.Count(string(list.Body), `"refundId"`)
		}}
}

// refund pays a cent of an order back.
func refund(c *client) *request {
	order := c.pick("order")
	if order == "" {
		return nil
	}
	return &request{method: http.MethodPost, path: order + "/refunds", body: object{"amount": "0.01", "reason": c.name("reason")}}
}

// ship sends a part or the whole of an order's first line.
func ship(c *client) *request {
	order := c.pick("order")
	if order == "" {
		return nil
	}
	if c.alone { // as made it may be in any status
		c.shop.send("PATCH /orders/{id}/status", c.shop.on(0, c.shop.account.Key), harness.Request{
			Method: http.MethodPatch, Path: order + "/status", Body: text(object{"status": "PROCESSING"})})
	}
	read, ok := c.get("GET /orders/{id}", order)
	if !ok || (c.alone && read.Text("data", "status") != "PROCESSING") {
		return nil
	}
	tracking := c.name("PARCEL")
	return &request{method: http.MethodPost, path: order + "/shipments",
		body: object{"carrier": "Colissimo", "trackingNumber": tracking,
			"items": []any{object{"orderItemId": read.Text("data", "items", 0, "id"), "quantity": 1}}},
		done: func(a harness.Answer) { c.learn("shipment", order+"/shipments/"+a.Text("data", "id")) },
		effects: func(c *client) int {
			list, ok := c.get("GET /orders/{id}/shipments", order+"/shipments")
			if !ok {
				return -1
			}
			return strings.Count(string(list.Body), `"`+tracking+`"`)
		}}
}
