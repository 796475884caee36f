package api

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"entrepot/internal/db/dbtest"
)

// bench is the fixture that a fuzz target uses for many inputs; it is replaced before its store grows slow. It
// implements the testing.TB of its fixture: failures are reported for the current input, clean-ups run at the end.
type bench struct {
	testing.TB // of the present input
	fixture    *fixture
	ends       []func()
	left       int
}

// benchLife is the number of inputs for one fixture.
const benchLife = 1500

func newBench(f *testing.F) *bench {
	b := &bench{}
	f.Cleanup(b.end)
	return b
}

func (b *bench) Cleanup(end func())       { b.ends = append(b.ends, end) }
func (b *bench) Context() context.Context { return context.Background() }

// TempDir is a folder that outlives the input.
func (b *bench) TempDir() string {
	dir, err := os.MkdirTemp("", "entrepot-fuzz-")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (b *bench) end() {
	slices.Reverse(b.ends)
	for _, end := range b.ends {
		end()
	}
	b.ends = nil
}

// at returns the fixture for one input; fresh reports that it is a new one.
func (b *bench) at(t *testing.T) (w *fixture, fresh bool) {
	b.TB = t
	if b.left--; b.left < 0 {
		b.end()
		b.left, fresh = benchLife, true
		b.fixture = newFixture(b, "sqlite")
		b.fixture.watch()
	}
	return b.fixture, fresh
}

// bender bends a request by the choices that the fuzzer makes: each byte is one.
type bender struct {
	choices []byte
	text    string
	names   []string // of the route's parameters
	body    *tree
	raw     []byte // of the body, when it is bent as text
	req     req
	query   []string
}

func (b *bender) next() int {
	if len(b.choices) == 0 {
		return 0
	}
	c := b.choices[0]
	b.choices = b.choices[1:]
	return int(c)
}

// bends are the ways to bend a request.
var bends = []func(*bender){
	(*bender).odd, (*bender).literal, (*bender).quoted, (*bender).drop, (*bender).double, (*bender).swap, (*bender).rename,
	(*bender).parameter, (*bender).header, (*bender).path, (*bender).cut, (*bender).splice,
}

// node picks a place in the body: the node that holds it and where in it; nil when there is none.
func (b *bender) node() (holder *tree, at int) {
	if b.body == nil {
		return nil, 0
	}
	type spot struct {
		holder *tree
		at     int
	}
	var spots []spot
	var walk func(n *tree)
	walk = func(n *tree) {
		for i := range n.kids {
			spots = append(spots, spot{n, i})
			walk(n.kids[i])
		}
	}
	walk(b.body)
	if len(spots) == 0 {
		return nil, 0
	}
	s := spots[b.next()%len(spots)]
	return s.holder, s.at
}

func (b *bender) put(text string) {
	if holder, at := b.node(); holder != nil {
		holder.kids[at] = &tree{text: text}
	}
}

func (b *bender) odd() {
	if odd := oddities[b.next()%len(oddities)]; odd.text != "" {
		b.put(odd.text)
	}
}

func (b *bender) literal() {
	if b.text != "" {
		b.put(b.text)
	}
}

func (b *bender) quoted() {
	text, _ := json.Marshal(b.text)
	b.put(string(text))
}

func (b *bender) drop() {
	if holder, at := b.node(); holder != nil {
		holder.kids = append(holder.kids[:at:at], holder.kids[at+1:]...)
		if !holder.list {
			holder.names = append(holder.names[:at:at], holder.names[at+1:]...)
		}
	}
}

func (b *bender) double() {
	if holder, at := b.node(); holder != nil {
		for range b.next()%60 + 1 {
			holder.kids = append(holder.kids, holder.kids[at])
			if !holder.list {
				holder.names = append(holder.names, holder.names[at])
			}
		}
	}
}

func (b *bender) swap() {
	holder, at := b.node()
	other, place := b.node()
	if holder != nil {
		holder.kids[at] = other.kids[place].clone()
	}
}

func (b *bender) rename() {
	if holder, at := b.node(); holder != nil && !holder.list {
		holder.names[at] = b.text
	}
}

func (b *bender) parameter() {
	name, value := b.text, b.text
	if n := len(b.names); n > 0 {
		name = b.names[b.next()%n]
	}
	if values := queryValues; b.next()%2 == 0 {
		value = values[b.next()%len(values)]
	}
	b.query = append(b.query, url.QueryEscape(name)+"="+url.QueryEscape(value))
}

var queryValues = []string{"", "0", "-1", "1", "2", "999999999999999999999", "1e9", "0x1", "true", "maybe", "a,b,,", "%", "_", `\`, "'",
	"\x00", "\xff", "2026-01-01", "2026-02-30",
	"0001-01-01T00:00:00Z", "9999-12-31", "2026-01-01T00:00:00 01:00", "019a1c52-7c1e-7d40-9a55-ffffffffffff", "createdAt:asc", "name:desc",
	"total:sideways", ":", strings.Repeat("x", 300), "👩‍👩‍👧", "İ", "ß"}

func (b *bender) header() {
	names := []string{"Idempotency-Key", "If-Match", "If-None-Match", "Content-Type", "Prefer", "X-Request-Id", "X-API-Key", "Authorization",
		"Accept", "X-WC-Webhook-Signature"}
	value := strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return -1 // a server refuses these before a handler sees them
		}
		return c
	}, b.text)
	switch b.next() % 4 {
	case 0:
		value = "*"
	case 1:
		value = strings.Repeat("k", b.next()*2)
	}
	b.req.header[names[b.next()%len(names)]] = value
}

func (b *bender) path() {
	for name := range b.req.ids {
		if b.next()%2 == 0 {
			b.req.ids[name] = b.text
		}
	}
}

func (b *bender) cut() {
	if text := b.asText(); len(text) > 0 {
		b.raw = text[:b.next()*len(text)/256]
	}
}

func (b *bender) splice() {
	text := b.asText()
	at := b.next() * len(text) / 256
	b.raw = append(append(append([]byte{}, text[:at]...), b.text...), text[at:]...)
}

func (b *bender) asText() []byte {
	if b.raw == nil && b.body != nil {
		b.raw = []byte(b.body.String())
	}
	return b.raw
}

// FuzzHandler sends bent requests through the whole edge and a real store: never an internal error, always the documented shape,
// and what is refused changes nothing.
func FuzzHandler(f *testing.F) {
	dbtest.Long(f, "every route takes hundreds of inputs")
	all := routes()
	for i := range all {
		f.Add(uint16(i), []byte{}, "")
		for way := i % 3; way < len(bends); way += 3 {
			f.Add(uint16(i), []byte{byte(way), byte(3*i + way), byte(5*i + 7*way), byte(11 * i)}, "a\u202eb'%")
		}
	}
	b := newBench(f)
	f.Fuzz(func(t *testing.T, pick uint16, choices []byte, text string) {
		r := all[int(pick)%len(all)]
		made := rows[r.method+" "+r.path]
		if made.req == nil {
			t.Skip("the route has no row in the matrix: TestEveryRouteHasARow fails for it")
		}
		w, _ := b.at(t)
		ways := append([]func(*fixture) req{made.req}, made.more...)
		bent := bender{choices: choices, text: text, names: queryNames(r)}
		bent.req = ways[0](w)
		if len(choices) > 0 && len(ways) > 1 {
			bent.req = ways[int(choices[len(choices)-1])%len(ways)](w)
		}
		bent.req.header = clone(bent.req.header)
		bent.req.ids = clone(bent.req.ids)
		if body := encode(t, bent.req.body); json.Valid(body) {
			bent.body = grow(t, body)
		}
		credential := w.credential(r, bent.req)
		for range 6 {
			if len(bent.choices) > 0 {
				bends[bent.next()%len(bends)](&bent)
			}
		}
		if body := bent.asText(); body != nil {
			bent.req.body = body
		}
		if len(bent.query) > 0 {
			bent.req.query = strings.TrimPrefix(bent.req.query+"&"+strings.Join(bent.query, "&"), "&")
		}
		w.mustStandUp(r, bent.req, credential)
	})
}

func clone(m map[string]string) map[string]string {
	c := map[string]string{}
	for k, v := range m {
		c[k] = v
	}
	return c
}

// mustStandUp makes a request that may be of another route than it was bent from, and holds the answer to what it must be.
func (w *fixture) mustStandUp(r *route, a req, credential map[string]string) reply {
	w.t.Helper()
	header := clone(credential)
	for name, value := range a.header {
		header[name] = value
	}
	target := a.target(r)
	before := w.touched()
	got := w.do(call{method: r.method, path: target, body: a.body, header: header, noKey: true})
	hr := httptest.NewRequest(r.method, target, nil)
	found, _ := w.table.find(hr)
	if problem := w.validator.check(found, got); problem != "" {
		w.t.Errorf("%s %s %v: %d: %s\n%q\n%s", r.method, target, header, got.status, short([]byte(problem)), short(encode(w.t, a.body)),
			short(got.body))
	}
	if after := w.touched(); got.status >= 400 && after != before {
		w.t.Errorf("%s %s: %d, and %d rows were written: %q", r.method, target, got.status, after-before, short(encode(w.t, a.body)))
	}
	return got
}

// lists are the routes that are asked with parameters.
func lists() (list []*route) {
	for _, r := range routes() {
		if r.method == http.MethodGet && r.query != nil && r.name != "previewMerge" && rows[r.method+" "+r.path].req != nil {
			list = append(list, r)
		}
	}
	return list
}

// FuzzQuery calls every list with any query: a page that agrees with its meta, or the one error shape; nothing changes.
func FuzzQuery(f *testing.F) {
	dbtest.Long(f, "every route takes hundreds of inputs")
	all := lists()
	fuzzing, seen := flag.Lookup("test.fuzz").Value.String() != "", map[string]bool{}
	for i, r := range all {
		f.Add(uint16(i), "")
		f.Add(uint16(i), "page=2&limit=1")
		for _, name := range queryNames(r) {
			for _, value := range queryValues {
				query := url.QueryEscape(name) + "=" + url.QueryEscape(value)
				if fuzzing && seen[query] { // a test run tries each on every list; fuzzing moves it to other lists by itself
					continue
				}
				seen[query] = true
				f.Add(uint16(i), query)
			}
		}
		f.Add(uint16(i), "channelId=$channel&customerId=$customer&categoryId=$category&segmentId=$segment&ids=$product,$product&search=a&tag=vip")
	}
	b := newBench(f)
	reqs := map[*route]req{}
	f.Fuzz(func(t *testing.T, pick uint16, query string) {
		r := all[int(pick)%len(all)]
		w, fresh := b.at(t)
		if fresh {
			clear(reqs)
		}
		if reqs[r].ids == nil {
			a := rows[r.method+" "+r.path].req(w)
			a.ids = clone(a.ids)
			reqs[r] = a
		}
		a := reqs[r]
		w.sku()
		a.query = strings.NewReplacer("$channel", w.channel(), "$customer", w.customer(), "$category", w.category(), "$segment",
			w.once("segment", w.newSegment), "$product", w.kept["product"]).Replace(query)
		a.query = strings.Map(func(c rune) rune {
			if c <= ' ' || c >= 0x7f || c == '#' {
				return -1 // never in a request line
			}
			return c
		}, a.query)
		before := w.touched()
		got := w.mustStandUp(r, a, w.credential(r, a))
		if w.touched() != before {
			t.Errorf("GET %s?%s wrote something", r.path, a.query)
		}
		checkPage(t, r, a.query, got)
	})
}

// checkPage holds a page against its own meta.
func checkPage(t *testing.T, r *route, query string, got reply) {
	t.Helper()
	answer := got.json(t)
	list, isList := at(answer, "data").([]any)
	limit, err := strconv.Atoi(number(answer, "meta", "limit"))
	if got.status != 200 || !isList || err != nil {
		return
	}
	total, err := strconv.Atoi(number(answer, "meta", "total"))
	switch {
	case len(list) > limit:
		t.Errorf("%s?%s: %d entries on a page of %d", r.path, query, len(list), limit)
	case err == nil && total < len(list):
		t.Errorf("%s?%s: %d entries of %d", r.path, query, len(list), total)
	case err == nil && number(answer, "meta", "totalPages") != "" && number(answer, "meta", "totalPages") != fmt.Sprint((total+limit-1)/limit):
		t.Errorf("%s?%s: %s pages for %d entries by %d", r.path, query, number(answer, "meta", "totalPages"), total, limit)
	}
}
