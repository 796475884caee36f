package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// validator checks answers against the document that the service serves of itself. Objects may have no member that the
// document does not name, and every status except an internal error must be named.
type validator struct {
	mu         sync.Mutex
	document   *openapi3.T
	operations map[string]*openapi3.Operation // by route, "GET /api/v1/orders"
	unrouted   *openapi3.Operation
	answered   map[string]int // how often, by route and status: "GET /api/v1/orders 200"
	answers    int
}

// closed is the document that validators check against, read once.
var closed struct {
	once       sync.Once
	document   *openapi3.T
	operations map[string]*openapi3.Operation
	codes      map[string]bool // of docs/errors.md
}

var codeRow = regexp.MustCompile("(?m)^\\| [0-9]{3} \\| `([a-z_]+)` \\|")

func newValidator(t testing.TB, a *API) *validator {
	t.Helper()
	closed.once.Do(func() {
		closed.document, closed.operations = loadDocument(t, a), map[string]*openapi3.Operation{}
		text, err := os.ReadFile("../../docs/errors.md")
		if err != nil {
			t.Fatal(err)
		}
		closed.codes = map[string]bool{}
		for _, found := range codeRow.FindAllStringSubmatch(string(text), -1) {
			closed.codes[found[1]] = true
		}
		seen := map[*openapi3.Schema]bool{}
		for path, item := range closed.document.Paths.Map() {
			for method, op := range item.Operations() {
				closed.operations[method+" "+path] = op
				if op.RequestBody != nil {
					for _, content := range op.RequestBody.Value.Content {
						closeSchema(content.Schema.Value, seen, true)
					}
				}
				for _, answer := range op.Responses.Map() {
					for _, content := range answer.Value.Content {
						closeSchema(content.Schema.Value, seen, false)
					}
				}
			}
		}
	})
	fault := openapi3.NewResponses(openapi3.WithName("default", openapi3.NewResponse().WithDescription("An error").
		WithJSONSchemaRef(closed.document.Components.Schemas["Error"])))
	return &validator{document: closed.document, operations: closed.operations, answered: map[string]int{},
		unrouted: &openapi3.Operation{Responses: fault}}
}

// loadDocument reads the document as a stranger would, and checks that it is an OpenAPI document.
func loadDocument(t testing.TB, a *API) *openapi3.T {
	t.Helper()
	document, err := openapi3.NewLoader().LoadFromData(a.Document())
	if err != nil {
		t.Fatalf("the document cannot be read: %v", err)
	}
	if err := document.Validate(t.Context()); err != nil {
		t.Fatalf("the document is no OpenAPI document: %v", err)
	}
	return document
}

// thorough is how many answers of one route and status are validated as JSON Schema 2020-12, which compiles the schema every time;
// the others are held against the same schema by the quicker validator of OpenAPI 3.0, for which null is marked.
const thorough = 2

// closeSchema lets an object that names its members have no other, unless it is open, and marks what may be null.
func closeSchema(s *openapi3.Schema, seen map[*openapi3.Schema]bool, open bool) {
	if s == nil || seen[s] {
		return
	}
	seen[s] = true
	if !open && len(s.Properties) > 0 && s.AdditionalProperties.Has == nil && s.AdditionalProperties.Schema == nil {
		no := false
		s.AdditionalProperties.Has = &no
	}
	s.Nullable = s.Type.IsEmpty() || s.Type.Includes("null")
	for _, p := range s.Properties {
		closeSchema(p.Value, seen, open)
	}
	if s.Items != nil {
		closeSchema(s.Items.Value, seen, open)
	}
	for _, list := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf, s.AllOf} {
		for _, one := range list {
			closeSchema(one.Value, seen, open)
		}
	}
}

// check says what is wrong with an answer of a route (nil: of no route), "" for nothing.
func (j *validator) check(r *route, got reply) string {
	op, name, method := j.unrouted, "", http.MethodGet
	if r != nil {
		name, method = r.method+" "+r.path, r.method
		if op = j.operations[name]; op == nil {
			return "the document does not have the operation"
		}
	}
	j.mu.Lock()
	key := fmt.Sprintf("%s %d", name, got.status)
	j.answered[key]++
	j.answers++
	often := j.answered[key]
	j.mu.Unlock()
	switch {
	case got.status >= 500 && got.status != http.StatusServiceUnavailable:
		return "an internal error"
	case got.status == http.StatusNotModified:
		if len(got.body) > 0 || op.Responses.Status(304) == nil {
			return "304 with a body, or not documented"
		}
		return ""
	case r != nil && op.Responses.Status(got.status) == nil:
		return "the status is not documented"
	}
	if answer := op.Responses.Status(got.status); answer != nil && answer.Value.Content["application/json"] == nil {
		return checkFile(answer.Value, got)
	}
	if problem := checkHeaders(got); problem != "" {
		return problem
	}
	if problem := j.checkBody(op, method, got, often <= thorough); problem != "" {
		return problem
	}
	return checkError(got)
}

// checkFile holds an answer that is a file against the media types that it may have.
func checkFile(answer *openapi3.Response, got reply) string {
	switch {
	case answer.Content[got.header.Get("Content-Type")] == nil:
		return "Content-Type is " + got.header.Get("Content-Type")
	case got.header.Get("Content-Length") != strconv.Itoa(len(got.body)):
		return "Content-Length is " + got.header.Get("Content-Length") + " of " + strconv.Itoa(len(got.body))
	}
	return ""
}

// vast matches numbers that may come back in free JSON as they were sent, and that the validators cannot read; ids in texts have their
// signs, too.
var vast = regexp.MustCompile(`([:,\[]\s*-?[0-9]+(?:\.[0-9]+)?)[eE][+-]?[0-9]{3,}`)

// checkBody holds a body against the schema of its status.
func (j *validator) checkBody(op *openapi3.Operation, method string, got reply, whole bool) string {
	if !whole || vast.Match(got.body) {
		answer := op.Responses.Status(got.status)
		if answer == nil {
			answer = op.Responses.Default()
		}
		var value any
		d := json.NewDecoder(bytes.NewReader(vast.ReplaceAll(got.body, []byte("$1"))))
		d.UseNumber()
		if err := d.Decode(&value); err != nil {
			return err.Error()
		}
		if err := answer.Value.Content.Get("application/json").Schema.Value.VisitJSON(value, openapi3.MultiErrors(),
			openapi3.DisableSchemaErrorDetails()); err != nil {
			return err.Error()
		}
		return ""
	}
	hr, err := http.NewRequestWithContext(context.Background(), method, "/", nil)
	if err != nil {
		return err.Error()
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: hr,
			Route: &routers.Route{Spec: j.document, Operation: op, Method: method}},
		Status: got.status, Header: got.header, Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	}
	input.SetBodyBytes(got.body)
	if err := openapi3filter.ValidateResponse(context.Background(), input); err != nil {
		return err.Error()
	}
	return ""
}

// checkHeaders looks at what every answer carries (interface §4.6, §8).
func checkHeaders(got reply) string {
	for _, name := range []string{"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
		if got.header.Get(name) == "" {
			return "the header " + name + " is missing"
		}
	}
	switch {
	case got.header.Get("Content-Type") != "application/json; charset=utf-8":
		return "Content-Type is " + got.header.Get("Content-Type")
	case got.status == http.StatusUnauthorized && got.header.Get("WWW-Authenticate") == "":
		return "401 without WWW-Authenticate"
	case got.status == http.StatusMethodNotAllowed && got.header.Get("Allow") == "":
		return "405 without Allow"
	case (got.status == http.StatusServiceUnavailable || got.status == http.StatusTooManyRequests) && got.header.Get("Retry-After") == "":
		return "no Retry-After"
	}
	return ""
}

// checkError looks at what the schema of errors cannot say: that an error agrees with its status and its headers, and reports
// nothing of the inside (interface §7).
func checkError(got reply) string {
	if got.status < 400 {
		return ""
	}
	var text struct {
		StatusCode                      int
		Message, Error, Code, RequestID string
		RequiredScope                   *string
		Details                         []any
		From, To                        *string
		Allowed                         []string
	}
	if err := json.Unmarshal(got.body, &text); err != nil {
		return err.Error()
	}
	switch {
	case text.StatusCode != got.status, text.Error != http.StatusText(got.status):
		return "statusCode or error is not the status's"
	case text.Message == "" || text.Code == "":
		return "message or code is empty"
	case !closed.codes[text.Code] && got.status < 500:
		return "docs/errors.md does not have the code " + text.Code
	case text.RequestID != got.header.Get("X-Request-Id"):
		return "requestId is not X-Request-Id"
	case got.status == 403 && text.RequiredScope == nil:
		return "403 without requiredScope"
	case got.status == 422 && (text.From == nil || text.To == nil || text.Allowed == nil):
		return "422 without from, to and allowed"
	case text.Code == "validation_failed" && got.status != 400:
		return "validation_failed that is no 400"
	}
	for _, word := range []string{"SELECT ", "INSERT ", "UPDATE ", "sqlite", "SQLITE", "pgconn", "goroutine ", ".go:", "/internal/",
		"runtime error"} {
		if strings.Contains(text.Message, word) || bytes.Contains(got.body, []byte("SQLSTATE")) {
			return "the message shows internals: " + text.Message
		}
	}
	return ""
}
