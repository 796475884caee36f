package api

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"entrepot/internal/db/dbtest"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// The document is OpenAPI 3.1, and says of every operation what a reader needs.
func TestDocumentIsWhole(t *testing.T) {
	dbtest.Long(t, "the description of every route is checked")
	a := New(Config{Version: "test"})
	document := loadDocument(t, a)
	if !document.IsOpenAPI31OrLater() {
		t.Errorf("the document is of version %s", document.OpenAPI)
	}
	operations, names := 0, map[string]string{}
	for path, item := range document.Paths.Map() {
		for method, op := range item.Operations() {
			name := method + " " + path
			operations++
			if other, twice := names[op.OperationID]; twice || op.OperationID == "" {
				t.Errorf("%s: the operationId %q is that of %q too", name, op.OperationID, other)
			}
			names[op.OperationID] = name
			if op.Summary == "" || strings.HasSuffix(op.Summary, ".") {
				t.Errorf("%s: summary %q", name, op.Summary)
			}
			if op.Security == nil || len(op.Tags) == 0 || op.Tags[0] == "" {
				t.Errorf("%s: says no security or no tag", name)
			}
			if op.Responses.Default() == nil {
				t.Errorf("%s: says nothing of errors", name)
			}
			for _, at := range pathParameter.FindAllStringSubmatch(path, -1) {
				if op.Parameters.GetByInAndName("path", at[1]) == nil {
					t.Errorf("%s: does not describe {%s}", name, at[1])
				}
			}
		}
	}
	if operations != len(routes()) {
		t.Errorf("%d operations for %d routes", operations, len(routes()))
	}
}

// Every operation, called in every way its row has, is answered as the document says; and the document names no success that
// nothing is answered with.
func TestAnswersAreAsDocumented(t *testing.T) {
	dbtest.Long(t, "every route is called")
	t.Parallel()
	eachRoute(t, func(w *fixture, r *route, made row) {
		for i, make := range append([]func(*fixture) req{made.req}, made.more...) {
			a := make(w)
			got := w.send(r, a, w.credential(r, a))
			if got.status != a.wants(r) {
				w.t.Errorf("%s %s, req %d: %d, not %d: %s", r.method, r.path, i, got.status, a.wants(r), short(got.body))
			}
			if body := string(encode(w.t, a.body)); got.status < 300 && r.body != nil && !strings.Contains(r.path, "bulk-") &&
				!strings.HasSuffix(r.path, "/thresholds") {
				if problem := w.validator.refuses(r, body); problem != "" && body != "" {
					w.t.Errorf("%s %s took a body that the document refuses: %s\n%s", r.method, r.path, problem, short([]byte(body)))
				}
			}
			if tag := got.header.Get("ETag"); r.method == "GET" && got.status == 200 && i == 0 {
				a.header = map[string]string{"If-None-Match": tag}
				if again := w.send(r, a, w.credential(r, a)); again.status != 304 || tag == "" {
					w.t.Errorf("%s %s with its ETag %q: %d", r.method, r.path, tag, again.status)
				}
			}
		}
		for status := range w.validator.operations[r.method+" "+r.path].Responses.Map() {
			if w.validator.answered[r.method+" "+r.path+" "+status] == 0 && status < "400" {
				w.t.Errorf("%s %s: the status %s is documented and no req of the row gets it", r.method, r.path, status)
			}
		}
		if r == w.table.routes[0] {
			w.unrouted()
		}
	})
}

// Every write honours Idempotency-Key: again the same bytes and nothing done, 409 with another body (interface §4.6).
func TestEveryWriteReplays(t *testing.T) {
	dbtest.Long(t, "every route is called")
	t.Parallel()
	eachRoute(t, func(w *fixture, r *route, made row) {
		if r.method == "GET" || r.method == "DELETE" || r.access == public || r.path == "/api/v1/auth/logout" { // that one voids its credential
			return
		}
		a := made.req(w)
		a.header = maps.Clone(a.header)
		if a.header == nil {
			a.header = map[string]string{}
		}
		a.header["Idempotency-Key"] = "k-" + w.name("key")
		first := w.send(r, a, w.credential(r, a))
		after := w.dump()
		second := w.send(r, a, w.credential(r, a))
		if first.status != second.status || !bytes.Equal(first.body, second.body) || second.header.Get("Idempotent-Replay") != "true" ||
			first.header.Get("Idempotent-Replay") != "" {
			w.t.Errorf("%s %s twice with one key: %d, then %d, replay %q\n%s\n%s", r.method, r.path, first.status, second.status,
				second.header.Get("Idempotent-Replay"), short(first.body), short(second.body))
		}
		if d := differ(after, w.dump()); d != "" {
			w.t.Errorf("%s %s: the replay changed something:\n%s", r.method, r.path, d)
		}
		if body, ok := a.body.(member); ok {
			body["name"] = "Else"
			if third := w.send(r, a, w.credential(r, a)); third.status != 409 || text(third.json(w.t), "code") != "idempotency_key_reused" {
				w.t.Errorf("%s %s with one key and another body: %d %s", r.method, r.path, third.status, short(third.body))
			}
		}
	})
}

// Of requests that come at once with one key, on two nodes, one is done; the others wait for it and answer the same bytes
// (interface §4.6): in an account where nothing was done yet, and in one that is warm.
func TestRacersOfOneKey(t *testing.T) {
	dbtest.Long(t, "every route is called")
	t.Parallel()
	const racers = 8
	eachRoute(t, func(w *fixture, r *route, made row) {
		if r.method == "GET" || r.method == "DELETE" || r.access == public || r.path == "/api/v1/auth/logout" { // that one voids its credential
			return
		}
		once := func() call {
			a := made.req(w)
			header := maps.Clone(w.credential(r, a))
			maps.Copy(header, a.header)
			header["Idempotency-Key"] = w.name("racer")
			return call{method: r.method, path: a.target(r), body: a.body, header: header, noKey: true}
		}
		race := func(which string) {
			c := once()
			replies := w.atOnce(racers, func(int) call { return c })
			first := 0
			for _, got := range replies {
				if got.header.Get("Idempotent-Replay") != "true" {
					first++
				}
				if got.status != r.success() || !bytes.Equal(got.body, replies[0].body) {
					w.t.Errorf("%s %s, %d at once with one key (%s): %d %s", r.method, r.path, racers, which, got.status, short(got.body))
					return
				}
			}
			if first != 1 {
				w.t.Errorf("%s %s, %d at once with one key (%s): %d were done", r.method, r.path, racers, which, first)
			}
		}
		race("cold")
		before := tables(w.dump())
		c := once()
		prepared := tables(w.dump())
		w.do(c)
		alone := tables(w.dump())
		race("warm")
		after := tables(w.dump())
		for name := range after {
			want := 2*alone[name] - before[name] // the same once more
			if after[name] != want {
				w.t.Errorf("%s %s: one request adds %d rows to %s, %d at once with one key %d", r.method, r.path, alone[name]-prepared[name], name,
					racers,
					after[name]-want+alone[name]-prepared[name])
			}
		}
	})
}

// tables counts the rows of a dump by table. Kept counts are left out: their row is created when the first record of a
// kind is counted, such as the first level that is out of stock, and that may be the second request's as well as the
// first's.
func tables(rows []string) map[string]int {
	count := map[string]int{}
	for _, row := range rows {
		if name, _, _ := strings.Cut(row, " "); name != "tallies" {
			count[name]++
		}
	}
	return count
}

// Routes take If-Match exactly where the document says so: a stale tag is a 412 and changes nothing (interface §4.6).
func TestIfMatchIsHonouredWhereDocumented(t *testing.T) {
	dbtest.Long(t, "every route is called")
	eachRoute(t, func(w *fixture, r *route, made row) {
		if r.method == "GET" || r.access == public {
			return
		}
		a := made.req(w)
		before := w.dump()
		a.header = map[string]string{"If-Match": `"stale"`}
		got := w.send(r, a, w.credential(r, a))
		documented := w.validator.operations[r.method+" "+r.path].Parameters.GetByInAndName("header", "If-Match") != nil
		if documented != (got.status == 412) {
			w.t.Errorf("%s %s with a stale If-Match: %d; documented: %v", r.method, r.path, got.status, documented)
		}
		if d := differ(before, w.dump()); got.status == 412 && d != "" {
			w.t.Errorf("%s %s: 412, and it changed something:\n%s", r.method, r.path, d)
		}
	})
}

// unrouted requests paths and methods that do not exist: the answers are errors of the same shape, too.
func (w *fixture) unrouted() {
	w.t.Helper()
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/api/v1/nothing", 404}, {"GET", "/", 404}, {"DELETE", "/api/v1/orders", 405}, {"PUT", "/api/v1/orders/x/status", 405},
		{"BREW", "/api/v1/orders", 405},
		{"GET", "/api/v1/orders/", 404}, {"GET", "/api/v1//orders", 404}, {"POST", "/api/v1/orders/%2e%2e/x", 404},
	} {
		got := w.do(call{method: c.method, path: c.path})
		if problem := w.validator.check(nil, got); problem != "" || got.status != c.status {
			w.t.Errorf("%s %s: %d, not %d: %s %s", c.method, c.path, got.status, c.status, problem, short(got.body))
		}
	}
}

// operationNames are names that read well in a generated client.
var operationNames = regexp.MustCompile(`^[a-z]+([A-Z][a-z0-9]*)+$`)

// Clients are generated from the document: its operations, records and examples have names, and each is there once.
func TestDocumentIsForGenerators(t *testing.T) {
	dbtest.Long(t, "a large document")
	document := loadDocument(t, New(Config{Version: "test"}))
	for _, name := range []string{"Order", "OrderListItem", "OrderReceipt", "Product", "Category", "Customer", "Address", "Shipment",
		"Channel", "ApiKey", "Endpoint",
		"Delivery", "Event", "Job", "Error", "ValidationError", "CreateOrder", "ProductInput", "CreateCustomer", "OrderReceivedEvent"} {
		if document.Components.Schemas[name] == nil {
			t.Errorf("there is no schema %s", name)
		}
	}
	tags := map[string]bool{}
	for _, tag := range document.Tags {
		tags[tag.Name] = tag.Description != ""
	}
	for path, item := range document.Paths.Map() {
		for method, op := range item.Operations() {
			name := method + " " + path
			if !operationNames.MatchString(op.OperationID) {
				t.Errorf("%s: operationId %q", name, op.OperationID)
			}
			if !tags[op.Tags[0]] {
				t.Errorf("%s: the tag %s says nothing of itself", name, op.Tags[0])
			}
			for status, answer := range op.Responses.Map() {
				if content := answer.Value.Content.Get("application/json"); content != nil && status != "default" && path != "/api/v1/openapi.json" &&
					content.Example == nil {
					t.Errorf("%s: %s has no example", name, status)
				}
			}
			if body := op.RequestBody; body != nil {
				content := body.Value.Content.Get("application/json") // nil: a file
				if content != nil && (content.Example == nil || content.Schema.Ref == "") {
					t.Errorf("%s: its body has no example or no name", name)
				}
			}
			for _, status := range []string{"429", "503"} {
				if op.Responses.Value(status) == nil {
					t.Errorf("%s: does not say %s", name, status)
				}
			}
		}
	}
	if n := len(document.Webhooks); n != len(webhooks.EventNames) {
		t.Errorf("%d webhooks for %d events", n, len(webhooks.EventNames))
	}
	for event, item := range document.Webhooks {
		content := item.Post.RequestBody.Value.Content.Get("application/json")
		if err := content.Schema.Value.VisitJSON(content.Example, openapi3.EnableJSONSchema2020()); err != nil {
			t.Errorf("%s: its example is no such event: %v", event, err)
		}
		if content.Schema.Ref != "#/components/schemas/"+records.EventRecord(event) {
			t.Errorf("%s: the schema is %s", event, content.Schema.Ref)
		}
	}
}

// The document is the same in every process that runs one version, so that a reader with a copy can see what changed.
func TestDocumentIsStable(t *testing.T) {
	dbtest.Long(t, "a second process describes every route")
	sum := fmt.Sprintf("%x", sha256.Sum256(New(Config{Version: "test"}).Document()))
	if os.Getenv("DOCUMENT_SUM") != "" {
		fmt.Println("sum", sum)
		return
	}
	again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDocumentIsStable$")
	again.Env = append(os.Environ(), "DOCUMENT_SUM=1")
	out, err := again.Output()
	if err != nil || !strings.Contains(string(out), "sum "+sum) {
		t.Errorf("another process makes another document: %v %s, not %s", err, out, sum)
	}
}
