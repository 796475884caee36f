package blackbox

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"entrepot/test/blackbox/harness"
	"entrepot/test/blackbox/script"
)

// oddValues are raw JSON texts (some are not JSON at all) that replace every field of every body.
var oddValues = []string{
	`null`, `true`, `false`, `0`, `-0`, `1`, `-1`, `1.5`, `1e400`, `-1e400`, `1e-400`, `1e5`, `NaN`, `Infinity`, `0x10`, `01`, `+1`, `.5`,
	`99999999999999999999`, `9223372036854775808`, `-9223372036854775809`, `9007199254740993`, `0.1000000000000000055511151231257827`,
	`2147483648`,
	`""`, `" "`, `"x"`, `"NaN"`, `"-1"`, `"1e400"`, `"null"`, `"2026-02-30"`, `"2026-01-01T00:00:00+99:99"`, `"\u0000"`, `"a\u0000b"`,
	`"\ud800"`, `"\udfff\ud800"`,
	`"\u202eright to left"`, `"👩‍👩‍👧‍👦"`, `"ﬀ İ ı ß"`, `"e\u0301"`, `"\ufeffbom"`, `"<script>alert(1)</script>"`,
	`"'; DROP TABLE orders; --"`, `"%00%ff"`, `"../../etc/passwd"`,
	`"{{7*7}}${7*7}"`, `"\\"`, `"\""`, "\"\xff\xfe\"", "\"\xc3\x28\"", "\"\xed\xa0\x80\"", "\"tab\tinside\"", "\"line\ninside\"",
	`"` + strings.Repeat("x", 300) + `"`, `"` + strings.Repeat("é", 6000) + `"`, `"` + strings.Repeat("x", 70000) + `"`,
	`[]`, `[null]`, `[[]]`, `[1,"a",{}]`, `{}`, `{"a":1}`, `{"":""}`, `{"a":1,"a":2}`, `{"__proto__":{"x":1}}`,
	strings.Repeat(`{"a":`, 40) + `1` + strings.Repeat(`}`, 40), strings.Repeat(`[`, 2000) + strings.Repeat(`]`, 2000),
	strings.Repeat(`[`, 20000),
	`[` + strings.Repeat(`0,`, 3000) + `0]`,
}

// oddQueries stand in for every query value; they are sent escaped.
var oddQueries = []string{
	"", " ", "x", "0", "-1", "1.5", "1e400", "NaN", "null", "true", "99999999999999999999", "9223372036854775808", "-9223372036854775809",
	"2147483648", "2026-02-30", "2026-01-01T25:00:00Z", "0000-00-00", "9999-12-31T23:59:59.999999999Z", "-0001-01-01", "99999-01-01",
	"\x00", "\xff\xfe", "'", "\"", "%", "_", "\\", "a,b,,c", ",", ",,,", "[]", "{}", "<script>", "' OR 1=1 --", "👩‍👩‍👧‍👦",
	"\u202e", strings.Repeat("x", 5000), strings.Repeat("PENDING,", 500), "asc", "total:desc:asc", ":", "createdAt:", ":asc", "PENDING",
	"00000000-0000-0000-0000-000000000000",
}

// oddIDs stand in for every id in a path; none of them is one.
var oddIDs = []string{
	"x", "0", "-1", "null", "%00", "%FF%FE", "%2e%2e%2f", "..%2F..%2Fetc", "'", "%22", "%20", "00000000-0000-0000-0000-000000000000",
	"ffffffff-ffff-ffff-ffff-ffffffffffff",
	"%7B019a1c52-7c1e-7d40-9a55-1f2e3d4c5b6a%7D", "019a1c527c1e7d409a551f2e3d4c5b6a", "019a1c52-7c1e-7d40-9a55-1f2e3d4c5b6g",
	strings.Repeat("a", 3000), "%F0%9F%92%A5", "1;2", "a%2Fb",
}

// bodies are right bodies of some writing routes, one of each kind: every field of each is spoiled in every way. Package api does that
// with every field of every route (TestEveryFieldTakesOddities), and with every parameter of every list (TestOddQueryValues).
var bodies = []struct{ method, path, body string }{
	{"POST", "/api/v1/orders", `{"customerName":"Ada","customerId":null,"customerEmail":"seeded@x.example","channelId":null,` +
		`"externalReference":null,"initialStatus":"PENDING","currency":"EUR","shippingAmount":1,"discountAmount":1,"taxAmount":1,"taxRate":20,` +
		`"notes":"n","shippingAddress":{"line1":"1","city":"c","zip":"z","country":"FR"},"billingAddress":{"line1":"1"},` +
		`"paymentMetadata":{"a":1},"items":[{"sku":"A-1","quantity":1,"unitPrice":10,"name":"N","description":"d","metadata":{"a":1}}]}`},
	{"POST", "/api/v1/sdk/products/bulk-import?wait=true", `{"products":[{"sku":"BAD-1","name":"n","price":1,"description":"d","slug":"s",` +
		`"compareAtPrice":2,"status":"ACTIVE","categoryIds":["c"],"images":[{"url":"https://x.example/1.png","position":0}],` +
		`"variants":[{"sku":"BAD-1-V","name":"v","price":1,"stock":1,"compareAtPrice":1,"attributes":{"a":"b"}}],` +
		`"stock":{"warehouseCode":"MAIN","quantity":1},"attributes":{"a":"b"}}],"options":{"channelId":null,"dryRun":false,` +
		`"replaceVariants":false}}`},
	{"PATCH", "/api/v1/customers/{customer}", `{"email":"seeded@x.example","firstName":"f","lastName":"l","phone":"p","company":"c",` +
		`"siret":"12345678901234","vatIntracomNumber":"v","tags":["t"],"metadata":{"a":1}}`},
	{"POST", "/api/v1/auth/login", `{"email":"a@b.example","password":"p"}`},
}

// queries are reading routes with their parameters.
var queries = map[string]string{
	"/api/v1/orders": "page limit cursor status channelId customerId customerEmail createdAtGte " +
		"createdAtLte createdAt[gte] createdAt[lte] dateFrom dateTo search sortBy sortOrder sort order",
	"/api/v1/sdk/products/changes": "since limit includeDeleted",
}

func init() {
	about("7-bad-input 7-malformed", "every field, query value, id and header, spoiled in every way", spoilEverything)
}

func spoilEverything(c *testCase) {
	ids := c.seed()
	attempts := spoiledBodies(ids)
	attempts = append(attempts, spoiledWholes(ids)...)
	attempts = append(attempts, spoiledQueries(ids)...)
	attempts = append(attempts, spoiledPaths()...)
	attempts = append(attempts, spoiledHeaders(ids)...)
	before := c.must(c.call(http.MethodGet, "/api/v1/orders?limit=1", nil), 200).Count("meta", "total")
	var created atomic.Int64
	var mu sync.Mutex
	statuses := map[int]int{}
	complaints := map[string]string{} // one per route and kind of complaint: a flood of them shows nothing
	queue := make(chan attempt)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for a := range queue {
				client := c.account.Key
				answer, err := client.Do(a.request)
				mu.Lock()
				if err != nil {
					complaints[a.route+" broke off"] = fmt.Sprintf("%s: %v", a.what, err)
				} else {
					statuses[answer.Status]++
					for _, fault := range script.Always(answer) {
						kind := fault[:min(len(fault), 40)]
						complaints[a.route+": "+kind] = fmt.Sprintf("%s\n      sent %s\n      %s", fault, a.what, answer)
					}
					if a.never2xx && answer.Status < 400 {
						complaints[a.route+" took it"] = fmt.Sprintf("took %s\n      %s", a.what, answer)
					}
				}
				mu.Unlock()
				if err == nil && a.route == "POST /api/v1/orders" && answer.Status == 201 {
					created.Add(1)
				}
			}
		})
	}
	for _, a := range attempts {
		queue <- a
	}
	close(queue)
	workers.Wait()
	for _, name := range slices.Sorted(maps.Keys(complaints)) {
		c.Errorf("%s: %s", name, complaints[name])
	}
	c.Logf("%d bad inputs tried: %v", len(attempts), statuses)
	after := c.must(c.call(http.MethodGet, "/api/v1/orders?limit=1", nil), 200).Count("meta", "total")
	if after-before != created.Load() {
		c.Errorf("%d orders were answered with 201, %d are there", created.Load(), after-before)
	}
	c.ledgerSums("A-1")
	customers := c.must(c.call(http.MethodGet, "/api/v1/customers?limit=1", nil), 200).Count("meta", "total")
	c.kinds("", map[string]int{"order.received": int(after), "customer.created": int(customers)})
	if out, err := c.server.Command("verify"); err != nil {
		c.Errorf("verify: %v\n%s", err, out)
	}
}

// attempt is one bad request.
type attempt struct {
	route    string
	what     string
	request  harness.Request
	never2xx bool // nothing about it can be right
}

const mark = "@@spoil@@"

// spoiledBodies puts every odd value in the place of every field, and leaves every field out.
func spoiledBodies(ids *strings.Replacer) []attempt {
	var attempts []attempt
	for _, b := range bodies {
		route := b.method + " " + strings.SplitN(b.path, "?", 2)[0]
		for _, variant := range markedBodies(b.body) {
			for _, odd := range oddValues {
				text := strings.Replace(variant.text, `"`+mark+`"`, odd, 1)
				attempts = append(attempts, attempt{
					route: route, what: fmt.Sprintf("%s = %.80q", variant.path, odd),
					request:  harness.Request{Method: b.method, Path: ids.Replace(b.path), Body: []byte(text)},
					never2xx: !harnessJSON(text),
				})
			}
			if variant.without != "" {
				attempts = append(attempts, attempt{
					route: route, what: "without " + variant.path,
					request: harness.Request{Method: b.method, Path: ids.Replace(b.path), Body: []byte(variant.without)},
				})
			}
		}
	}
	return attempts
}

// harnessJSON reports whether a text is JSON that this test's own decoder accepts; the service must not accept any other.
func harnessJSON(text string) bool {
	_, err := harness.Decode([]byte(text))
	return err == nil && utf8.ValidString(text)
}

// marked is a body with the mark in the place of one field, and the same body without that field.
type marked struct{ path, text, without string }

func markedBodies(body string) []marked {
	value, err := harness.Decode([]byte(body))
	if err != nil {
		panic(err)
	}
	var all []marked
	var walk func(path string, node any, put func(any), drop func())
	walk = func(path string, node any, put func(any), drop func()) {
		if put != nil {
			put(mark)
			m := marked{path: path, text: string(encode(value))}
			if drop != nil {
				drop()
				m.without = string(encode(value))
			}
			put(node)
			all = append(all, m)
		}
		switch node := node.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(node)) {
				walk(strings.TrimPrefix(path+"."+key, "."), node[key], func(v any) { node[key] = v }, func() { delete(node, key) })
			}
		case []any:
			for at := range node {
				walk(fmt.Sprintf("%s[%d]", path, at), node[at], func(v any) { node[at] = v }, nil)
			}
		}
	}
	walk("", value, nil, nil)
	return all
}

// spoiledWholes sends bodies that are wrong as a whole.
func spoiledWholes(ids *strings.Replacer) []attempt {
	var attempts []attempt
	for _, b := range bodies {
		route := b.method + " " + strings.SplitN(b.path, "?", 2)[0]
		whole := []byte(b.body)
		texts := [][]byte{
			{}, []byte(" "), []byte("null"), []byte("[]"), []byte("{}"), []byte("0"), []byte(`"x"`), []byte("true"), []byte("{"), []byte("}"),
			[]byte("{}{}"), []byte("\x00"), []byte("\xef\xbb\xbf{}"), []byte("<xml/>"),
			whole[:len(whole)/2], whole[:len(whole)-1], append(bytes.Clone(whole), 'x'), bytes.ReplaceAll(whole, []byte(`"`), []byte(`'`)),
			bytes.ReplaceAll(whole, []byte(`:`), []byte(`=`)),
			[]byte(strings.Repeat("[", 100000)), []byte(strings.Repeat(`{"a":`, 50000)), append([]byte(`{"a":1,"a":2,`), whole[1:]...),
			append([]byte("{\"\xff\":1,"), whole[1:]...),
			append([]byte(`{"x":"`+strings.Repeat("y", 1_200_000)+`",`), whole[1:]...),
		}
		for at, text := range texts {
			attempts = append(attempts, attempt{
				route: route, what: fmt.Sprintf("whole body %d: %.60q", at, text),
				request:  harness.Request{Method: b.method, Path: ids.Replace(b.path), Body: text},
				never2xx: len(text) > 0 && !harnessJSON(strings.TrimPrefix(string(text), "\ufeff")), // a byte order mark is passed over
			})
		}
	}
	return attempts
}

func spoiledQueries(ids *strings.Replacer) []attempt {
	var attempts []attempt
	for _, path := range slices.Sorted(maps.Keys(queries)) {
		for _, name := range strings.Fields(queries[path]) {
			for _, odd := range oddQueries {
				attempts = append(attempts, attempt{
					route: "GET " + path, what: fmt.Sprintf("%s=%.60q", name, odd),
					request: harness.Request{Method: http.MethodGet, Path: ids.Replace(path) + "?" + name + "=" + url.QueryEscape(odd)},
				})
			}
			attempts = append(attempts, attempt{
				route: "GET " + path, what: name + " twice",
				request: harness.Request{Method: http.MethodGet, Path: ids.Replace(path) + "?" + name + "=1&" + name + "=2"},
			})
		}
		for _, raw := range []string{"?", "&", "=", "%", "%zz=1", "page=%zz", ";page=1", "page[]=1", "createdAt[gte=1", "a[b][c]=1",
			strings.Repeat("a=1&", 3000)} {
			attempts = append(attempts, attempt{
				route: "GET " + path, what: fmt.Sprintf("?%.40s", raw),
				request: harness.Request{Method: http.MethodGet, Path: ids.Replace(path) + "?" + raw},
			})
		}
	}
	return attempts
}

// spoiledPaths puts odd ids into every path that has one: all are 404.
func spoiledPaths() []attempt {
	var attempts []attempt
	for _, r := range routes {
		if !strings.Contains(r.path, "{") || r.scope == "login" {
			continue
		}
		for _, odd := range oddIDs {
			path := r.path
			for strings.Contains(path, "{") {
				open, end := strings.Index(path, "{"), strings.Index(path, "}")
				path = path[:open] + odd + path[end+1:]
			}
			request := harness.Request{Method: r.method, Path: path}
			if r.method != http.MethodGet && r.method != http.MethodDelete {
				request.Body = []byte(`{}`)
			}
			attempts = append(attempts, attempt{route: r.method + " " + r.path, what: "id " + odd[:min(40, len(odd))], request: request,
				never2xx: !strings.Contains(r.path, "{sku}")})
		}
	}
	return attempts
}

func spoiledHeaders(ids *strings.Replacer) []attempt {
	var attempts []attempt
	add := func(method, path, name, value, body string) {
		attempts = append(attempts, attempt{
			route: method + " " + path, what: fmt.Sprintf("%s: %.40q", name, value),
			request: harness.Request{Method: method, Path: ids.Replace(path), Header: http.Header{name: {value}}, Body: []byte(body)},
		})
	}
	odd := []string{"x", "*", `"`, `""`, `W/`, `W/"`, ",", `"a",`, "é", strings.Repeat("k", 255), strings.Repeat("k", 256),
		strings.Repeat("k", 8000), "\t", "a b", "💥", "0", "-1", "{}"}
	for _, value := range odd {
		add(http.MethodPatch, "/api/v1/customers/{customer}", "Idempotency-Key", value, `{"firstName":"f"}`)
		add(http.MethodPut, "/api/v1/orders/{order}/items", "If-Match", value, `{"items":[{"sku":"A-1","quantity":1,"unitPrice":1}]}`)
		add(http.MethodPatch, "/api/v1/account", "Content-Type", value, `{"name":"n"}`)
		add(http.MethodPatch, "/api/v1/account", "X-Request-Id", value, `{"name":"n"}`)
		add(http.MethodPatch, "/api/v1/account", "Content-Encoding", value, `{"name":"n"}`)
		add(http.MethodPatch, "/api/v1/sdk/prices/bulk-update", "Prefer", value, `{"updates":[{"sku":"A-1","price":1}]}`)
		add(http.MethodPatch, "/api/v1/account", "Accept", value, `{"name":"n"}`)
	}
	for _, value := range odd {
		attempts = append(attempts, attempt{
			route: "GET /api/v1/orders", what: "If-None-Match " + value[:min(20, len(value))],
			request: harness.Request{Method: http.MethodGet, Path: "/api/v1/orders", Header: http.Header{"If-None-Match": {value}}},
		})
	}
	return attempts
}
