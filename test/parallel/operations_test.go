package parallel

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// operations is every writing route of the API that needs no platform, with its weight among the clients' choices.
var operations = slices.Concat(orderOperations, catalogOperations, stockOperations, customerOperations, accountOperations,
	memberOperations(), readOperations)

// unused are the writing routes that no client uses, and why.
var unused = map[string]string{
	"POST /auth/login":                        "costs a processor what a hundred writes cost; the accounts' own tests race it",
	"POST /auth/logout":                       "belongs to a login",
	"DELETE /users/{}/sign-ins/{}":            "ends a login",
	"POST /media":                             "takes a picture, and a processor for its time",
	"POST /sandbox/clock":                     "on sandbox accounts only",
	"POST /channels/{}/sync":                  "on built-in channels only",
	"POST /channels/{}/sync/test":             "on built-in channels only",
	"POST /webhooks/platform/{}/{}":           "from a platform",
	"POST /webhooks/platform/{}/{}/challenge": "from a platform",
}

// auditRoutes holds the operations against the routes that the service describes: each that writes is used or listed as unused.
func (s *shop) auditRoutes() {
	anyName := regexp.MustCompile(`\{[^}]*\}`)
	used := map[string]bool{}
	for _, op := range operations {
		used[anyName.ReplaceAllString(op.name, "{}")] = true
	}
	document, _ := s.must(http.MethodGet, "/api/v1/openapi.json", nil, 200).At("paths").(object)
	routes := 0
	for path, methods := range document {
		of, _ := methods.(object)
		for method := range of {
			if method = strings.ToUpper(method); method == http.MethodPut && of["patch"] != nil {
				method = http.MethodPatch
			}
			route := method + " " + anyName.ReplaceAllString(strings.TrimPrefix(path, "/api/v1"), "{}")
			if method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch || method == http.MethodDelete {
				if routes++; !used[route] && unused[route] == "" {
					s.defect("route without an operation", "%s", route)
				}
			}
		}
	}
	if routes < 50 {
		s.defect("route without an operation", "the description has %d writing routes", routes)
	}
}

// creator makes a record of a kind for an operation alone.
var creator map[string]*operation

func init() {
	creator = map[string]*operation{}
	for kind, name := range map[string]string{
		"order": "POST /orders", "customer": "POST /customers", "product": "POST /products", "sku": "POST /products",
		"category": "POST /categories", "attribute": "POST /attributes", "warehouse": "POST /warehouses", "channel": "POST /channels",
		"segment": "POST /segments", "endpoint": "POST /developer/webhooks", "user": "POST /users", "key": "POST /developer/api-keys",
		"shipment": "POST /orders/{id}/shipments", "return": "POST /orders/{id}/returns", "address": "POST /customers/{id}/addresses", "publication": "POST /channels/{id}/publications",
	} {
		at := slices.IndexFunc(operations, func(op operation) bool { return op.name == name })
		creator[kind] = &operations[at]
	}
}

// change is a PATCH of one known record.
func change(kind string, body func(*client) object) func(*client) *request {
	return func(c *client) *request {
		path := c.pick(kind)
		if path == "" {
			return nil
		}
		return &request{method: c.patch(kind), path: path, body: body(c)}
	}
}

// patch is PATCH, or PUT, which means the same where it is there (interface §4.5).
func (c *client) patch(kind string) string {
	if kind != "order" && kind != "address" && kind != "shipment" && kind != "return" && c.chance(20) {
		return http.MethodPut
	}
	return http.MethodPatch
}

// remove is a DELETE of one known record.
func remove(kind string) func(*client) *request {
	return func(c *client) *request {
		path := c.pick(kind)
		if path == "" {
			return nil
		}
		return &request{method: http.MethodDelete, path: path, done: removed(c, kind, path)}
	}
}

// memberOperations change different members of one record at once.
func memberOperations() (list []operation) {
	for kind, bodies := range map[string][]object{
		"order":     {{"notes": "kept"}, {"paymentMetadata": object{"kept": true}}},
		"product":   {{"name": "kept"}, {"description": "kept"}, {"price": 7}},
		"category":  {{"name": "kept"}, {"externalId": nil}},
		"attribute": {{"label": "kept"}, {"options": []string{"kept"}}},
		"warehouse": {{"name": "kept"}, {"address": object{"city": "kept"}}},
		"channel":   {{"name": "kept"}, {"settings": object{"oversell": "reject"}}},
		"customer":  {{"lastName": "kept"}, {"company": "kept"}, {"metadata": object{"kept": true}}},
		"segment":   {{"name": "kept"}, {"rules": object{"tagsAny": []string{"all"}, "country": "FR"}}},
		"endpoint":  {{"description": "kept"}, {"events": []string{"order.cancelled"}}},
		"user":      {{"name": "kept"}, {"role": "admin"}},
	} {
		name := "PATCH members of one " + kind
		list = append(list, operation{name: name, weight: 1, run: func(c *client) *request {
			c.members(name, kind, bodies...)
			return nil
		}})
	}
	slices.SortFunc(list, func(a, b operation) int { return strings.Compare(a.name, b.name) })
	return list
}
