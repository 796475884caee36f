package api

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"entrepot/internal/base/apijson"
	"entrepot/internal/db/dbtest"
)

// oddities are what is put in the place of every field of every body. "absent" and "twice" are done to the member itself.
var oddities = []struct{ name, text string }{
	{"absent", ""}, {"twice", ""}, {"null", "null"}, {"a boolean", "true"}, {"an integer", "7"}, {"a text", `"text"`}, {"a list", "[]"},
	{"an object", "{}"},
	{"a list of lists", "[[]]"}, {"a list of nulls", "[null,null]"}, {"an object of anything", `{"a":{"b":[1,"x",null]}}`},
	{"an empty text", `""`}, {"blanks", `" \t\r\n "`}, {"300 characters", `"` + strings.Repeat("x", 300) + `"`},
	{"70 KB", `"` + strings.Repeat("y", 70<<10) + `"`},
	{"many numbers", "[" + strings.Repeat("1,", 2000) + "1]"}, {"NaN", "NaN"}, {"Infinity", "-Infinity"}, {"NaN as text", `"NaN"`},
	{"1e400", "1e400"}, {"1e-400", "1e-400"},
	{"-1", "-1"}, {"0", "0"}, {"-0", "-0.0"}, {"0.00001", "0.00001"}, {"2^63", "9223372036854775808"},
	{"30 digits", "123456789012345678901234567890"}, {"a vast exponent", "1e9223372036854775807"},
	{"a vast exponent below", "1e-9223372036854775807"}, {"a wrapping exponent", "0.1e-9223372036854775808"},
	{"another", "10E9223372036854775807"}, {"leading zero", "01"}, {"hex", "0x10"}, {"U+0000", `"a\u0000b"`},
	{"a lone surrogate", `"\ud800"`},
	{"half a pair", `"x\udc00x"`}, {"raw U+0000", "\"a\x00b\""}, {"raw control", "\"a\x1fb\""}, {"DEL", "\"a\x7fb\""},
	{"right to left", "\"\u202e\u05d0\u05d1\u05d2\u200f\""}, {"emoji", `"👩‍👩‍👧‍👦🏴‍☠️"`},
	{"combining", "\"a\u0301\u0301\u0301\ufeff\u2028\u2029\""}, {"beyond the plane", `"\ud83d\ude00 𝔘𝔫𝔦"`},
	{"broken UTF-8", "\"\xff\xfe\""},
	{"a cut rune", "\"\xe2\x82\""}, {"an encoded surrogate", "\"\xed\xa0\x80\""},
	{"100 lists deep", strings.Repeat("[", 100) + strings.Repeat("]", 100)},
	{"100 objects deep", strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100)},
	{"40 deep", strings.Repeat("[", 40) + strings.Repeat("]", 40)}, {"an unclosed list", "["}, {"a comment", "/* x */ 1"},
	{"SQL", `"'; DROP TABLE orders; --"`}, {"LIKE", `"%_\\%"`},
	{"markup", `"<script>&amp;</script>\u003c"`}, {"a template", `"%s%d%n{{.}}${x}"`},
	{"an unknown id", `"019a1c52-7c1e-7d40-9a55-ffffffffffff"`}, {"upper case id", `"019A1C52-7C1E-7D40-9A55-FFFFFFFFFFFF"`},
	{"year 1", `"0001-01-01T00:00:00Z"`}, {"year 0", `"0000-01-01"`}, {"year 9999", `"9999-12-31T23:59:59.999999999Z"`},
	{"30 February", `"2026-02-30"`}, {"a leap second", `"2026-06-30T23:59:60Z"`},
	{"an offset", `"2026-01-01T00:00:00.123456789-23:59"`}, {"a star", `"*"`}, {"a path", `"../../etc/passwd"`},
	{"an address", `"javascript:alert(1)"`}, {"a local address", `"http://169.254.169.254/latest"`},
}

// Every field of every body, filled with every oddity: the answer is a documented success or the one error shape, never an
// internal error; what is refused changes nothing; what the document refuses, the service refuses too, and the document
// states every bound by which the service refuses.
func TestEveryFieldTakesOddities(t *testing.T) {
	dbtest.Long(t, "every route takes hundreds of inputs")
	var inputs, fields atomic.Int64
	t.Run("routes", func(t *testing.T) {
		for _, r := range routes() {
			made := rows[r.method+" "+r.path]
			if r.body == nil || made.req == nil {
				continue
			}
			t.Run(r.method+" "+r.path, func(t *testing.T) {
				t.Parallel()
				w := newFixture(t, "sqlite")
				w.watch()
				list := fieldsOf(apijson.DescribeBody(r.body))
				fields.Add(int64(len(list)))
				for _, f := range list {
					inputs.Add(w.fill(r, made, f))
				}
			})
		}
	})
	t.Logf("%d inputs in %d fields", inputs.Load(), fields.Load())
}

// forPostgres are the oddities that PostgreSQL itself might refuse: texts that it cannot store, numbers and times outside its types.
var forPostgres = []string{"70 KB", "1e400", "2^63", "30 digits", "a vast exponent", "U+0000", "a lone surrogate", "half a pair",
	"raw U+0000", "broken UTF-8", "a cut rune", "beyond the plane", "LIKE", "an unknown id", "year 1", "year 0", "year 9999"}

// No field of any body makes PostgreSQL fail: what it cannot store is refused before, and everything else is stored.
func TestEveryFieldTakesOdditiesOnPostgres(t *testing.T) {
	dbtest.Long(t, "every route takes many inputs")
	t.Parallel()
	w, sent := newFixture(t, "postgres"), int64(0)
	for _, r := range routes() {
		if made := rows[r.method+" "+r.path]; r.body != nil && made.req != nil {
			for _, f := range fieldsOf(apijson.DescribeBody(r.body)) {
				sent += w.fill(r, made, f, forPostgres...)
			}
		}
	}
	t.Logf("%d inputs", sent)
}

// fill sends oddities, all or those with some names, in the place of one field, and reports how many it sent.
func (w *fixture) fill(r *route, made row, f field, names ...string) (sent int64) {
	w.t.Helper()
	a := made.req(w)
	valid := grow(w.t, encode(w.t, a.body))
	for _, odd := range oddities {
		if len(names) > 0 && !slices.Contains(names, odd.name) {
			continue
		}
		bent := valid.clone()
		holder, at := bent.reach(f.path)
		switch {
		case odd.text != "":
			holder.kids[at] = &tree{text: odd.text}
		case holder.list:
			continue
		case odd.name == "absent":
			holder.names, holder.kids = append(holder.names[:at:at], holder.names[at+1:]...), append(holder.kids[:at:at], holder.kids[at+1:]...)
		default:
			holder.names, holder.kids = append(holder.names, holder.names[at]), append(holder.kids, holder.kids[at])
		}
		b := a
		b.body = bent.String()
		before := w.touched()
		got := w.send(r, b, w.credential(r, b))
		sent++
		if w.t.Failed() {
			w.t.Fatalf("%s of %s is %s", f, r.path, odd.name)
		}
		if after := w.touched(); got.status >= 400 && after != before {
			w.t.Errorf("%s %s, %s is %s: %d, and %d rows were written", r.method, r.path, f, odd.name, got.status, after-before)
		}
		problem := w.validator.refuses(r, b.body.(string))
		apart := strings.Contains(r.path, "bulk-") || strings.Contains(r.path, "thresholds") // each item has its own errors
		if problem != "" && odd.text == "[]" {                                               // where the document has an object, an empty list is one (interface §1)
			holder.kids[at] = &tree{text: "{}"}
			problem = w.validator.refuses(r, bent.String())
		}
		if problem != "" && got.status < 400 && !apart {
			w.t.Errorf("%s %s, %s is %s: %d, but the document refuses it: %s", r.method, r.path, f, odd.name, got.status, short([]byte(problem)))
		}
		if bound := boundIn(got); bound != "" && problem == "" && json.Unmarshal([]byte(b.body.(string)), new(any)) == nil {
			w.t.Errorf("%s %s, %s is %s: refused (%s), but the document accepts it", r.method, r.path, f, odd.name, bound)
		}
		if got.status < 300 {
			a = made.req(w)
			valid = grow(w.t, encode(w.t, a.body))
		}
	}
	return sent
}

// bound is how messages name a bound of a value, which the document can state. It cannot state what a text means (a country,
// an address), nor how many decimals a number has.
var bound = regexp.MustCompile(`must be at (least|most) [0-9.]+( character|$)|must not be (empty|null)|` +
	`must have at (least|most) [0-9]+ (entr|integer)|must name at least one event|must have [0-9]+ to [0-9]+ characters|` +
	`must be one of|must be exactly [0-9]+ digits`)

// boundIn is the first message about a bound in a validation error, "" if there is none.
func boundIn(got reply) string {
	var answer struct{ Details []struct{ Message string } }
	if got.status != http.StatusBadRequest || json.Unmarshal(got.body, &answer) != nil {
		return ""
	}
	for _, d := range answer.Details {
		if bound.MatchString(d.Message) {
			return d.Message
		}
	}
	return ""
}

// refuses says why a body is not what the document describes; "" also for what is no JSON for the standard library.
func (j *validator) refuses(r *route, body string) string {
	var value any
	if json.Unmarshal([]byte(body), &value) != nil {
		return ""
	}
	content := j.operations[r.method+" "+r.path].RequestBody.Value.Content.Get("application/json")
	if err := content.Schema.Value.VisitJSON(value, openapi3.MultiErrors(), openapi3.DisableSchemaErrorDetails()); err != nil {
		return err.Error()
	}
	return ""
}

// oddNames are what is put in the place of an id or a SKU in a path.
var oddNames = []string{"\x00", "a\x00b", "\xff", "\xe2\x82", "\u202e", "👩‍👩‍👧",
	"0", "-1", "null", "%", "%zz", "a/b", "/", "a%2Fb", "..",
	".", " ", "'", "{id}", "*", "a b", strings.Repeat("x", 4000),
	"019a1c52-7c1e-7d40-9a55-ffffffffffff", "019A1C52-7C1E-7D40-9A55-FFFFFFFFFFFF", "00000000-0000-0000-0000-000000000000",
	"{019a1c52-7c1e-7d40-9a55-ffffffffffff}", "019a1c527c1e7d409a55ffffffffffff"}

// What a path names is found or not: nothing in the place of an id or a SKU is more than a 404, on either engine.
func TestEveryPathTakesOddities(t *testing.T) {
	dbtest.Long(t, "every route takes hundreds of inputs")
	eachRoute(t, func(w *fixture, r *route, made row) {
		places := pathParameter.FindAllStringSubmatch(r.path, -1)
		if len(places) == 0 {
			return
		}
		a := made.req(w)
		before := w.dump()
		for _, one := range places {
			for _, odd := range oddNames {
				b := a
				b.ids = maps.Clone(a.ids)
				b.ids[one[1]] = odd
				hr := httptest.NewRequest(r.method, b.target(r), nil)
				if found, _ := w.table.find(hr); found != r {
					continue // "a/../b" and the like are another path
				}
				if got := w.send(r, b, w.credential(r, b)); got.status != 404 {
					w.t.Errorf("%s %s with {%s} = %.60q: %d %s", r.method, r.path, one[1], odd, got.status, short(got.body))
				}
			}
		}
		if d := differ(before, w.dump()); d != "" {
			w.t.Errorf("%s %s with odd names changed something:\n%s", r.method, r.path, d)
		}
	})
}

// Headers may hold any byte that a server lets through: no operation stumbles over one.
func TestEveryHeaderTakesOddities(t *testing.T) {
	dbtest.Long(t, "every route takes hundreds of inputs")
	odd := []string{"", " ", "\xff\xfe", "\xe2\x82", "👩‍👩‍👧", "*", `"`, `W/"x", "y", *`, ",,,", strings.Repeat("k", 255),
		strings.Repeat("k", 256), strings.Repeat("é", 255), strings.Repeat("k", 8000), "wait=\xff; x", "wait;;;,,,"}
	headers := []string{"Idempotency-Key", "If-Match", "If-None-Match", "Content-Type", "Prefer", "X-Request-Id", "X-API-Key",
		"Authorization", "X-WC-Webhook-Signature", "X-WC-Webhook-Topic",
		"X-WC-Webhook-Delivery-ID"}
	some := []string{"GET /api/v1/orders", "POST /api/v1/orders", "PATCH /api/v1/products/{id}", "POST /api/v1/sdk/products/bulk-import",
		"GET /api/v1/auth/me", "POST /api/v1/webhooks/platform/{channelId}/{platform}"} // each way of reading headers
	eachRoute(t, func(w *fixture, r *route, made row) {
		if !slices.Contains(some, r.method+" "+r.path) {
			return
		}
		a := made.req(w)
		for _, name := range headers {
			if r.access == public != strings.HasPrefix(name, "X-WC") && name != "Idempotency-Key" {
				continue
			}
			for _, value := range odd {
				b := a
				b.header = maps.Clone(a.header)
				if b.header == nil {
					b.header = map[string]string{}
				}
				for given, v := range w.credential(r, b) {
					b.header[given] = v
				}
				b.header[name] = value
				w.send(r, b, nil)
			}
		}
	})
}
