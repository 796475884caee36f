package api

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"entrepot/internal/wire"
)

// docRoutes are interface §9.
var docRoutes = []*route{
	{method: "GET", path: "/api/v1/openapi.json", section: "9", summary: "This document", access: public, serve: (*API).openapi},
}

// openapi serves the document that describes exactly what runs.
func (a *API) openapi(*request) (answer, error) {
	a.document.once.Do(func() { a.document.text = a.Document() })
	return answer{status: http.StatusOK, body: a.document.text}, nil
}

// document is built once, when it is first asked for.
type document struct {
	once sync.Once
	text []byte
}

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

// Document is the OpenAPI 3.1 document of the route table: bodies and parameters as their readers read them, answers as their
// writers write them.
func (a *API) Document() []byte {
	paths := map[string]map[string]any{}
	for _, r := range a.table.routes {
		if paths[r.path] == nil {
			paths[r.path] = map[string]any{}
		}
		paths[r.path][strings.ToLower(r.method)] = r.operation()
	}
	doc := map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{"title": "entrepot", "version": a.Version,
			"description": "Catalog and orders between an ERP, shops and marketplaces.", "license": map[string]any{"name": "Apache-2.0", "identifier": "Apache-2.0"}},
		"servers": []any{map[string]any{"url": "/"}},
		"paths":   paths,
		"components": map[string]any{
			"securitySchemes": map[string]any{
				"apiKey": map[string]any{"type": "apiKey", "in": "header", "name": "X-API-Key"},
				"bearer": map[string]any{"type": "http", "scheme": "bearer"},
			},
			"schemas": map[string]any{"Error": errorSchema()},
		},
	}
	text, err := json.Marshal(doc)
	if err != nil {
		panic(err) // the table holds only plain values
	}
	return text
}

func (r *route) operation() map[string]any {
	op := map[string]any{
		"operationId": r.operationID(), "summary": r.summary, "tags": []string{r.tag()},
		"description": "Interface §" + r.section + ".", "responses": r.responses(), "security": r.security(),
	}
	if r.scope != "" {
		op["x-scope"] = r.scope
		op["description"] = "Interface §" + r.section + ". Needs the scope `" + r.scope + "`."
	}
	if params := r.parameters(); len(params) > 0 {
		op["parameters"] = params
	}
	if r.body != nil {
		op["requestBody"] = map[string]any{"required": !r.optional, "content": map[string]any{"application/json": map[string]any{"schema": wire.DescribeBody(r.body)}}}
	}
	return op
}

// operationID is "getOrdersId", made of method and path.
func (r *route) operationID() string {
	var b strings.Builder
	b.WriteString(strings.ToLower(r.method))
	for _, part := range strings.FieldsFunc(strings.TrimPrefix(r.path, "/api/v1"), func(c rune) bool { return strings.ContainsRune("/{}-.", c) }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	if !strings.HasPrefix(r.path, "/api/v1") {
		b.WriteString("Unversioned")
	}
	return b.String()
}

func (r *route) tag() string {
	part, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(r.path, "/api/v1"), "/"), "/")
	return part
}

func (r *route) security() []any {
	switch r.access {
	case public:
		return []any{}
	case keyHeader:
		return []any{map[string]any{"apiKey": []string{}}}
	case loginOnly:
		return []any{map[string]any{"bearer": []string{}}}
	}
	return []any{map[string]any{"apiKey": []string{}}, map[string]any{"bearer": []string{}}}
}

func (r *route) parameters() []any {
	var params []any
	for _, m := range pathParameter.FindAllStringSubmatch(r.path, -1) {
		params = append(params, map[string]any{"name": m[1], "in": "path", "required": true, "schema": map[string]any{"type": "string"}})
	}
	if r.query != nil {
		s := wire.DescribeQuery(r.query)
		for _, name := range s.Names() {
			params = append(params, map[string]any{"name": name, "in": "query", "schema": s.Properties[name]})
		}
	}
	switch r.method {
	case http.MethodGet:
		params = append(params, header("If-None-Match", "answers 304 when the ETag still matches"))
	case http.MethodPost, http.MethodPatch, http.MethodPut:
		if r.access != public {
			params = append(params, header("Idempotency-Key", "1 to 255 characters; a repeated request answers as the first did, for 24 hours"))
		}
	}
	if slices.Contains(conditional[r.path], r.method) {
		params = append(params, header("If-Match", "412 unless the ETag of the record still matches"))
	}
	return params
}

// conditional are the routes that take If-Match (interface §4.6), by path.
var conditional = map[string][]string{
	"/api/v1/orders/{id}":                          {"PATCH"},
	"/api/v1/orders/{id}/status":                   {"PATCH"},
	"/api/v1/orders/{id}/items":                    {"PUT"},
	"/api/v1/orders/{id}/shipments":                {"POST"},
	"/api/v1/orders/{id}/shipments/{shipmentId}":   {"DELETE"},
	"/api/v1/products/{id}":                        {"PATCH", "PUT", "DELETE"},
	"/api/v1/categories/{id}":                      {"PATCH", "PUT", "DELETE"},
	"/api/v1/attributes/{id}":                      {"PATCH", "PUT"},
	"/api/v1/warehouses/{id}":                      {"PATCH", "PUT"},
	"/api/v1/channels/{id}":                        {"PATCH", "PUT"},
	"/api/v1/segments/{id}":                        {"PATCH", "PUT"},
	"/api/v1/users/{id}":                           {"PATCH", "PUT"},
	"/api/v1/account":                              {"PATCH", "PUT"},
	"/api/v1/customers/{id}":                       {"PATCH", "PUT"},
	"/api/v1/customers/{id}/addresses":             {"POST"},
	"/api/v1/customers/{id}/addresses/{addressId}": {"PATCH", "DELETE"},
	"/api/v1/developer/webhooks/{id}":              {"PATCH", "PUT"},
}

func header(name, description string) map[string]any {
	return map[string]any{"name": name, "in": "header", "description": description, "schema": map[string]any{"type": "string"}}
}

func (r *route) responses() map[string]any {
	out := map[string]any{}
	success := map[string]any{"description": http.StatusText(r.success())}
	var schema any = map[string]any{"type": "object"}
	if r.answer != nil {
		schema = wire.DescribeAnswer(r.answer)
	}
	success["content"] = map[string]any{"application/json": map[string]any{"schema": schema}}
	out[strconv.Itoa(r.success())] = success
	for status, sample := range r.others {
		out[strconv.Itoa(status)] = map[string]any{"description": http.StatusText(status), "content": map[string]any{"application/json": map[string]any{"schema": wire.DescribeAnswer(sample)}}}
	}
	if r.method == http.MethodGet {
		out["304"] = map[string]any{"description": "Not Modified"}
	}
	out["default"] = map[string]any{"description": "An error", "content": map[string]any{"application/json": map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/Error"}}}}
	return out
}

func errorSchema() map[string]any {
	text := map[string]any{"type": "string"}
	return map[string]any{
		"type": "object", "required": []string{"statusCode", "message", "error", "code", "requestId"},
		"properties": map[string]any{
			"statusCode": map[string]any{"type": "integer"}, "message": text, "error": text, "code": text, "requestId": text,
			"details":    map[string]any{"type": "array", "items": map[string]any{"type": "object", "required": []string{"path", "message"}, "properties": map[string]any{"path": text, "message": text}}},
			"retryAfter": map[string]any{"type": "integer"}, "requiredScope": text, "from": text, "to": text,
			"allowed": map[string]any{"type": "array", "items": text}, "orderId": text, "customerId": text, "resourceId": text,
			"skus": map[string]any{"type": "array", "items": text},
		},
	}
}
