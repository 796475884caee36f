package api

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"entrepot/internal/apijson"
	"entrepot/internal/records"
)

// docRoutes are interface §9.
var docRoutes = []*route{
	{method: "GET", path: "/api/v1/openapi.json", name: "getApiDescription", section: "9", summary: "Read this document", access: public,
		serve: (*API).openapi},
}

// openapi serves the API description.
func (a *API) openapi(*request) (answer, error) {
	return answer{status: http.StatusOK, body: a.Description()}, nil
}

// Description is Document, built at the first call and kept: do not change it.
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

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

// Document is the OpenAPI 3.1 document of the route table: bodies and parameters from their readers, answers and
// events from their writers. Two runs of one version give the same bytes. It panics if two readers use one name for
// different records.
func (a *API) Document() []byte {
	var components apijson.Components
	paths, tags := map[string]object{}, []object{}
	for _, r := range a.table.routes {
		if paths[r.path] == nil {
			paths[r.path] = object{}
		}
		paths[r.path][strings.ToLower(r.method)] = r.operation(&components)
		tags = withTag(tags, r.tag())
	}
	errors := object{}
	for status := range sampleErrors {
		errors[responseName(status)] = errorResponse(&components, status)
	}
	hooks := object{}
	for _, k := range records.Catalogue() {
		hooks[k.Event] = object{"post": eventOperation(&components, k)}
	}
	server := "/"
	if a.PublicURL != "" {
		server = a.PublicURL
	}
	text, err := json.Marshal(object{
		"openapi": "3.1.0",
		"info": object{"title": "entrepot", "version": a.Version, "description": aboutAPI,
			"license": object{"name": "Apache-2.0", "identifier": "Apache-2.0"}},
		"servers": []any{object{"url": server, "description": "this service"}},
		"tags":    withTag(tags, "events"), "paths": paths, "webhooks": hooks,
		"components": object{"schemas": components.Schemas(), "responses": errors, "headers": answerHeaders, "parameters": headerParameters,
			"securitySchemes": object{
				"apiKey": object{"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "an API key, `pk_live_…`"},
				"bearer": object{"type": "http", "scheme": "bearer",
					"description": "an access token of a login; an API key does as well, but not below /sdk/"},
			}},
	})
	if err != nil {
		panic(err) // the table has only plain values
	}
	return text
}

const aboutAPI = "Catalog and orders between an ERP, shops and marketplaces. Every answer has the headers X-Request-Id, which a " +
	"request may set, " +
	"and X-RateLimit-*. Every POST, PATCH and PUT honours Idempotency-Key, every GET answers If-None-Match with 304. " +
	"Unknown members and parameters are ignored; clients should ignore what they do not know, too."

// tagAbout describes each group of operations, by its name.
var tagAbout = map[string]string{
	"orders": "Orders, their lines, states and shipments", "customers": "Customers, their addresses, merging and erasing",
	"segments": "Saved filters of customers",
	"products": "Products with variants, images and prices", "categories": "The tree of categories",
	"attributes": "What product attributes may be",
	"inventory":  "Stock levels, movements and transfers", "warehouses": "Where stock lies", "bulk": "Many items in one request",
	"feeds": "What changed since a moment, and jobs under way", "channels": "Sales channels, their publications and synchronisation",
	"notifications": "What platforms send", "auth": "Log in and out", "users": "The people of an account", "account": "The account itself",
	"jobs":     "What imports and synchronisations have queued and done",
	"api-keys": "API keys", "webhooks": "Webhook endpoints and their deliveries", "events": "Events: the log, and what endpoints get",
	"analytics": "Figures",
	"audit-log": "Who did what", "refused-requests": "What callers were refused", "sandbox": "The clock of sandbox accounts",
	"description": "The interface itself",
}

func withTag(tags []object, name string) []object {
	if slices.ContainsFunc(tags, func(tag object) bool { return tag["name"] == name }) {
		return tags
	}
	return append(tags, object{"name": name, "description": tagAbout[name]})
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

func (r *route) operation(components *apijson.Components) object {
	op := object{"operationId": r.name, "summary": r.summary, "tags": []string{r.tag()}, "description": "Interface §" + r.section + ".",
		"responses": r.responses(components), "security": r.security()}
	if r.scope != "" {
		op["description"] = "Interface §" + r.section + ". Needs the scope `" + r.scope + "`."
	}
	if params := r.parameters(); len(params) > 0 {
		op["parameters"] = params
	}
	if r.body != nil {
		content := object{"schema": apijson.Refer(components.Read(apijson.DescribeBody(r.body)))}
		if example := r.example(); example != nil {
			content["example"] = example
		}
		op["requestBody"] = object{"required": !r.optional, "content": object{"application/json": content}}
	}
	return op
}

//go:embed examples/*.json
var examples embed.FS

// example is a valid body for the operation; PUT has that of PATCH. A test sends each of them.
func (r *route) example() json.RawMessage {
	name := r.name
	if rest, ok := strings.CutPrefix(name, "put"); ok {
		name = "update" + rest
	}
	text, err := examples.ReadFile("examples/" + name + ".json")
	if err != nil {
		return nil
	}
	return text
}

// security lists the credentials that a route accepts, and the scope that they need.
func (r *route) security() []any {
	scopes := []string{}
	if r.scope != "" {
		scopes = append(scopes, r.scope)
	}
	key, token := object{"apiKey": scopes}, object{"bearer": scopes}
	switch r.access {
	case public:
		return []any{}
	case keyHeader:
		return []any{key}
	case loginOnly:
		return []any{token}
	}
	return []any{key, token}
}

func (r *route) parameters() []any {
	var params []any
	for _, m := range pathParameter.FindAllStringSubmatch(r.path, -1) {
		schema := object{"type": "string"}
		if strings.HasSuffix(strings.ToLower(m[1]), "id") {
			schema["format"] = "uuid"
		}
		params = append(params, object{"name": m[1], "in": "path", "required": true, "schema": schema})
	}
	if r.query != nil {
		s := apijson.DescribeQuery(r.query)
		for _, name := range s.Names() {
			p := object{"name": name, "in": "query", "schema": s.Properties[name]}
			if before, after, ok := strings.Cut(strings.TrimSuffix(name, "]"), "["); ok { // createdAt[gte] is no identifier in any language
				p["x-go-name"] = strings.ToUpper(before[:1]) + before[1:] + "Bracket" + strings.ToUpper(after[:1]) + after[1:]
			}
			params = append(params, p)
		}
	}
	for _, name := range r.requestHeaders() {
		params = append(params, object{"$ref": "#/components/parameters/" + name})
	}
	return params
}

// requestHeaders are the headers that a route reads, without the credential.
func (r *route) requestHeaders() (names []string) {
	switch r.method {
	case http.MethodGet:
		names = append(names, "If-None-Match")
	case http.MethodPost, http.MethodPatch, http.MethodPut:
		if r.access != public {
			names = append(names, "Idempotency-Key")
		}
	}
	if r.others[http.StatusOK] != nil && r.access != public {
		names = append(names, "Prefer")
	}
	if r.ifMatch {
		names = append(names, "If-Match")
	}
	return names
}

// responses are all answers of a route: success, 304, and the possible errors.
func (r *route) responses(components *apijson.Components) object {
	out := object{"default": object{"description": "An error of the service itself",
		"content": object{"application/json": object{"schema": object{"$ref": "#/components/schemas/Error"}}}}}
	out[strconv.Itoa(r.success())] = r.response(components, r.success(), r.answer)
	for _, status := range slices.Sorted(maps.Keys(r.others)) {
		out[strconv.Itoa(status)] = r.response(components, status, r.others[status])
	}
	if r.method == http.MethodGet {
		out["304"] = object{"description": http.StatusText(http.StatusNotModified), "headers": headers("ETag")}
	}
	for _, status := range r.errorStatuses() {
		out[strconv.Itoa(status)] = object{"$ref": "#/components/responses/" + responseName(status)}
	}
	return out
}

func (r *route) response(components *apijson.Components, status int, sample func(*apijson.Writer)) object {
	names := slices.Clone(everyAnswer)
	switch {
	case r.method == http.MethodGet:
		names = append(names, "ETag")
	case r.access != public && r.method != http.MethodDelete:
		names = append(names, "Idempotent-Replay")
	}
	content := object{"schema": object{"type": "object"}}
	if sample != nil {
		content["schema"] = apijson.Refer(components.Written(apijson.DescribeAnswer(sample)))
		content["example"] = apijson.Example(sample)
	}
	return object{"description": http.StatusText(status), "headers": headers(names...), "content": object{"application/json": content}}
}

// errorStatuses are the errors that follow from a route's inputs, and those that its row lists.
func (r *route) errorStatuses() []int {
	list := append([]int{http.StatusTooManyRequests, http.StatusServiceUnavailable}, r.errors...)
	if r.access != public {
		list = append(list, http.StatusUnauthorized)
	}
	if r.scope != "" || r.access == loginOnly {
		list = append(list, http.StatusForbidden)
	}
	if strings.Contains(r.path, "{") {
		list = append(list, http.StatusNotFound)
	}
	if r.query != nil || r.method != http.MethodGet {
		list = append(list, http.StatusBadRequest)
	}
	if r.query != nil {
		list = append(list, http.StatusRequestURITooLong)
	}
	if r.method != http.MethodGet {
		list = append(list, http.StatusRequestEntityTooLarge)
	}
	if slices.Contains(r.requestHeaders(), "Idempotency-Key") {
		list = append(list, http.StatusConflict)
	}
	if r.body != nil {
		list = append(list, http.StatusUnsupportedMediaType)
	}
	if r.ifMatch {
		list = append(list, http.StatusPreconditionFailed)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// responseName is "NotFound" for 404.
func responseName(status int) string { return strings.ReplaceAll(http.StatusText(status), " ", "") }

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

// everyAnswer are the headers that every answer has (interface §4.6, §8).
var everyAnswer = []string{"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}

func headers(names ...string) object {
	list := object{}
	for _, name := range names {
		list[name] = object{"$ref": "#/components/headers/" + name}
	}
	return list
}

var answerHeaders = object{
	"X-Request-Id":          answerHeader("string", true, "the request's, or one that was made for it"),
	"X-RateLimit-Limit":     answerHeader("integer", true, "requests a minute"),
	"X-RateLimit-Remaining": answerHeader("integer", true, "requests left in this window"),
	"X-RateLimit-Reset":     answerHeader("integer", true, "when the window ends, in seconds since 1970"),
	"Retry-After":           answerHeader("integer", true, "seconds to wait before trying again"),
	"WWW-Authenticate":      answerHeader("string", true, "how to authenticate"),
	"ETag":                  answerHeader("string", true, "names this content; for If-None-Match and If-Match"),
	"Idempotent-Replay":     answerHeader("string", false, "true when this is the answer to an earlier request with the same Idempotency-Key"),
}

func answerHeader(kind string, always bool, description string) object {
	return object{"description": description, "required": always, "schema": object{"type": kind}}
}

var headerParameters = object{
	"If-None-Match":   requestHeader("If-None-Match", "answers 304 while the ETag still matches"),
	"If-Match":        requestHeader("If-Match", "412 unless the ETag of the record still matches"),
	"Idempotency-Key": requestHeader("Idempotency-Key", "1 to 255 characters; a repeated request answers as the first did, for 24 hours"),
	"Prefer":          requestHeader("Prefer", "wait: answer when all is done"),
}

func requestHeader(name, description string) object {
	return object{"name": name, "in": "header", "description": description, "schema": object{"type": "string"}}
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
