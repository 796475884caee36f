package blackbox

import (
	"fmt"
	"net/http"
	"strings"

	"entrepot/test/blackbox/harness"
)

// route is one route of the API and the scope it wants ("" any credential, "login" a login only).
// In its path, {order} and the like stand for ids of records the case makes.
type route struct{ method, path, scope string }

func (r route) sdk() bool { return strings.HasPrefix(r.path, "/api/v1/sdk/") }

// routes is every route that takes a credential, from interface §4.
var routes = []route{
	{"GET", "/api/v1/orders", "read:orders"},
	{"POST", "/api/v1/orders", "write:orders"},
	{"GET", "/api/v1/orders/{order}", "read:orders"},
	{"PATCH", "/api/v1/orders/{order}/status", "write:orders"},
	{"PUT", "/api/v1/orders/{order}/items", "write:orders"},
	{"GET", "/api/v1/orders/{order}/shipments", "read:orders"},
	{"POST", "/api/v1/orders/{order}/shipments", "write:orders"},
	{"PATCH", "/api/v1/orders/{order}/shipments/{shipment}", "write:orders"},
	{"DELETE", "/api/v1/orders/{order}/shipments/{shipment}", "write:orders"},
	{"GET", "/api/v1/orders/{order}/returns", "read:orders"},
	{"POST", "/api/v1/orders/{order}/returns", "write:orders"},
	{"PATCH", "/api/v1/orders/{order}/returns/{return}", "write:orders"},
	{"POST", "/api/v1/orders/{order}/refunds", "write:orders"},
	{"POST", "/api/v1/orders/bulk-ship", "write:orders"},
	{"POST", "/api/v1/orders/bulk-tag", "write:orders"},
	{"POST", "/api/v1/sdk/products/bulk-import", "write:products"},
	{"POST", "/api/v1/sdk/categories/bulk-import", "write:categories"},
	{"PATCH", "/api/v1/sdk/inventory/bulk-update", "write:inventory"},
	{"PATCH", "/api/v1/sdk/prices/bulk-update", "write:products"},
	{"GET", "/api/v1/sdk/products/changes", "read:products"},
	{"GET", "/api/v1/sdk/categories/changes", "read:categories"},
	{"GET", "/api/v1/sdk/inventory/changes", "read:inventory"},
	{"GET", "/api/v1/sdk/sync/status", "read:channels"},
	{"GET", "/api/v1/jobs", "read:channels"},
	{"GET", "/api/v1/sdk/jobs/{job}", "read:products"},
	{"POST", "/api/v1/products/bulk", "write:products"},
	{"POST", "/api/v1/jobs/{job}/actions", "write:products"},
	{"GET", "/api/v1/jobs/{job}/products", "read:products"},
	{"GET", "/api/v1/customers", "read:customers"},
	{"POST", "/api/v1/customers", "write:customers"},
	{"GET", "/api/v1/customers/{customer}", "read:customers"},
	{"PATCH", "/api/v1/customers/{customer}", "write:customers"},
	{"PUT", "/api/v1/customers/{customer}", "write:customers"},
	{"GET", "/api/v1/customers/{customer}/orders", "read:customers"},
	{"POST", "/api/v1/customers/merge", "write:customers"},
	{"GET", "/api/v1/customers/merge", "read:customers"},
	{"POST", "/api/v1/customers/{customer}/erase", "write:customers"},
	{"POST", "/api/v1/customers/{customer}/addresses", "write:customers"},
	{"PATCH", "/api/v1/customers/{customer}/addresses/{address}", "write:customers"},
	{"DELETE", "/api/v1/customers/{customer}/addresses/{address}", "write:customers"},
	{"GET", "/api/v1/segments", "read:customers"},
	{"POST", "/api/v1/segments", "write:customers"},
	{"GET", "/api/v1/segments/{segment}", "read:customers"},
	{"PATCH", "/api/v1/segments/{segment}", "write:customers"},
	{"DELETE", "/api/v1/segments/{segment}", "write:customers"},
	{"GET", "/api/v1/products", "read:products"},
	{"POST", "/api/v1/products", "write:products"},
	{"GET", "/api/v1/products/{product}", "read:products"},
	{"PATCH", "/api/v1/products/{product}", "write:products"},
	{"PUT", "/api/v1/products/{product}", "write:products"},
	{"DELETE", "/api/v1/products/{product}", "write:products"},
	{"GET", "/api/v1/categories", "read:categories"},
	{"POST", "/api/v1/categories", "write:categories"},
	{"GET", "/api/v1/categories/{category}", "read:categories"},
	{"PATCH", "/api/v1/categories/{category}", "write:categories"},
	{"PUT", "/api/v1/categories/{category}", "write:categories"},
	{"DELETE", "/api/v1/categories/{category}", "write:categories"},
	{"GET", "/api/v1/warehouses", "read:inventory"},
	{"POST", "/api/v1/warehouses", "write:inventory"},
	{"GET", "/api/v1/warehouses/{warehouse}", "read:inventory"},
	{"PATCH", "/api/v1/warehouses/{warehouse}", "write:inventory"},
	{"DELETE", "/api/v1/warehouses/{warehouse}", "write:inventory"},
	{"GET", "/api/v1/attributes", "read:attributes"},
	{"POST", "/api/v1/attributes", "write:attributes"},
	{"GET", "/api/v1/attributes/{attribute}", "read:attributes"},
	{"PATCH", "/api/v1/attributes/{attribute}", "write:attributes"},
	{"DELETE", "/api/v1/attributes/{attribute}", "write:attributes"},
	{"GET", "/api/v1/inventory", "read:inventory"},
	{"GET", "/api/v1/inventory/{sku}/ledger", "read:inventory"},
	{"POST", "/api/v1/inventory/movements", "write:inventory"},
	{"POST", "/api/v1/inventory/transfers", "write:inventory"},
	{"PATCH", "/api/v1/inventory/thresholds", "write:inventory"},
	{"GET", "/api/v1/channels", "read:channels"},
	{"POST", "/api/v1/channels", "write:channels"},
	{"GET", "/api/v1/channels/{channel}", "read:channels"},
	{"PATCH", "/api/v1/channels/{channel}", "write:channels"},
	{"PUT", "/api/v1/channels/{channel}", "write:channels"},
	{"DELETE", "/api/v1/channels/{channel}", "write:channels"},
	{"POST", "/api/v1/channels/{channel}/sync/test", "write:channels"},
	{"POST", "/api/v1/channels/{channel}/settings/preview", "write:channels"},
	{"POST", "/api/v1/channels/{channel}/sync", "write:channels"},
	{"POST", "/api/v1/channels/{channel}/publications", "write:channels"},
	{"GET", "/api/v1/developer/api-keys", "login"},
	{"POST", "/api/v1/developer/api-keys", "login"},
	{"DELETE", "/api/v1/developer/api-keys/{key}", "login"},
	{"GET", "/api/v1/developer/webhooks/events", ""},
	{"GET", "/api/v1/developer/webhooks", "read:webhooks"},
	{"POST", "/api/v1/developer/webhooks", "write:webhooks"},
	{"GET", "/api/v1/developer/webhooks/{endpoint}", "read:webhooks"},
	{"PATCH", "/api/v1/developer/webhooks/{endpoint}", "write:webhooks"},
	{"DELETE", "/api/v1/developer/webhooks/{endpoint}", "write:webhooks"},
	{"POST", "/api/v1/developer/webhooks/{endpoint}/test", "write:webhooks"},
	{"POST", "/api/v1/developer/webhooks/{endpoint}/rotate-secret", "write:webhooks"},
	{"POST", "/api/v1/developer/webhooks/{endpoint}/replay", "write:webhooks"},
	{"GET", "/api/v1/developer/webhooks/{endpoint}/deliveries", "read:webhooks"},
	{"POST", "/api/v1/developer/webhooks/deliveries/retry", "write:webhooks"},
	{"GET", "/api/v1/developer/events", "read:webhooks"},
	{"GET", "/api/v1/users", "read:users"},
	{"POST", "/api/v1/users", "write:users"},
	{"GET", "/api/v1/users/{user}", "read:users"},
	{"PATCH", "/api/v1/users/{user}", "write:users"},
	{"DELETE", "/api/v1/users/{user}", "write:users"},
	{"GET", "/api/v1/account", ""},
	{"PATCH", "/api/v1/account", "write:users"},
	{"PUT", "/api/v1/account", "write:users"},
	{"GET", "/api/v1/audit-log", "read:users"},
	{"GET", "/api/v1/analytics/summary", "read:analytics"},
	{"GET", "/api/v1/analytics/sales", "read:analytics"},
	{"GET", "/api/v1/analytics/channels", "read:analytics"},
	{"GET", "/api/v1/analytics/stock", "read:analytics"},
	{"GET", "/api/v1/analytics/webhooks", "read:analytics"},
}

// seed creates one record of every kind in the account and returns the values of the path parameters.
func (c *testCase) seed() *strings.Replacer {
	c.Helper()
	c.products([3]any{"A-1", 1, 100})
	post := func(client harness.Client, path string, body any, at ...any) string {
		c.Helper()
		return c.must(c.as(client, http.MethodPost, path, body), 201).Text(append([]any{"data"}, at...)...)
	}
	key, owner := c.account.Key, c.account.Owner
	body := order("Ada", [3]any{"A-1", 5, 1})
	body["initialStatus"] = "PROCESSING"
	id := post(key, "/api/v1/orders", body, "id")
	line := c.call(http.MethodGet, "/api/v1/orders/"+id, nil).Text("data", "items", 0, "id")
	customer := post(key, "/api/v1/customers", `{"email":"seeded@x.example"}`, "id")
	job := c.must(c.call(http.MethodPost, "/api/v1/sdk/products/bulk-import", `{"products":[{"sku":"J","name":"J","price":1}]}`),
		202).Text("data", "jobId")
	return strings.NewReplacer(
		"{order}", id, "{customer}", customer, "{sku}", "A-1", "{job}", job,
		"{shipment}", post(key, "/api/v1/orders/"+id+"/shipments",
			map[string]any{"items": []any{map[string]any{"orderItemId": line, "quantity": 1}}}, "id"),
		"{return}", post(key, "/api/v1/orders/"+id+"/returns",
			map[string]any{"items": []any{map[string]any{"orderItemId": line, "quantity": 1}}}, "id"),
		"{address}", post(key, "/api/v1/customers/"+customer+"/addresses", `{"line1":"1","city":"c","zip":"z","country":"FR"}`, "id"),
		"{segment}", post(key, "/api/v1/segments", `{"name":"S","rules":{}}`, "id"),
		"{product}", c.call(http.MethodGet, "/api/v1/products?sku=A-1", nil).Text("data", 0, "id"),
		"{category}", post(key, "/api/v1/categories", `{"name":"C"}`, "id"),
		"{warehouse}", post(key, "/api/v1/warehouses", `{"code":"W","name":"W"}`, "id"),
		"{attribute}", post(key, "/api/v1/attributes", `{"code":"a","label":"A","type":"text"}`, "id"),
		"{channel}", post(key, "/api/v1/channels", `{"name":"Ch","platform":"CUSTOM"}`, "channel", "id"),
		"{key}", post(owner, "/api/v1/developer/api-keys", `{"name":"K","scopes":["read:orders"]}`, "id"),
		"{endpoint}", post(key, "/api/v1/developer/webhooks", map[string]any{"url": receiver.Inbox().URL, "events": []string{"product.deleted"}},
			"id"),
		"{user}", post(owner, "/api/v1/users", map[string]any{"email": "seeded-" + c.account.Email, "name": "U", "role": "viewer",
			"password": "a very long pass phrase"}, "id"),
	)
}

func init() {
	about("5.1-scopes 5.1-none 5.1-sdk", "every route wants its credential and its scope", func(c *testCase) {
		ids := c.seed()
		keys := map[string]harness.Client{}
		withScopes := func(scopes ...string) harness.Client {
			name := strings.Join(scopes, "+")
			if _, made := keys[name]; !made {
				keys[name] = c.account.NewKey(c, fmt.Sprintf("key %d", len(keys)), scopes...)
			}
			return keys[name]
		}
		for _, r := range routes {
			path := ids.Replace(r.path)
			body := any(nil)
			if r.method != http.MethodGet && r.method != http.MethodDelete {
				body = `[]` // never right, so that nothing happens when the door is open
			}
			c.must(c.as(c.account.Nobody, r.method, path, body), 401)
			c.must(c.as(harness.Client{Base: c.server.Base, Key: "pk_live_" + strings.Repeat("0", 32)}, r.method, path, body), 401)
			if r.sdk() {
				c.must(c.as(c.account.Owner, r.method, path, body), 401)
				c.must(c.as(harness.Client{Base: c.server.Base, Bearer: c.account.Key.Key}, r.method, path, body), 401)
			}
			switch r.scope {
			case "":
				c.must(c.as(withScopes("read:products"), r.method, path, body), 200)
				continue
			case "login":
				if answer := c.as(c.account.Key, r.method, path, body); answer.Status != 401 && answer.Status != 403 {
					c.Errorf("a key may manage keys: %s", answer)
				}
				continue
			}
			refused := c.as(withScopes(without(r.scope)...), r.method, path, body)
			if refused.Status != 403 || refused.Text("requiredScope") != r.scope || refused.Text("code") != "missing_scope" {
				c.Errorf("every scope but %s: want 403 naming it: %s", r.scope, refused)
			}
			action, resource, _ := strings.Cut(r.scope, ":")
			if action == "write" {
				half := c.as(withScopes("read:"+resource), r.method, path, body)
				if half.Status != 403 || half.Text("requiredScope") != r.scope {
					c.Errorf("read is not write: want 403: %s", half)
				}
			}
			if r.method == http.MethodDelete {
				continue // the record is wanted by the routes that follow
			}
			for _, scope := range []string{r.scope, "write:" + resource} {
				if answer := c.as(withScopes(scope), r.method, path, body); answer.Status == 401 || answer.Status == 403 {
					c.Errorf("with %s: %s", scope, answer)
				}
			}
		}
	})

	about("7-404 1-tenant", "another account's ids are ids that do not exist", func(c *testCase) {
		ids := c.seed()
		other := c.server.Other(c)
		for _, r := range routes {
			path := ids.Replace(r.path)
			if path == r.path {
				continue
			}
			body, client := any(nil), other.Key
			if r.method != http.MethodGet && r.method != http.MethodDelete {
				body = `{"type":"order_pull","skus":["A-1"],"from":"2020-01-01","to":"2020-01-02"}` // right for the routes that look at the body first
			}
			if r.scope == "login" {
				client = other.Owner
			}
			if answer := c.as(client, r.method, path, body); answer.Status != 404 {
				c.Errorf("another account's id: want 404: %s", answer)
			}
		}
		for _, r := range routes {
			if path := ids.Replace(r.path); path != r.path && r.method == http.MethodGet && r.scope != "login" {
				c.must(c.call(r.method, path, nil), 200)
			}
		}
	})

	about("5.1-viewer", "a viewer passes every reading route and no writing one", func(c *testCase) {
		ids := c.seed()
		viewer := c.account.Viewer(c)
		for _, r := range routes {
			if r.sdk() || r.scope == "login" {
				continue
			}
			path := ids.Replace(r.path)
			if r.method == http.MethodGet {
				status := 200
				if strings.HasSuffix(r.path, "/customers/merge") { // past the right, and without its parameters
					status = 400
				}
				c.must(c.as(viewer, r.method, path, nil), status)
				continue
			}
			body := any(`[]`)
			if r.method == http.MethodDelete {
				body = nil
			}
			if answer := c.as(viewer, r.method, path, body); answer.Status != 403 {
				c.Errorf("a viewer may write: %s", answer)
			}
		}
	})
}

// without is every writing scope but those of one resource.
func without(scope string) []string {
	_, resource, _ := strings.Cut(scope, ":")
	var others []string
	for _, other := range harness.Scopes {
		if !strings.HasSuffix(other, ":"+resource) {
			others = append(others, other)
		}
	}
	return others
}
