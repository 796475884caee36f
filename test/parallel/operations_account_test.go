package parallel

import (
	"net/http"
	"time"

	"entrepot/test/blackbox/harness"
)

var accountOperations = []operation{
	{name: "POST /channels", weight: 6, run: createChannel},
	{name: "PATCH /channels/{id}", weight: 5, run: change("channel", func(c *client) object {
		return object{"name": c.name("Channel"), "status": "active", "settings": oversell(c)}
	}), match: true},
	{name: "POST /channels/{id}/settings/preview", weight: 1, run: func(c *client) *request {
		channel := c.pick("channel")
		if channel == "" {
			return nil
		}
		return &request{method: http.MethodPost, path: channel + "/settings/preview", body: object{"settings": oversell(c)}}
	}},
	{name: "DELETE /channels/{id}", weight: 4, run: remove("channel")},
	{name: "POST /developer/webhooks", weight: 3, run: createEndpoint},
	{name: "PATCH /developer/webhooks/{id}", weight: 4, run: change("endpoint", func(c *client) object {
		status := c.one("active", "active", "paused")
		return object{"description": c.name("Endpoint"), "ordered": c.chance(50), "status": status}
	}), match: true},
	{name: "DELETE /developer/webhooks/{id}", weight: 2, run: removeEndpoint},
	{name: "POST /developer/webhooks/{id}/rotate-secret", weight: 2, run: rotate},
	{name: "POST /developer/webhooks/{id}/test", weight: 2, run: testEndpoint},
	{name: "POST /developer/webhooks/{id}/replay", weight: 2, run: replay},
	{name: "POST /developer/webhooks/deliveries/{id}/retry", weight: 4, run: retryDelivery},
	{name: "POST /developer/webhooks/deliveries/retry", weight: 1, run: func(*client) *request {
		return &request{method: http.MethodPost, path: "/api/v1/developer/webhooks/deliveries/retry", body: object{"status": "failed"}}
	}},
	{name: "POST /users", weight: 1, run: func(c *client) *request {
		return &request{method: http.MethodPost, path: "/api/v1/users", login: true, sure: true, done: learns(c, "user", "/api/v1/users/"),
			body: object{"email": c.name("user") + "@staff.example", "name": "Staff", "role": "viewer",
				"password": "a pass phrase for " + c.name("p")}}
	}},
	{name: "PATCH /users/{id}", weight: 3, run: byLogin(change("user", func(c *client) object {
		return object{"name": c.name("Staff"), "role": c.one("viewer", "admin")}
	})), match: true},
	{name: "DELETE /users/{id}", weight: 1, run: byLogin(remove("user"))},
	{name: "POST /developer/api-keys", weight: 2, run: func(c *client) *request {
		return &request{method: http.MethodPost, path: "/api/v1/developer/api-keys", login: true, sure: true,
			done: learns(c, "key", "/api/v1/developer/api-keys/"),
			body: object{"name": c.name("Key"), "scopes": []string{"read:orders"}}}
	}},
	{name: "DELETE /developer/api-keys/{id}", weight: 1, run: byLogin(remove("key"))},
	{name: "PATCH /account", weight: 1, run: func(c *client) *request {
		return &request{method: http.MethodPatch, path: "/api/v1/account", body: object{"name": c.name("Merchant")}}
	}},
}

// byLogin sends what run gives with the owner's access token.
func byLogin(run func(*client) *request) func(*client) *request {
	return func(c *client) *request {
		r := run(c)
		if r != nil {
			r.login = true
		}
		return r
	}
}

func oversell(c *client) object { return object{"oversell": c.one("allow", "reject")} }

func createChannel(c *client) *request {
	return &request{method: http.MethodPost, path: "/api/v1/channels", sure: true,
		body: object{"name": c.name("Channel"), "platform": "CUSTOM", "settings": oversell(c)},
		done: func(a harness.Answer) { c.learn("channel", "/api/v1/channels/"+a.Text("data", "channel", "id")) }}
}

// mostEndpoints come and go at a time; an account may have 100 (interface §8).
const mostEndpoints = 70

// createEndpoint makes one of the endpoints that come and go.
func createEndpoint(c *client) *request {
	if c.shop.endpoints.Load() >= mostEndpoints {
		return nil
	}
	return &request{method: http.MethodPost, path: "/api/v1/developer/webhooks", sure: true,
		body: object{"url": c.shop.passing.URL, "ordered": c.chance(50),
			"events": []string{"order.status_changed", "customer.updated", "category.updated"}},
		done: func(a harness.Answer) {
			c.shop.endpoints.Add(1)
			c.shop.passing.Secret(a.Text("data", "secret"))
			c.learn("endpoint", "/api/v1/developer/webhooks/"+a.Text("data", "id"))
		}}
}

func removeEndpoint(c *client) *request {
	r := remove("endpoint")(c)
	if r != nil {
		forget := r.done
		r.done = func(a harness.Answer) { c.shop.endpoints.Add(-1); forget(a) }
	}
	return r
}

func rotate(c *client) *request {
	endpoint := c.pick("endpoint")
	if endpoint == "" {
		return nil
	}
	return &request{method: http.MethodPost, path: endpoint + "/rotate-secret", body: object{"graceSeconds": c.random.IntN(60)},
		done: func(a harness.Answer) { c.shop.passing.Secret(a.Text("data", "secret")) }}
}

func testEndpoint(c *client) *request {
	endpoint := c.pick("endpoint")
	if endpoint == "" {
		return nil
	}
	return &request{method: http.MethodPost, path: endpoint + "/test", body: object{"event": "stock.low"}}
}

// replay delivers again what happened in a short span, to an endpoint that stays or to one that goes.
func replay(c *client) *request {
	sink := c.shop.sinks[c.random.IntN(len(c.shop.sinks))]
	to := time.Now().Add(-time.Duration(c.random.IntN(2000)) * time.Millisecond).Truncate(time.Millisecond).UTC()
	from, endpoint := to.Add(-300*time.Millisecond), "/api/v1/developer/webhooks/"+sink.id
	if c.chance(50) {
		endpoint = c.pick("endpoint")
	}
	if endpoint == "" {
		return nil
	}
	return &request{method: http.MethodPost, path: endpoint + "/replay",
		body: object{"from": from.Format(time.RFC3339Nano), "to": to.Format(time.RFC3339Nano)}}
}

func retryDelivery(c *client) *request {
	endpoint := "/api/v1/developer/webhooks/" + c.shop.sinks[c.random.IntN(len(c.shop.sinks))].id
	list, ok := c.get("GET /developer/webhooks/{id}/deliveries", endpoint+"/deliveries?limit=20")
	n := len(list.List("data"))
	if !ok || n == 0 {
		return nil
	}
	delivery := list.Text("data", c.random.IntN(n), "id")
	return &request{method: http.MethodPost, path: "/api/v1/developer/webhooks/deliveries/" + delivery + "/retry", body: object{}}
}
