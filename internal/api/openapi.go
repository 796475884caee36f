package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"entrepot/internal/base/apijson"
	"entrepot/internal/records"
)

// docRoutes are interface §9.
var docRoutes = []*route{
	{method: "GET", path: "/api/v1/openapi.json", name: "getApiDescription", section: "9", summary: "Read this document", access: public,
		serve: (*API).getApiDescription},
}

// getApiDescription serves the API description.
func (a *API) getApiDescription(*request) (answer, error) {
	return answer{status: http.StatusOK, body: a.Description()}, nil
}

// Description is Document, built at the first call and cached: do not change it.
func (a *API) Description() []byte {
	a.document.once.Do(func() { a.document.text = a.Document() })
	return a.document.text
}

// document is built when it is first needed.
type document struct {
	once sync.Once
	text []byte
}

// object is a JSON object of the document. Its names are written in sorted order, so that the document is the same in
// every run.
type object = map[string]any

// Document is the OpenAPI 3.1 document of the route table: bodies and parameters from their readers, answers and
// events from their writers. Two runs of one version give the same bytes. It panics if two readers use one name for
// different records, or if a group of operations is not described. It is 3.1 alone, which generators of Go and
// TypeScript read. Headers are described at successes: at every error, too, they make a generated Go client three
// times as long.
func (a *API) Document() []byte {
	var components apijson.Components
	text, err := json.Marshal(a.describe(&components))
	if err != nil {
		panic(err) // the table has only plain values
	}
	return text
}

// describe is the document; it adds the records of all bodies, answers and events to components.
func (a *API) describe(components *apijson.Components) object {
	paths, tags := map[string]object{}, map[string]bool{"events": true}
	for _, r := range a.table.routes {
		if paths[r.path] == nil {
			paths[r.path] = object{}
		}
		paths[r.path][strings.ToLower(r.method)] = r.operation(components)
		tags[r.tag()] = true
	}
	errors := object{}
	for status := range sampleErrors {
		errors[responseName(status)] = errorResponse(components, status)
	}
	hooks := object{}
	for _, k := range records.Catalogue() {
		hooks[k.Event] = object{"post": eventOperation(components, k)}
	}
	server := "/"
	if a.PublicURL != "" {
		server = a.PublicURL
	}
	return object{
		"openapi": "3.1.0",
		"info": object{"title": "entrepot", "version": a.Version, "description": aboutAPI,
			"license": object{"name": "Apache-2.0", "identifier": "Apache-2.0"}},
		"servers": []any{object{"url": server, "description": "this service"}},
		"tags":    describedTags(tags), "paths": paths, "webhooks": hooks,
		"components": object{"schemas": components.Schemas(), "responses": errors, "headers": answerHeaders, "parameters": headerParameters,
			"securitySchemes": object{
				"apiKey": object{"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "an API key, `pk_live_…`"},
				"bearer": object{"type": "http", "scheme": "bearer",
					"description": "an access token of a login; an API key does as well, but not below /sdk/"},
			}},
	}
}

const aboutAPI = "Catalog and orders between an ERP, shops and marketplaces. Every answer has the headers X-Request-Id, which a " +
	"request may set, and X-RateLimit-*. Every POST, PATCH and PUT honours Idempotency-Key, every GET answers If-None-Match with 304. " +
	"Every record may be sent back as it was read: what only reads have is passed over. " +
	"Unknown members and parameters are ignored; clients should ignore what they do not know, too."

// tagAbout describes the groups of operations, those that a new integration needs first.
var tagAbout = []struct{ name, about string }{
	{"orders", "Orders, their lines, states and shipments"},
	{"returns", "Returns of all orders"},
	{"bulk", "Many items in one request"},
	{"feeds", "What changed since a moment, and jobs under way"},
	{"products", "Products with variants, images and prices"},
	{"media", "Pictures"},
	{"categories", "The tree of categories"},
	{"attributes", "What product attributes may be"},
	{"inventory", "Stock levels, movements and transfers"},
	{"warehouses", "Where stock lies"},
	{"customers", "Customers, their addresses, merging and erasing"},
	{"segments", "Saved filters of customers"},
	{"webhooks", "Webhook endpoints and their deliveries"},
	{"events", "Events: the log, and what endpoints get"},
	{"channels", "Sales channels, their publications and synchronisation"},
	{"jobs", "What imports and synchronisations have queued and done"},
	{"exports", "Files of many records"},
	{"notifications", "What platforms send"},
	{"api-keys", "API keys"},
	{"auth", "Log in and out"},
	{"users", "The people of an account"},
	{"account", "The account itself"},
	{"analytics", "Figures"},
	{"audit-log", "Who did what"},
	{"refused-requests", "What callers were refused"},
	{"sandbox", "The clock of sandbox accounts"},
	{"description", "The interface itself"},
}

// describedTags are the groups that operations have, in the order of tagAbout. It panics if one is not described.
func describedTags(used map[string]bool) (list []object) {
	for _, tag := range tagAbout {
		if used[tag.name] {
			list = append(list, object{"name": tag.name, "description": tag.about})
		}
	}
	if len(list) < len(used) {
		panic("a group of operations is not described")
	}
	return list
}

// tag is the group of a route.
func (r *route) tag() string {
	parts := append(strings.Split(strings.TrimPrefix(strings.TrimPrefix(r.path, "/api/v1"), "/"), "/"), "")
	switch {
	case r.raw:
		return "notifications"
	case r.sdk() && r.section == "4.2":
		return "bulk"
	case r.sdk():
		return "feeds"
	case parts[0] == "developer":
		if strings.HasSuffix(r.path, "/events") || parts[1] == "events" {
			return "events"
		}
		return parts[1]
	case parts[0] == "openapi.json":
		return "description"
	}
	return parts[0]
}

// eventOperation describes the request that an endpoint receives for an event (interface §6.1, §6.2).
func eventOperation(components *apijson.Components, k records.Kind) object {
	write := func(w *apijson.Writer) { records.WriteSampleEvent(w, "", k) }
	return object{
		"operationId": "on" + strings.TrimSuffix(records.EventRecord(k.Event), "Event"), "summary": k.Name, "tags": []string{"events"},
		"description": fmt.Sprintf("%s Since %s. Interface §6.1.", k.Description, k.Since), "security": []any{},
		"parameters": []any{
			requestHeader("X-Webhook-Signature", "lower-case hex HMAC-SHA256 of the body under the endpoint's secret"),
			requestHeader("X-Webhook-Id", "the event's id"), requestHeader("X-Webhook-Event", k.Event),
			requestHeader("X-Webhook-Timestamp", "when this attempt was made"), requestHeader("X-Webhook-Attempt", "1 for the first"),
			requestHeader("webhook-id", "Standard Webhooks"), requestHeader("webhook-timestamp", "Standard Webhooks"),
			requestHeader("webhook-signature", "Standard Webhooks: v1,<base64>"),
		},
		"requestBody": object{"required": true, "content": object{"application/json": object{
			"schema": apijson.Refer(components.Written(apijson.DescribeAnswer(write))), "example": apijson.Example(write)}}},
		"responses": object{
			"2XX": object{"description": "received, within 10 seconds"},
			"4XX": object{"description": "not received: it is sent again, as after every answer but 2XX"},
		},
	}
}

// errorResponse describes the errors of one status by their samples.
func errorResponse(components *apijson.Components, status int) object {
	write := func(w *apijson.Writer) {
		for _, f := range sampleErrors[status] {
			writeError(w, status, f, records.SampleID[string](0))
		}
	}
	var names []string // other headers are described once, at the top: repeated here they would make clients ten times as long
	switch status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		names = append(names, "Retry-After")
	case http.StatusUnauthorized:
		names = append(names, "WWW-Authenticate")
	}
	return object{"description": http.StatusText(status), "headers": headers(names...), "content": object{"application/json": object{
		"schema": apijson.Refer(components.Written(apijson.DescribeAnswer(write))), "example": apijson.Example(write)}}}
}
