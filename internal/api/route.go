package api

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"entrepot/internal/apijson"
	"entrepot/internal/limits"
)

// access says which credential opens a route.
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
	path     string // as http.ServeMux has it: /api/v1/orders/{id}
	name     string // what clients call it: createOrder; unique
	section  string // of docs/interface.md
	summary  string
	access   access
	scope    string               // "" for any valid credential
	query    func(*apijson.Query) // reads its parameters; also describes them
	body     func(*apijson.Object)
	optional bool                          // the body may be missing
	ifMatch  bool                          // it takes If-Match: the ETag of the record at the head of its path (interface §4.6)
	answer   func(*apijson.Writer)         // writes a sample answer; describes it
	status   int                           // of success; 0 = 200
	others   map[int]func(*apijson.Writer) // other answers that are not errors, by status, each with its sample
	errors   []int                         // statuses of errors beside those that follow from the rest of the row
	rate     *limits.Rate                  // its own window on top of the plan's
	most     int64                         // bytes of its body, when it is less than elsewhere
	waits    bool                          // it waits more than it works, and bounds by itself how many do: it takes no turn of the node's
	own      bool                          // logged-in users call it for themselves without its scope: {id} is theirs (interface §5.1)
	raw      bool                          // a platform's: the handler reads the body, and counts what is not the platform's
	serve    func(*API, *request) (answer, error)
}

// sdk reports the bulk routes, whose bodies may have 10 MB.
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

// table finds routes. ServeMux does the matching; the answers for no match are ours.
type table struct {
	mux     *http.ServeMux
	routes  []*route
	byKey   map[string]*route
	methods []string
}

func newTable(routes []*route) *table {
	t := &table{mux: http.NewServeMux(), routes: routes, byKey: map[string]*route{}}
	for _, r := range routes {
		pattern := r.method + " " + apart(r.path)
		t.mux.Handle(pattern, http.NotFoundHandler())
		t.byKey[pattern] = r
		if !slices.Contains(t.methods, r.method) {
			t.methods = append(t.methods, r.method)
		}
	}
	slices.Sort(t.methods)
	return t
}

// ServeMux cannot distinguish …/webhooks/deliveries/{id} from …/webhooks/{id}/deliveries. It gets the first kind under a
// name that no route has.
const (
	twin  = "/api/v1/developer/webhooks/deliveries/"
	alias = "/-deliveries-/"
)

// apart is a path as ServeMux gets it.
func apart(path string) string {
	if rest, ok := strings.CutPrefix(path, twin); ok {
		return alias + rest
	}
	if strings.HasPrefix(path, alias) {
		return "/"
	}
	return path
}

// find gives the route of a request and its path values, or the methods that the path does take.
func (t *table) find(r *http.Request) (found *route, allowed []string) {
	if asked := r.URL.EscapedPath(); path.Clean(asked) != asked { // ServeMux would take it for the clean path, to redirect there
		return nil, nil
	}
	if !utf8.ValidString(r.URL.Path) || strings.IndexByte(r.URL.Path, 0) >= 0 { // no SKU and no id is written so
		return nil, nil
	}
	if path := apart(r.URL.Path); path != r.URL.Path {
		given := r.URL
		defer func() { r.URL = given }()
		r.URL = &url.URL{Path: path}
	}
	if _, pattern := t.mux.Handler(r); t.byKey[pattern] != nil {
		t.mux.ServeHTTP(discard{}, r) // sets the path values
		return t.byKey[pattern], nil
	}
	for _, method := range t.methods {
		probe := &http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, pattern := t.mux.Handler(probe); t.byKey[pattern] != nil {
			allowed = append(allowed, method)
			if method == http.MethodGet {
				allowed = append(allowed, http.MethodHead)
			}
		}
	}
	return nil, allowed
}

// discard is where ServeMux's own handler writes.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) WriteHeader(int)             {}
