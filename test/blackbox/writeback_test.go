package blackbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"entrepot/test/blackbox/harness"
)

// written is a resource that is read under one path and changed under it: how to make records of it that have every member, and who may
// change them. One record more, if it has one, in a state of its own.
type written struct {
	login bool
	make  func(c *testCase) []string // their paths
}

// made makes one record and returns its path; inside leads to the record in the answer.
func (c *testCase) made(client harness.Client, path, body string, inside ...any) string {
	c.Helper()
	answer := c.must(c.as(client, "POST", path, json.RawMessage(body)), 201)
	return path + "/" + answer.Text(append(append([]any{"data"}, inside...), "id")...)
}

func (c *testCase) mustCall(status int, method, path, body string) harness.Answer {
	c.Helper()
	return c.must(c.call(method, path, json.RawMessage(body)), status)
}

// writable has every resource of the description that is both read and changed under its path.
var writable = map[string]written{
	"/api/v1/orders/{id}":             {make: writableOrders},
	"/api/v1/products/{id}":           {make: writableProducts},
	"/api/v1/customers/{id}":          {make: writableCustomers},
	"/api/v1/categories/{id}":         {make: writableCategories},
	"/api/v1/segments/{id}":           {make: writableSegments},
	"/api/v1/warehouses/{id}":         {make: writableWarehouses},
	"/api/v1/attributes/{id}":         {make: writableAttributes},
	"/api/v1/channels/{id}":           {make: writableChannels},
	"/api/v1/developer/webhooks/{id}": {make: writableEndpoints},
	"/api/v1/users/{id}":              {login: true, make: writableUsers},
	"/api/v1/account":                 {login: true, make: func(*testCase) []string { return []string{"/api/v1/account"} }},
}

func writableOrders(c *testCase) (paths []string) {
	c.products([3]any{"WB-ORDER", 9, 100})
	body := `{"customerName":"Ada","customerEmail":"wb@x.example","notes":"n","taxRate":20,"shippingAmount":4.9,"discountAmount":1,` +
		`"paymentMetadata":{"b":1.50,"a":[]},"shippingAddress":{"address1":"1 rue","postcode":21000,"city":"Dijon","countryCode":"FR"},` +
		`"billingAddress":{"street":"2 rue"},"items":[{"sku":"WB-ORDER","quantity":2,"unitPrice":1.2345,"description":"d","metadata":{"x":1}}]`
	for _, more := range []string{``, `,"initialStatus":"SHIPPED"`, `,"initialStatus":"CANCELLED"`, `,"taxAmount":7.77`} {
		paths = append(paths, c.made(c.account.Key, "/api/v1/orders", body+more+`}`))
	}
	return append(paths, c.made(c.account.Key, "/api/v1/orders",
		`{"customerName":"Guest","items":[{"sku":"WB-ORDER","quantity":1,"unitPrice":1}]}`))
}

func writableProducts(c *testCase) []string {
	c.made(c.account.Key, "/api/v1/warehouses", `{"code":"WB-2","name":"Second"}`)
	category := c.mustCall(201, "POST", "/api/v1/categories", `{"name":"Write back","externalId":"wb-known"}`).Text("data", "id")
	channel := c.mustCall(201, "POST", "/api/v1/channels", `{"name":"Shop","platform":"CUSTOM"}`).Text("data", "channel", "id")
	full := c.made(c.account.Key, "/api/v1/products", fmt.Sprintf(`{"sku":"WB-1","name":"Mug","price":10,"compareAtPrice":12,`+
		`"gtin":"4006381333931","weight":0.35,"cost":"4.1","taxClass":"reduced","countryOfOrigin":"PT","description":" d\n","slug":"wb-mug","status":"INACTIVE","categoryIds":[%q,"wb-to-come"],"attributes":{"colour":"blue"},`+
		`"images":[{"url":"https://x.example/a.png"},{"url":"https://x.example/b.png","position":5}],`+
		`"levels":[{"warehouseCode":"MAIN","quantity":4},{"warehouseCode":"WB-2","quantity":3}],`+
		`"variants":[{"sku":"WB-1-S","name":"S","gtin":"96385074","weight":0.2,"levels":[{"warehouseCode":"WB-2","quantity":7}],"attributes":{"size":"S"}},`+
		`{"sku":"WB-1-M","price":11,"compareAtPrice":13,"stock":2},{"sku":"WB-1-L"}]}`, category))
	c.mustCall(200, "POST", "/api/v1/channels/"+channel+"/publications", `{"skus":["WB-1"]}`)
	return []string{full, c.made(c.account.Key, "/api/v1/products", `{"sku":"WB-2","name":"Plain","price":1}`)}
}

func writableCustomers(c *testCase) []string {
	c.products([3]any{"WB-CUSTOMER", 9, 100})
	known := c.made(c.account.Key, "/api/v1/customers", `{"email":"Wb1@x.example","firstName":"Ada","phone":"+33 6 12","company":"C",`+
		`"siret":"12345678901234","vatIntracomNumber":"FR1","tags":["a","b"],"metadata":{"b":1.50},"addresses":[{"line1":"1","city":"c",`+
		`"zip":"z","country":"xk","type":"both","isDefault":true},{"line1":"2","city":"c","postalCode":"z","country":"FR"}]}`)
	derived := c.must(c.mustCall(201, "POST", "/api/v1/orders", `{"customerName":"Bo","customerEmail":"wb2@x.example","shippingAddress":`+
		`{"line1":"9 rue","city":"Dijon","zip":"21000","country":"FR"},"items":[{"sku":"WB-CUSTOMER","quantity":1,"unitPrice":1}]}`), 201)
	of := c.call("GET", "/api/v1/orders/"+derived.Text("data", "id"), nil).Text("data", "customerId")
	return []string{known, "/api/v1/customers/" + of}
}

func writableCategories(c *testCase) []string {
	top := c.made(c.account.Key, "/api/v1/categories", `{"name":"Top","externalId":"wb-top"}`)
	c.mustCall(200, "POST", "/api/v1/sdk/categories/bulk-import",
		`{"categories":[{"externalId":"wb-orphan","name":"Orphan","parentExternalId":"wb-parent-to-come"}]}`)
	orphan := ""
	for _, one := range c.call("GET", "/api/v1/categories?limit=100", nil).List("data") {
		if harness.At(one, "externalId") == "wb-orphan" {
			orphan = "/api/v1/categories/" + harness.At(one, "id").(string)
		}
	}
	return []string{top, orphan, c.made(c.account.Key, "/api/v1/categories", `{"name":"Below","parentExternalId":"wb-top"}`)}
}

func writableSegments(c *testCase) []string {
	return []string{
		c.made(c.account.Key, "/api/v1/segments", `{"name":"All rules","rules":{"tagsAny":["a"],"tagsAll":["b"],"minOrders":1,`+
			`"minTotalSpent":9.5,"country":"FR","createdAfter":"2026-01-01","lastOrderAfter":"2026-01-01","lastOrderBefore":"2027-01-01"}}`),
		c.made(c.account.Key, "/api/v1/segments", `{"name":"No rules","rules":{}}`),
	}
}

func writableWarehouses(c *testCase) []string {
	return []string{c.made(c.account.Key, "/api/v1/warehouses", `{"code":"WB-W","name":"W","isDefault":true,"address":{"city":"Dijon"}}`),
		c.made(c.account.Key, "/api/v1/warehouses", `{"code":"WB-X","name":"X"}`)}
}

func writableAttributes(c *testCase) []string {
	return []string{c.made(c.account.Key, "/api/v1/attributes", `{"code":"wb-s","label":"S","type":"select","options":["a","b"]}`),
		c.made(c.account.Key, "/api/v1/attributes", `{"code":"wb-n","label":"N","type":"number"}`)}
}

func writableChannels(c *testCase) []string {
	platform := harness.NewPlatform()
	c.Cleanup(platform.Close)
	return []string{
		c.made(c.account.Key, "/api/v1/channels", `{"name":"WB","platform":"CUSTOM","settings":{"oversell":"reject",`+
			`"mine":{"a":1.50}}}`, "channel"),
		c.made(c.account.Key, "/api/v1/channels", `{"name":"WB Woo","platform":"WOOCOMMERCE","settings":{"stockBuffer":2},"credentials":`+
			`{"url":"`+platform.URL+`","consumerKey":"ck_1","consumerSecret":"cs_1","webhookSecret":"s"}}`, "channel"),
	}
}

func writableEndpoints(c *testCase) []string {
	return []string{
		c.made(c.account.Key, "/api/v1/developer/webhooks",
			`{"url":"http://127.0.0.1:1/","events":["product.deleted","order.shipped"],"description":"d","status":"paused","ordered":true}`),
		c.made(c.account.Key, "/api/v1/developer/webhooks", `{"url":"http://127.0.0.1:1/2","events":["*"]}`),
	}
}

func writableUsers(c *testCase) []string {
	return []string{
		c.made(c.account.Owner, "/api/v1/users", `{"email":"wb-admin@x.example","name":"A","role":"admin",`+
			`"password":"a long pass phrase of his"}`),
		"/api/v1/users/" + c.as(c.account.Owner, "GET", "/api/v1/auth/me", nil).Text("data", "id"),
	}
}

func init() {
	about("4.6-write-back", "every record may be sent back as it was read: nothing changes, and nothing is reported", func(c *testCase) {
		document := readDocument(c.T, c.server)
		if document == nil {
			return
		}
		seen := 0
		for template, item := range document.spec.Paths.Map() {
			if item.Get == nil || item.Patch == nil && item.Put == nil || strings.Contains(template, "/sdk/") {
				continue
			}
			seen++
			resource, known := writable[template]
			if !known || resource.make == nil {
				c.Errorf("%s is read and changed: say here how to make one", template)
				continue
			}
			client := c.account.Key
			if resource.login {
				client = c.account.Owner
			}
			for _, path := range resource.make(c) {
				for _, method := range []string{"PATCH", "PUT"} {
					if item.GetOperation(method) != nil {
						c.writesBack(client, method, path)
					}
				}
			}
		}
		if seen < 10 {
			c.Errorf("only %d resources are read and changed", seen)
		}
	})

	about("4.6-write-back", "addresses, shipments, stock, prices and bulk imports take what was read", func(c *testCase) {
		for _, path := range writableCustomers(c)[:1] {
			before := c.call("GET", path, nil)
			for i := range before.List("data", "addresses") {
				address := before.At("data", "addresses", i)
				c.quiet(func() {
					c.must(c.call("PATCH", path+"/addresses/"+before.Text("data", "addresses", i, "id"), address), 200)
				})
			}
			c.same(before, c.call("GET", path, nil))
		}
		for _, path := range writableProducts(c) {
			before := c.call("GET", path, nil)
			record := before.At("data")
			c.quiet(func() {
				c.like(c.must(c.call("POST", "/api/v1/sdk/products/bulk-import?wait=true", map[string]any{"products": []any{record}}), 200),
					`{ "errors": [] }`)
				c.like(c.must(c.call("PATCH", "/api/v1/sdk/prices/bulk-update", map[string]any{"updates": []any{record}}), 200),
					`{ "data": { "updated": 1 } }`)
			})
			c.same(before, c.call("GET", path, nil))
		}
		for _, changed := range c.must(c.call("GET", "/api/v1/sdk/products/changes", nil), 200).List("data") {
			path := "/api/v1/products/" + harness.At(changed, "id").(string)
			before := c.call("GET", path, nil)
			c.quiet(func() {
				c.like(c.must(c.call("POST", "/api/v1/sdk/products/bulk-import?wait=true", map[string]any{"products": []any{changed}}), 200),
					`{ "errors": [] }`)
				c.must(c.call("PUT", path, changed), 200)
				c.must(c.call("PATCH", path, changed), 200)
			})
			c.same(before, c.call("GET", path, nil))
		}
		for _, path := range writableCategories(c)[:2] {
			before := c.call("GET", path, nil)
			c.quiet(func() {
				c.like(c.must(c.call("POST", "/api/v1/sdk/categories/bulk-import", map[string]any{"categories": []any{before.At("data")}}), 200),
					`{ "data": { "errors": [] } }`)
			})
			c.same(before, c.call("GET", path, nil))
		}
		for _, path := range slices.Clip(writableOrders(c))[:1] {
			before := c.call("GET", path, nil)
			c.quiet(func() { c.must(c.call("PUT", path+"/items", before.At("data")), 200) })
			c.same(before, c.call("GET", path, nil))
		}
	})

	about("4.6-write-back", "read, change one member, write back: only that member changes", func(c *testCase) {
		product := writableProducts(c)[0]
		before := c.call("GET", product, nil)
		record := before.At("data").(map[string]any)
		record["price"] = 12
		after := c.must(c.call("PUT", product, record), 200)
		c.like(after, `{ "data": { "price": 12, "stock": [ { "warehouseCode": "MAIN", "onHand": 4 }, { "warehouseCode": "WB-2", "onHand": 3 } ],
			"media": [ { "position": 0 }, { "position": 5 } ],
			"variants": [ { "sku": "WB-1-S", "price": 12, "ownPrice": null, "stock": 7 },
				{ "sku": "WB-1-M", "price": 11, "ownPrice": 11, "stock": 2 },
				{ "sku": "WB-1-L", "price": 12, "ownPrice": null } ] } }`)
		for _, one := range []struct{ change, shown string }{
			{`{"variants":[{"sku":"WB-1-M","stock":5,"levels":[{"warehouseCode":"MAIN","onHand":2}]}]}`, `{ "sku": "WB-1-M", "stock": 5 }`},
			{`{"variants":[{"sku":"WB-1-S","stock":7,"levels":[{"warehouseCode":"WB-2","onHand":7,"quantity":9}]}]}`,
				`{ "sku": "WB-1-S", "stock": 9 }`},
			{`{"variants":[{"sku":"WB-1-L","price":15,"ownPrice":null}]}`, `{ "sku": "WB-1-L", "price": 15, "ownPrice": 15 }`},
		} {
			c.like(c.mustCall(200, "PATCH", product, one.change), `{ "data": { "variants": [ "<contains>", %s ] } }`, one.shown)
		}
		customer := writableCustomers(c)[1]
		person := c.call("GET", customer, nil).At("data").(map[string]any)
		person["firstName"] = "Bob"
		c.must(c.call("PUT", customer, person), 200)
		c.like(c.call("GET", customer, nil), `{ "data": { "firstName": "Bob", "addresses": [ { "line1": "9 rue", "_derived": true } ] } }`)
		person["addresses"] = append(person["addresses"].([]any), map[string]any{"line1": "new", "city": "c", "zip": "z", "country": "FR"})
		c.must(c.call("PUT", customer, person), 200)
		c.like(c.call("GET", customer, nil), `{ "data": { "addresses": [ { "line1": "new", "_derived": "<absent>" } ] } }`)
	})

	about("4.6-write-back", "an empty list is an empty object where one of free members is expected", func(c *testCase) {
		c.products([3]any{"WB-PHP", 9, 100})
		c.like(c.mustCall(201, "POST", "/api/v1/customers", `{"email":"php@x.example","metadata":[]}`), `{ "data": { "metadata": {} } }`)
		c.like(c.mustCall(201, "POST", "/api/v1/products",
			`{"sku":"WB-PHP2","name":"n","price":1,"attributes":[],"variants":[{"sku":"WB-PHP3","attributes":[ ]}]}`),
			`{ "data": { "attributes": {}, "variants": [ { "attributes": {} } ] } }`)
		order := c.mustCall(201, "POST", "/api/v1/orders", `{"customerName":"P","shippingAddress":[],"billingAddress":[],"paymentMetadata":[],`+
			`"items":[{"sku":"WB-PHP","quantity":1,"unitPrice":1,"metadata":[]}]}`)
		c.mustCall(200, "PATCH", "/api/v1/orders/"+order.Text("data", "id"), `{"shippingAddress":[],"billingAddress":[]}`)
		c.mustCall(201, "POST", "/api/v1/warehouses", `{"code":"WB-PHP","name":"n","address":[]}`)
		c.mustCall(201, "POST", "/api/v1/segments", `{"name":"php","rules":[]}`)
		c.mustCall(201, "POST", "/api/v1/channels", `{"name":"php","platform":"CUSTOM","credentials":[],"settings":[]}`)
		c.mustCall(202, "POST", "/api/v1/sdk/products/bulk-import",
			`{"products":[{"sku":"WB-PHP4","name":"n","price":1,"attributes":[]}],"options":[]}`)
		c.mustCall(400, "POST", "/api/v1/customers", `{"email":"php2@x.example","metadata":[1]}`)
	})
}

// writesBack sends a record back as it was read.
func (c *testCase) writesBack(client harness.Client, method, path string) {
	c.Helper()
	before := c.must(c.as(client, "GET", path, nil), 200)
	c.quiet(func() { c.ok(c.as(client, method, path, before.At("data")), 200) })
	c.same(before, c.as(client, "GET", path, nil))
}

// quiet fails if events are recorded meanwhile.
func (c *testCase) quiet(run func()) {
	c.Helper()
	last := ""
	if events, err := c.account.Log(""); err != nil {
		c.Fatal(err)
	} else if len(events) > 0 {
		last = events[len(events)-1].ID
	}
	run()
	events, err := c.account.Log(last)
	if err != nil {
		c.Fatal(err)
	}
	for _, e := range events {
		if e.Kind == "channel.sync_completed" { // of every bulk import
			continue
		}
		c.Errorf("%s was reported: %v", e.Kind, e.Data)
	}
}

// same fails if two reads differ; an address derived from orders has no id of its own.
func (c *testCase) same(before, after harness.Answer) {
	c.Helper()
	if after.Status != http.StatusOK || string(before.Body) != string(after.Body) {
		c.Errorf("%s has changed:\n%s\n%s", after.Request, before, after)
	}
}
