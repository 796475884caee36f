package parallel

import (
	"net/http"
	"net/url"
	"strings"
)

var stockOperations = []operation{
	{name: "PATCH /sdk/inventory/bulk-update", weight: 16, run: setStock},
	{name: "POST /inventory/movements", weight: 16, run: moveStock},
	{name: "POST /inventory/transfers", weight: 8, run: transferStock},
	{name: "PATCH /inventory/thresholds", weight: 6, run: setThresholds},
	{name: "POST /warehouses", weight: 2, run: func(c *client) *request {
		return &request{method: http.MethodPost, path: "/api/v1/warehouses", sure: true,
			body: object{"code": c.name("WH"), "name": "Warehouse"}, done: learns(c, "warehouse", "/api/v1/warehouses/")}
	}},
	{name: "PATCH /warehouses/{id}", weight: 3, run: change("warehouse", func(c *client) object {
		return object{"name": c.name("Warehouse"), "address": object{"city": c.name("City")}}
	}), match: true},
	{name: "DELETE /warehouses/{id}", weight: 1, run: remove("warehouse")},
}

func (c *client) warehouse() string {
	codes := append([]string{"MAIN", "MAIN"}, warehouses...)
	return c.one(codes...)
}

func setStock(c *client) *request {
	var updates []any
	for range 5 + c.random.IntN(40) {
		update := object{"sku": c.someSKU(), "quantity": 500 + c.random.IntN(5000)}
		if c.chance(60) {
			update["warehouseCode"] = c.warehouse()
		}
		updates = append(updates, update)
	}
	if c.chance(5) {
		updates = append(updates, object{"sku": c.someSKU(), "quantity": 1, "warehouseCode": c.name("AUTO")})
	}
	return &request{method: http.MethodPatch, path: "/api/v1/sdk/inventory/bulk-update", body: object{"updates": updates}, sure: true}
}

func moveStock(c *client) *request {
	sku := c.someSKU()
	if c.alone {
		sku = c.pick("sku")
	}
	reason := c.name("reason")
	return &request{method: http.MethodPost, path: "/api/v1/inventory/movements",
		body: object{"sku": sku, "type": "receive", "quantity": 1 + c.random.IntN(50), "warehouseCode": "MAIN", "reason": reason},
		effects: func(c *client) int {
			rows, ok := c.get("GET /inventory/{sku}/ledger", "/api/v1/inventory/"+url.PathEscape(sku)+"/ledger?limit=100")
			if !ok {
				return -1
			}
			return strings.Count(string(rows.Body), `"`+reason+`"`)
		}}
}

func transferStock(c *client) *request {
	return &request{method: http.MethodPost, path: "/api/v1/inventory/transfers", body: object{
		"sku": stableSKU(c.random.IntN(stableSKUs)), "fromWarehouseCode": "MAIN", "toWarehouseCode": c.one(warehouses...),
		"quantity": 1 + c.random.IntN(5)}}
}

func setThresholds(c *client) *request {
	var updates []any
	for range 1 + c.random.IntN(20) {
		updates = append(updates, object{"sku": c.someSKU(), "threshold": c.random.IntN(3000)})
	}
	return &request{method: http.MethodPatch, path: "/api/v1/inventory/thresholds", body: object{"updates": updates}, sure: true}
}
