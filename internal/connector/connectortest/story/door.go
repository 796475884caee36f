package story

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// door is in front of a shop: it counts requests, makes the shop unreachable, and interrupts the service in the middle
// of a request.
type door struct {
	shop   http.Handler
	renews func(*http.Request) bool // Shop.Renews
	broken chan struct{}            // the service is to be interrupted now

	mu      sync.Mutex
	calls   int
	kinds   map[string]int // the calls of a chapter, by what they do
	down    bool
	breakN  int  // the request after which the service is interrupted, before its answer; 0: none
	renewal bool // the next request for an access token is such a one
	breaks  bool // an interruption is under way
}

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind := kindOf(r)
	d.mu.Lock()
	d.calls++
	d.kinds[kind]++
	renews := d.renews != nil && d.renews(r)
	down, breaks := d.down, d.breakN > 0 && d.calls == d.breakN || d.renewal && renews
	d.breaks, d.renewal = d.breaks || breaks, d.renewal && !breaks
	d.mu.Unlock()
	switch {
	case down:
		w.WriteHeader(http.StatusBadGateway)
	case breaks && renews: // the service waits for the answer before it stops
		d.broken <- struct{}{}
		d.shop.ServeHTTP(w, r)
	case breaks:
		d.only(r)
		_, _ = io.Copy(io.Discard, r.Body) // the server notices only then that the caller has hung up
		d.broken <- struct{}{}
		<-r.Context().Done()
	default:
		d.shop.ServeHTTP(w, r)
	}
}

var (
	idOfPath  = regexp.MustCompile(`/(MUG[^/]*|\d+|[^/]*\d{5,}[^/]*)`)
	dateOf    = regexp.MustCompile(`^/20\d{4}$|^/20\d\d-\d\d-\d\d$`) // a version in a path
	operation = regexp.MustCompile(`"query":"(?:query|mutation) (\w+)`)
)

// kindOf is what a request does: its method and path without ids, or the name of a GraphQL operation.
func kindOf(r *http.Request) string {
	path := idOfPath.ReplaceAllStringFunc(r.URL.Path, func(segment string) string {
		if dateOf.MatchString(segment) {
			return segment
		}
		return "/…"
	})
	if !strings.HasSuffix(path, "/graphql.json") {
		return r.Method + " " + path
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if found := operation.FindSubmatch(body); found != nil {
		return string(found[1])
	}
	return path
}

// frequent lists the calls since the last time by what they did, the most frequent first.
func (d *door) frequent() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	kinds := slices.SortedFunc(maps.Keys(d.kinds), func(a, b string) int {
		return cmp.Or(d.kinds[b]-d.kinds[a], strings.Compare(a, b))
	})
	var list []string
	for _, kind := range kinds[:min(8, len(kinds))] {
		list = append(list, fmt.Sprintf("%d %s", d.kinds[kind], kind))
	}
	clear(d.kinds)
	return strings.Join(list, "; ")
}

// only runs the request in the shop, without sending the answer.
func (d *door) only(r *http.Request) {
	defer func() { _ = recover() }() // a shop that closes its connections does so by a panic
	d.shop.ServeHTTP(unsent{httptest.NewRecorder()}, r)
}

// unsent takes an answer that is not sent.
type unsent struct{ *httptest.ResponseRecorder }

// Hijack is refused.
func (unsent) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return nil, nil, errors.New("there is no connection")
}

// breakAfter has the service interrupted in the middle of the n-th request from now on.
func (d *door) breakAfter(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.breakN = d.calls + n
}

// breakRenewal has the service interrupted in the middle of its next request for an access token.
func (d *door) breakRenewal() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.renewal = true
}

// awaitsRenewal reports whether none has come yet.
func (d *door) awaitsRenewal() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.renewal
}

// disarm cancels that; it reports whether the interruption is already under way.
func (d *door) disarm() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	breaks := d.breaks
	d.breakN, d.renewal, d.breaks = 0, false, false
	return breaks
}

// shut makes the shop unreachable, or reachable again.
func (d *door) shut(down bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.down = down
}

func (d *door) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls
}
