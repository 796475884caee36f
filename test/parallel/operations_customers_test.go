package parallel

import (
	"net/http"
	"path"

	"entrepot/test/blackbox/harness"
)

var customerOperations = []operation{
	{name: "POST /customers", weight: 16, run: createCustomer},
	{name: "PATCH /customers/{id}", weight: 16, run: change("customer", func(c *client) object {
		return object{"firstName": c.name("First"), "tags": []string{c.name("tag"), c.tag()}, "metadata": object{"n": c.sent}}
	}), match: true},
	{name: "POST /customers/merge", weight: 5, run: merge},
	{name: "POST /customers/{id}/erase", weight: 3, run: erase},
	{name: "POST /customers/{id}/addresses", weight: 8, run: addAddress},
	{name: "PATCH /customers/{id}/addresses/{id}", weight: 5, run: change("address", func(c *client) object {
		return object{"line1": c.name("Street"), "isDefault": true}
	})},
	{name: "DELETE /customers/{id}/addresses/{id}", weight: 3, run: remove("address")},
	{name: "POST /segments", weight: 2, run: func(c *client) *request {
		return &request{method: http.MethodPost, path: "/api/v1/segments", sure: true,
			body: object{"name": c.name("Segment"), "rules": object{"tagsAny": []string{"all"}, "minOrders": c.random.IntN(3)}},
			done: learns(c, "segment", "/api/v1/segments/")}
	}},
	{name: "PATCH /segments/{id}", weight: 2, run: change("segment", func(c *client) object {
		return object{"name": c.name("Segment")}
	}), match: true},
	{name: "DELETE /segments/{id}", weight: 2, run: remove("segment")},
}

// tag is what segments select by. A customer that no other client knows has another one: its segments are part of its
// record, and so of its ETag.
func (c *client) tag() string {
	if c.alone {
		return "alone"
	}
	return "all"
}

func createCustomer(c *client) *request {
	return &request{method: http.MethodPost, path: "/api/v1/customers", sure: true,
		body: object{"email": c.name("customer") + "@customer.example", "firstName": "Ada", "tags": []string{c.tag()},
			"addresses": []any{object{"line1": "1 rue", "city": "Dijon", "zip": "21000", "country": "fr"}}},
		done: func(a harness.Answer) {
			c.learn("customer", "/api/v1/customers/"+a.Text("data", "id"))
			c.learn("address", "/api/v1/customers/"+a.Text("data", "id")+"/addresses/"+a.Text("data", "addresses", 0, "id"))
		}}
}

func merge(c *client) *request {
	primary, secondary := c.pick("customer"), c.pick("customer")
	if primary == "" || secondary == "" || primary == secondary {
		return nil
	}
	return &request{method: http.MethodPost, path: "/api/v1/customers/merge", done: removed(c, "customer", secondary),
		body: object{"primaryId": path.Base(primary), "secondaryIds": []string{path.Base(secondary)}}}
}

func erase(c *client) *request {
	customer := c.pick("customer")
	if customer == "" {
		return nil
	}
	return &request{method: http.MethodPost, path: customer + "/erase", body: object{}, done: removed(c, "customer", customer)}
}

func addAddress(c *client) *request {
	customer := c.pick("customer")
	if customer == "" {
		return nil
	}
	return &request{method: http.MethodPost, path: customer + "/addresses", done: learns(c, "address", customer+"/addresses/"),
		body: object{"line1": c.name("Street"), "city": "Lyon", "postalCode": "69000", "country": "FR",
			"type": "shipping", "isDefault": c.chance(50)}}
}
