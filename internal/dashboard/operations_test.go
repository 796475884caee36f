package dashboard

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// reached says by which pages and actions people do what an operation of the API does.
var reached = map[string][]string{
	"listOrders": {"GET /orders"}, "getOrder": {"GET /orders/{id}"}, "updateOrder": {"POST /orders/{id}/details", "POST /orders/{id}/address",
		"POST /orders/{id}/billing-address"},
	"updateOrderStatus": {"POST /orders/{id}/move", "POST /orders/bulk"}, "replaceOrderItems": {"POST /orders/{id}/lines"},
	"listOrderEdits": {"GET /orders/{id}"}, "listShipments": {"GET /orders/{id}"}, "createShipment": {"POST /orders/{id}/ship"},
	"deleteShipment": {"POST /orders/{id}/unship", "POST /orders/bulk/{id}/undo"}, "bulkTagOrders": {"POST /orders/bulk-tag", "POST /orders/{id}/tags", "POST /orders/{id}/assign"}, "bulkShipOrders": {"POST /orders/bulk", "POST /shipments/import/{id}/run"},
	"updateShipment": {"POST /orders/{id}/tracking"}, "listAllReturns": {"GET /returns"}, "listReturns": {"GET /orders/{id}"},
	"createReturn": {"POST /orders/{id}/returns"}, "updateReturn": {"POST /orders/{id}/returns/move"}, "createRefund": {"POST /orders/{id}/refunds"},

	"bulkImportProducts": {"POST /products/import/{id}/run"}, "bulkImportCategories": {"POST /products/import/{id}/run"},
	"bulkUpdateInventory": {"POST /inventory/import/{id}/run", "POST /stock/levels"}, "bulkUpdatePrices": {"POST /prices/import/{id}/run"},

	"listProducts": {"GET /products"}, "createProduct": {"POST /products/new"}, "getProduct": {"GET /products/{id}"},
	"updateProduct":  {"POST /products/{id}", "POST /products/{id}/status"},
	"deleteProduct":  {"POST /products/{id}/delete"},
	"listCategories": {"GET /categories"}, "createCategory": {"POST /categories"}, "getCategory": {"GET /categories/{id}"},
	"updateCategory": {"POST /categories/{id}"}, "deleteCategory": {"POST /categories/{id}/delete"},
	"listAttributes": {"GET /attributes"}, "createAttribute": {"POST /attributes"}, "getAttribute": {"GET /attributes/{id}"},
	"updateAttribute": {"POST /attributes/{id}"}, "deleteAttribute": {"POST /attributes/{id}/delete"},

	"listWarehouses": {"GET /stock/warehouses"}, "createWarehouse": {"POST /stock/warehouses"}, "getWarehouse": {"GET /stock/warehouses/{id}"},
	"updateWarehouse": {"POST /stock/warehouses/{id}/save"}, "deleteWarehouse": {"POST /stock/warehouses/{id}/delete"},
	"listStockLevels": {"GET /stock"}, "getStock": {"GET /stock/{sku}"}, "listStockMovements": {"GET /stock/{sku}"},
	"createStockMovement": {"POST /stock/{sku}/receive", "POST /stock/{sku}/adjust"},
	"transferStock":       {"POST /stock/{sku}/transfer", "POST /stock/transfer"},
	"setStockThresholds":  {"POST /stock/levels"},

	"listCustomers": {"GET /customers"}, "createCustomer": {"POST /customers/new"}, "getCustomer": {"GET /customers/{id}"},
	"updateCustomer": {"POST /customers/{id}", "POST /customers/{id}/tags"}, "listCustomerOrders": {"GET /customers/{id}"},
	"previewMerge": {"GET /customers/{id}/merge"}, "mergeCustomers": {"POST /customers/{id}/merge"},
	"eraseCustomer": {"POST /customers/{id}/erase"}, "addCustomerAddress": {"POST /customers/{id}/addresses"},
	"deleteCustomerAddress": {"POST /customers/{id}/addresses/delete"},
	"listSegments":          {"GET /segments"}, "createSegment": {"POST /segments"}, "getSegment": {"GET /segments/{id}"},
	"updateSegment": {"POST /segments/{id}"}, "deleteSegment": {"POST /segments/{id}/delete"},

	"listChannels": {"GET /channels"}, "createChannel": {"POST /channels/new"}, "getChannel": {"GET /channels/{id}"},
	"updateChannel": {"POST /channels/{id}", "POST /channels/{id}/status", "POST /channels/{id}/rules", "POST /channels/{id}/rules/undo",
		"POST /connect/{id}/stock", "POST /connect/{id}/orders", "POST /connect/{id}/on"}, "deleteChannel": {"POST /channels/{id}/delete"},
	"testChannel": {"POST /channels/{id}/test", "POST /connect/{id}"}, "queueChannelSync": {"POST /channels/{id}/sync"}, "previewChannelSettings": {"POST /channels/{id}/rules"},
	"publishProducts": {"POST /products/{id}/publish"}, "unpublishProduct": {"POST /products/{id}/unpublish"},
	"listChannelPublications": {"GET /products/{id}", "GET /connect/{id}/products"}, "getSyncStatus": {"GET /jobs"}, "listJobs": {"GET /jobs"},
	"getJob": {"GET /jobs/{id}"}, "uploadPicture": {"POST /products/{id}"}, "changeProducts": {"GET /products/bulk", "POST /products/bulk"},
	"createExport":   {"POST /orders/export", "POST /products/export", "POST /stock/export", "POST /customers/export"},
	"downloadExport": {"GET /exports/{id}/file"}, "deleteExport": {"POST /exports/{id}/delete"},
	"actOnJob": {"POST /products/bulk/{id}/action"}, "listJobProducts": {"GET /products/bulk/{id}", "POST /products/bulk/{id}/report"},

	"listEndpoints": {"GET /webhooks"}, "createEndpoint": {"POST /webhooks/new"}, "getEndpoint": {"GET /webhooks/{id}"},
	"updateEndpoint": {"POST /webhooks/{id}", "POST /webhooks/{id}/status"}, "deleteEndpoint": {"POST /webhooks/{id}/delete"},
	"rotateEndpointSecret": {"POST /webhooks/{id}/rotate"}, "testEndpoint": {"POST /webhooks/{id}/test"},
	"replayEvents": {"GET /webhooks/replay/{id}", "POST /webhooks/{id}/replay"}, "listEventKinds": {"GET /webhooks/new"},
	"listDeliveries": {"GET /webhooks/deliveries"}, "listAllDeliveries": {"GET /webhooks/deliveries"},
	"getDelivery": {"GET /webhooks/deliveries/{id}"}, "retryDelivery": {"POST /webhooks/deliveries/{id}/retry"},
	"retryFailedDeliveries": {"POST /webhooks/deliveries/retry"}, "listEvents": {"GET /events"}, "getEvent": {"GET /events/{id}"},

	"listApiKeys": {"GET /keys"}, "createApiKey": {"POST /keys/new"}, "getApiKey": {"GET /keys/{id}"},
	"revokeApiKey": {"POST /keys/{id}/revoke"},
	"logIn":        {"GET /login", "POST /login"}, "logOut": {"POST /logout"},
	"getCurrentUser": {"GET /settings/me"},
	"listUsers":      {"GET /settings/users"}, "createUser": {"POST /settings/users/new"}, "getUser": {"GET /settings/users/{id}"},
	"updateUser": {"POST /settings/users/{id}", "POST /settings/users/{id}/password", "POST /settings/me/password",
		"POST /settings/me/preferences"},
	"deleteUser":  {"POST /settings/users/{id}/delete"},
	"listSignIns": {"GET /settings/users/{id}", "GET /settings/me"},
	"endSignIn":   {"POST /settings/users/{id}/sign-ins", "POST /settings/me/sign-ins", "POST /settings/me/log-out-everywhere"},
	"getAccount":  {"GET /settings/account"}, "updateAccount": {"POST /settings/account"},
	"listAuditLog": {"GET /settings/audit"}, "listRefusedRequests": {"GET /settings/requests"},
	"moveSandboxClock": {"GET /settings/sandbox", "POST /settings/sandbox"},

	"getSummaryAnalytics": {"GET /{$}"}, "getSalesAnalytics": {"GET /{$}"}, "getChannelAnalytics": {"GET /channels"},
	"getStockAnalytics": {"GET /{$}"}, "getWebhookAnalytics": {"GET /{$}"},
}

// onlyByAPI are the operations that have no page, with the reason.
var onlyByAPI = map[string]string{
	"createOrder":           "orders come from channels",
	"updateCustomerAddress": "an address is deleted and added",
	"listProductChanges":    "a feed for programs", "listCategoryChanges": "a feed for programs",
	"listInventoryChanges": "a feed for programs",
	"receiveNotification":  "platforms call it", "receiveChallengeNotification": "platforms call it", "answerHandshake": "platforms call it",
	"answerChallenge": "platforms call it", "testChannelUnversioned": "an alias of testChannel",
	"downloadExportByLink": "for those without a login",
	"getApiDescription":    "the sidebar leads to /docs, which is made from it",
}

// pagesOnly are the routes of the dashboard that belong to no operation of the API: files on their way in, views, the dashboard's own.
var pagesOnly = []string{"GET /live", "GET /counts", "GET /search", "GET /setup", "POST /setup", "GET ",
	"GET /orders/slip", "POST /orders/{id}/issues", "GET /orders/sums", "GET /stock/-/{sku}",
	"GET /orders/bulk/{id}", "POST /orders/views", "POST /orders/views/delete", "POST /orders/columns", "POST /first-steps/dismiss",
	"GET /products/import", "POST /products/import",
	"GET /_parts", "POST /_parts/form", "POST /settings/me/images"}

// Each operation of the API is reached by pages that exist, or has a reason why not; each route of the dashboard belongs to an operation,
// or is listed as belonging to none. An operation or a route that is new, or gone, fails this test until it is said where it belongs.
func TestEveryOperationIsReached(t *testing.T) {
	s := newSite(t, "sqlite")
	var description struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(s.browser().send("GET", "/api/v1/openapi.json", nil, "").body), &description); err != nil {
		t.Fatal(err)
	}
	imports := regexp.MustCompile(`^\w+ /(products|prices|inventory|orders|shipments)/import(/|$)`) // files, which only pages take
	served := map[string]bool{}
	for _, r := range s.routes {
		if !r.moved {
			served[r.method+" "+r.path] = true
		}
	}
	known, belongs := map[string]bool{}, map[string]bool{}
	for path, methods := range description.Paths {
		for _, text := range methods {
			var operation struct{ OperationID string }
			if json.Unmarshal(text, &operation) != nil || operation.OperationID == "" {
				continue // parameters of all operations of the path
			}
			name := operation.OperationID
			known[name] = true
			if other, ok := strings.CutPrefix(name, "put"); ok && reached["update"+other] != nil {
				continue // PUT is an alias of PATCH
			}
			if (reached[name] == nil) == (onlyByAPI[name] == "") {
				t.Errorf("%s (%s): say by which page it is reached, or why by none", name, path)
			}
		}
	}
	for name, list := range reached {
		if !known[name] {
			t.Errorf("the API has no operation %s", name)
		}
		for _, route := range list {
			belongs[route] = true
			if !served[route] {
				t.Errorf("%s: there is no route %s", name, route)
			}
		}
	}
	for name := range onlyByAPI {
		if !known[name] {
			t.Errorf("the API has no operation %s", name)
		}
	}
	for route := range served {
		own := slices.Contains(pagesOnly, route) || imports.MatchString(route)
		form := strings.HasPrefix(route, "GET ") && served["POST "+strings.TrimPrefix(route, "GET ")]
		if !belongs[route] && !own && !form {
			t.Errorf("%s belongs to no operation of the API", route)
		}
	}
	if len(known) < 100 {
		t.Errorf("the description has %d operations only", len(known))
	}
}
