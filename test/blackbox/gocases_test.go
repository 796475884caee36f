package blackbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"entrepot/test/blackbox/harness"
	"entrepot/test/blackbox/script"
)

// goCase is a case that a script cannot express well: many clients at once, thousands of items, time.
type goCase struct {
	name    string
	clauses []string
	own     *harness.Options // a server of its own, with these options; nil shares one per engine
	run     func(c *testCase)
}

// goCases is filled by the files that hold the cases.
var goCases []goCase

// about registers a case and the clauses it proves.
func about(clauses, name string, run func(c *testCase)) {
	goCases = append(goCases, goCase{name: name, clauses: strings.Fields(clauses), run: run})
}

// aboutOwn is about for a case that needs a server of its own.
func aboutOwn(clauses, name string, options harness.Options, run func(c *testCase)) {
	goCases = append(goCases, goCase{name: name, clauses: strings.Fields(clauses), own: &options, run: run})
}

// TestCases runs every case written in Go on both engines.
func TestCases(t *testing.T) {
	harness.Each(t, func(t *testing.T, engine harness.Engine) {
		shared := harness.Start(t, engine, harness.Options{})
		t.Run("cases", func(t *testing.T) {
			for _, c := range goCases {
				t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
					t.Parallel()
					talk := &testCase{T: t, server: shared}
					if c.own != nil {
						talk.server = harness.Start(t, engine, *c.own)
						talk.account = talk.server.FirstAccount(t)
					} else {
						talk.account = shared.NewAccount(t, "enterprise")
					}
					c.run(talk)
				})
			}
		})
	})
}

// testCase is a Go case with its side of a server: an account, and answers that must be as expected.
type testCase struct {
	*testing.T
	server  *harness.Server
	account *harness.Account
}

// call sends a request with the account's key.
func (c *testCase) call(method, path string, body any) harness.Answer {
	c.Helper()
	return c.as(c.account.Key, method, path, body)
}

// as sends a request as any client, and checks what every answer must satisfy.
func (c *testCase) as(client harness.Client, method, path string, body any) harness.Answer {
	c.Helper()
	answer, err := client.Call(method, path, body)
	if err != nil {
		c.Errorf("%s %s: %v", method, path, err)
		return answer
	}
	for _, fault := range script.Always(answer) {
		c.Errorf("%s: %s", answer, fault)
	}
	return answer
}

// must stops the case unless the answer has the status.
func (c *testCase) must(answer harness.Answer, status int) harness.Answer {
	c.Helper()
	if answer.Status != status {
		c.Fatalf("want status %d: %s", status, answer)
	}
	return answer
}

// ok is must for other goroutines: it reports and leaves the stopping to them.
func (c *testCase) ok(answer harness.Answer, status int) bool {
	c.Helper()
	if answer.Status != status {
		c.Errorf("want status %d: %s", status, answer)
	}
	return answer.Status == status
}

// like compares the answer's JSON with an expectation, as scripts do.
func (c *testCase) like(answer harness.Answer, expected string, args ...any) {
	c.Helper()
	if faults := harness.Match([]byte(fmt.Sprintf(expected, args...)), answer.Body, harness.Vars{}); len(faults) > 0 {
		c.Errorf("%s\n  %s", answer, strings.Join(faults, "\n  "))
	}
}

// products imports products, each as sku, price, quantity.
func (c *testCase) products(rows ...[3]any) {
	c.Helper()
	var all []map[string]any
	for _, row := range rows {
		all = append(all, map[string]any{"sku": row[0], "name": fmt.Sprint("Product ", row[0]), "price": row[1],
			"stock": map[string]any{"quantity": row[2]}})
	}
	answer := c.must(c.call(http.MethodPost, "/api/v1/sdk/products/bulk-import?wait=true", map[string]any{"products": all}), http.StatusOK)
	if len(answer.List("errors")) > 0 {
		c.Fatalf("preparing products: %s", answer)
	}
}

// order is the body of an order: customer name and lines of sku, quantity, price.
func order(name string, lines ...[3]any) map[string]any {
	items := []map[string]any{}
	for _, line := range lines {
		items = append(items, map[string]any{"sku": line[0], "quantity": line[1], "unitPrice": line[2]})
	}
	return map[string]any{"customerName": name, "items": items}
}
