package blackbox

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"entrepot/test/blackbox/harness"
)

// samples is how many answers of one operation and status are held against the document: compiling its
// schemas is expensive, and the first few differ the most.
const samples = 10

// document is the service's own OpenAPI document, and what was found wrong with answers against it.
type document struct {
	spec *openapi3.T

	mu     sync.Mutex
	taken  map[string]int
	faults map[string]string // operation and status → the first error
}

// readDocument loads the document a server serves.
func readDocument(t *testing.T, server *harness.Server) *document {
	t.Helper()
	answer, err := (harness.Client{Base: server.Base}).Call(http.MethodGet, "/api/v1/openapi.json", nil)
	if err != nil || answer.Status != http.StatusOK {
		t.Errorf("the OpenAPI document: %v %s", err, answer)
		return nil
	}
	spec, err := openapi3.NewLoader().LoadFromData(answer.Body)
	if err != nil {
		t.Errorf("the OpenAPI document cannot be read: %v", err)
		return nil
	}
	seen := map[*openapi3.Schema]bool{}
	for _, item := range spec.Paths.Map() {
		for _, operation := range item.Operations() {
			for _, answer := range operation.Responses.Map() {
				for _, content := range answer.Value.Content {
					closeSchema(content.Schema.Value, seen)
				}
			}
		}
	}
	return &document{spec: spec, taken: map[string]int{}, faults: map[string]string{}}
}

// closeSchema lets an object that names its members have no other.
func closeSchema(s *openapi3.Schema, seen map[*openapi3.Schema]bool) {
	if s == nil || seen[s] {
		return
	}
	seen[s] = true
	if len(s.Properties) > 0 && s.AdditionalProperties.Has == nil && s.AdditionalProperties.Schema == nil {
		s.AdditionalProperties.Has = new(bool)
	}
	for _, p := range s.Properties {
		closeSchema(p.Value, seen)
	}
	if s.Items != nil {
		closeSchema(s.Items.Value, seen)
	}
	for _, one := range s.AnyOf {
		closeSchema(one.Value, seen)
	}
}

// hold compares one answer with the document and keeps what is wrong for the report at the end.
func (d *document) hold(answer harness.Answer) {
	method, target, _ := strings.Cut(answer.Request, " ")
	path, _, _ := strings.Cut(target, "?")
	if d == nil || !strings.HasPrefix(path, "/api/v1/") || method == http.MethodHead { // HEAD is GET without the body, and not described apart
		return
	}
	template, item := d.find(path)
	if item == nil || item.GetOperation(method) == nil {
		if answer.Status < 300 {
			d.blame(fmt.Sprintf("%s %s", method, path), "the route answers and is not in the document")
		}
		return
	}
	name := fmt.Sprintf("%s %s → %d", method, template, answer.Status)
	d.mu.Lock()
	d.taken[name]++
	enough := d.taken[name] > samples
	d.mu.Unlock()
	if enough {
		return
	}
	operation := item.GetOperation(method)
	if answer.Status < 500 && operation.Responses.Status(answer.Status) == nil {
		d.blame(name, "the status is not documented")
		return
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: &http.Request{Method: method, URL: &url.URL{Path: path}, Header: http.Header{}},
			Route:   &routers.Route{Spec: d.spec, Path: template, PathItem: item, Method: method, Operation: operation},
		},
		Status: answer.Status, Header: answer.Header, Body: io.NopCloser(bytes.NewReader(answer.Body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	if err := openapi3filter.ValidateResponse(context.Background(), input); err != nil {
		d.blame(name, strings.SplitN(err.Error(), "\nSchema:", 2)[0])
	}
}

// find is the path of the document that a request's path fits, fixed segments before braces.
func (d *document) find(path string) (string, *openapi3.PathItem) {
	parts := strings.Split(path, "/")
	best, bestFixed := "", -1
	for template := range d.spec.Paths.Map() {
		segments := strings.Split(template, "/")
		if len(segments) != len(parts) {
			continue
		}
		fixed := 0
		for at, segment := range segments {
			if strings.HasPrefix(segment, "{") {
				continue
			}
			if segment != parts[at] {
				fixed = -1
				break
			}
			fixed++
		}
		if fixed > bestFixed {
			best, bestFixed = template, fixed
		}
	}
	if bestFixed < 0 {
		return "", nil
	}
	return best, d.spec.Paths.Value(best)
}

func (d *document) blame(name, fault string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, known := d.faults[name]; !known {
		d.faults[name] = fault
	}
}

// report says what was found, each operation and status once.
func (d *document) report(t *testing.T) {
	if d == nil {
		return
	}
	names := make([]string, 0, len(d.faults))
	for name := range d.faults {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		t.Errorf("%s: %s", name, d.faults[name])
	}
	t.Logf("answers of %d operations and statuses held against the document", len(d.taken))
}

func init() {
	about("9-openapi", "every route of the interface is in the document, and no other under /api/v1", func(c *testCase) {
		document := readDocument(c.T, c.server)
		if document == nil {
			return
		}
		ids := c.seed()
		listed := map[string]bool{}
		for _, r := range routes {
			template, item := document.find(ids.Replace(r.path))
			if item == nil || item.GetOperation(r.method) == nil {
				c.Errorf("%s %s is not in the document", r.method, r.path)
				continue
			}
			listed[r.method+" "+template] = true
		}
		answered := map[string]bool{}
		for template, item := range document.spec.Paths.Map() {
			for method := range item.Operations() {
				answered[method+" "+template] = true
				if !strings.HasPrefix(template, "/api/v1/") {
					continue
				}
				answer, err := c.account.Key.Call(method, strings.NewReplacer("{", "", "}", "").Replace(template), nil)
				if err != nil || answer.Status == 405 || strings.Contains(string(answer.Body), "no such route") {
					c.Errorf("%s %s is in the document and does not answer: %v %s", method, template, err, answer)
				}
			}
		}
		c.Logf("%d operations in the document, %d in the list of routes", len(answered), len(listed))
	})
	about("9-answers", "the answers of every script are held against the document (see the end of TestScripts)", func(c *testCase) {
		document := readDocument(c.T, c.server)
		ids := c.seed()
		for _, r := range routes {
			if r.method == http.MethodGet && r.scope != "login" {
				document.hold(c.call(r.method, ids.Replace(r.path), nil))
			}
		}
		document.report(c.T)
	})
}
