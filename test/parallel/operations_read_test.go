package parallel

import "net/http"

// readOperations are lists and reports that are asked beside the writers; none may fail or wait long.
var readOperations = []operation{
	{name: "GET lists", weight: 20, run: reads(
		"/api/v1/orders?limit=50", "/api/v1/orders?search=Buyer&status=PENDING", "/api/v1/products?perPage=50",
		"/api/v1/customers?limit=50", "/api/v1/categories", "/api/v1/inventory?limit=100", "/api/v1/channels", "/api/v1/segments",
		"/api/v1/warehouses", "/api/v1/attributes", "/api/v1/developer/events?limit=50", "/api/v1/developer/webhooks",
		"/api/v1/sdk/sync/status")},
	{name: "GET reports", weight: 2, run: reads(
		"/api/v1/analytics/summary", "/api/v1/analytics/sales", "/api/v1/analytics/channels", "/api/v1/analytics/stock",
		"/api/v1/analytics/webhooks", "/api/v1/audit-log")},
}

func reads(paths ...string) func(*client) *request {
	return func(c *client) *request {
		return &request{method: http.MethodGet, path: c.one(paths...)}
	}
}
