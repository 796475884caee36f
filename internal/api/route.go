package api

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"entrepot/internal/base/apijson"
	"entrepot/internal/limits"
)

// access says which credential a route accepts.
type access int

const (
	anyCredential access = iota // API key in either header, or access token
	keyHeader                   // X-API-Key only: /api/v1/sdk
	loginOnly                   // access token only
	public                      // none
)

// route is one operation of the interface.
type route struct {
	method   string
	path     string // in the syntax of http.ServeMux: /api/v1/orders/{id}
	name     string // operation id of the API description, and the handler's name: createOrder; unique
	put      string // operation id of the same route under PUT, "" if there is none
	section  string // of docs/interface.md
	summary  string
	access   access
	scope    string               // "" if any valid credential is enough
	query    func(*apijson.Query) // reads the parameters and describes them
	body     func(*apijson.Object)
	optional bool                          // the body may be missing
	ifMatch  bool                          // it takes If-Match: the ETag of the record that its path begins with (interface §4.6)
	answer   func(*apijson.Writer)         // writes a sample answer and so describes it
	status   int                           // of success; 0 = 200
	others   map[int]func(*apijson.Writer) // other answers that are not errors, by status, with a sample
	errors   []int                         // statuses of errors that do not follow from the rest of the row
	rate     *limits.Rate                  // a rate limit of its own on top of the plan's
	most     int64                         // largest body in bytes, if smaller than elsewhere
	waits    bool                          // it mostly waits, and limits its own concurrency: it takes no turn of the node's
	secret   bool                          // its answer shows a secret: not to another caller with the same Idempotency-Key, nor to a cache
	own      bool                          // logged-in users may call it for themselves without its scope: {id} is their own (interface §5.1)
	raw      bool                          // a platform's notification: the handler reads the body, and counts invalid ones
	file     bool                          // the body is a picture, or a form with one: the handler reads it
	answers  []string                      // media types of a file that it answers with instead of JSON
	serve    func(*API, *request) (answer, error)
}

// sdk reports whether it is a bulk route, whose bodies may have 10 MB.
func (r *route) sdk() bool { return strings.HasPrefix(r.path, "/api/v1/sdk/") }

// bound is how many bytes its body may have.
func (r *route) bound() int64 {
	switch {
	case r.sdk():
		return limits.MaxBulkBody
	case r.most > 0:
		return r.most
	}
	return limits.MaxBody
}

func (r *route) success() int {
	if r.status == 0 {
		return http.StatusOK
	}
	return r.status
}

// table finds routes. ServeMux matches them; the answers for no match are this package's.
type table struct {
	mux     *http.ServeMux
	routes  []*route
	byKey   map[string]*route
	fixed   map[string]bool // the paths without parameters
	methods []string
}

func newTable(routes []*route) *table {
	t := &table{mux: http.NewServeMux(), routes: routes, byKey: map[string]*route{}, fixed: map[string]bool{}}
	for _, r := range routes {
		pattern := r.method + " " + apart(r.path)
		t.mux.Handle(pattern, http.NotFoundHandler())
		t.byKey[pattern] = r
		t.fixed[r.path] = !strings.Contains(r.path, "{")
		if !slices.Contains(t.methods, r.method) {
			t.methods = append(t.methods, r.method)
		}
	}
	slices.Sort(t.methods)
	return t
}

// ServeMux cannot distinguish …/webhooks/deliveries/{id} from …/webhooks/{id}/deliveries. The first kind is registered
// under a name that no route has.
const (
	twin  = "/api/v1/developer/webhooks/deliveries/"
	alias = "/-deliveries-/"
)

// apart is a path in the form in which ServeMux knows it.
func apart(path string) string {
	if rest, ok := strings.CutPrefix(path, twin); ok {
		return alias + rest
	}
	if strings.HasPrefix(path, alias) {
		return "/"
	}
	return path
}

// find returns the route of a request and its path values, or the methods that the path takes.
func (t *table) find(r *http.Request) (found *route, allowed []string) {
	if asked := r.URL.EscapedPath(); path.Clean(asked) != asked { // ServeMux would redirect to the clean path
		return nil, nil
	}
	if !utf8.ValidString(r.URL.Path) || strings.IndexByte(r.URL.Path, 0) >= 0 { // no SKU and no id has such bytes
		return nil, nil
	}
	fixed := t.fixed[r.URL.Path]
	if path := apart(r.URL.Path); path != r.URL.Path {
		given := r.URL
		defer func() { r.URL = given }()
		r.URL = &url.URL{Path: path}
	}
	if _, pattern := t.mux.Handler(r); t.byKey[pattern].serves(fixed) {
		t.mux.ServeHTTP(discard{}, r) // sets the path values
		return t.byKey[pattern], nil
	}
	for _, method := range t.methods {
		probe := &http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, pattern := t.mux.Handler(probe); t.byKey[pattern].serves(fixed) {
			allowed = append(allowed, method)
			if method == http.MethodGet {
				allowed = append(allowed, http.MethodHead)
			}
		}
	}
	return nil, allowed
}

// serves reports whether a route that matches a path is for it: the last word of a fixed path (…/customers/merge) is
// no id, for whichever method.
func (r *route) serves(fixed bool) bool {
	return r != nil && !(fixed && strings.HasSuffix(r.path, "/{id}"))
}

// discard takes the output of ServeMux's own handlers.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) WriteHeader(int)             {}
