package api

import (
	"embed"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/base/apijson"
)

// operation is a route's part of the document.
func (r *route) operation(components *apijson.Components) object {
	op := object{"operationId": r.name, "summary": r.summary, "tags": []string{r.tag()}, "description": r.where(),
		"responses": r.responses(components), "security": r.security()}
	if r.scope != "" {
		op["description"] = r.where() + " Needs the scope `" + r.scope + "`."
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
	if r.file {
		file := object{"type": "string", "format": "binary"}
		op["requestBody"] = object{"required": true, "content": object{"image/*": object{"schema": file},
			"multipart/form-data": object{"schema": object{"type": "object", "required": []string{"file"}, "properties": object{"file": file}}}}}
	}
	return op
}

//go:embed examples/*.json
var examples embed.FS

// example is a valid body for the operation; PUT has the example of PATCH. A test sends each of them.
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
	params := append(r.pathParameters(), r.queryParameters()...)
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
	if r.answers != nil && status == r.success() {
		files := object{}
		for _, kind := range r.answers {
			files[kind] = object{"schema": object{"type": "string", "format": "binary"}}
		}
		return object{"description": http.StatusText(status), "headers": headers(names...), "content": files}
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
		list = append(list, http.StatusRequestEntityTooLarge, http.StatusRequestTimeout)
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
	"If-None-Match": requestHeader("If-None-Match", "answers 304 while the ETag still matches"),
	"If-Match":      requestHeader("If-Match", "412 unless the ETag of the record still matches"),
	"Idempotency-Key": object{"name": "Idempotency-Key", "in": "header", "schema": object{"type": "string", "minLength": 1, "maxLength": 255},
		"description": "1 to 255 characters; a repeated request answers as the first did, for 24 hours"},
	"Prefer": requestHeader("Prefer", "wait: answer when all is done"),
}

func requestHeader(name, description string) object {
	return object{"name": name, "in": "header", "description": description, "schema": object{"type": "string"}}
}
