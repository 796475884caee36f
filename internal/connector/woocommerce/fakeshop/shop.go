// Package fakeshop is a WooCommerce shop in memory, for tests and for integrators: it answers like the real one, bad habits included.
//
//	shop.go      what a shop is, its bad habits, authentication
//	products.go  products, variations, batches, categories
//	orders.go    orders, refunds, notes, and what a merchant or buyer does
//	webhooks.go  registrations, the queue, and how it is delivered
package fakeshop

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"entrepot/internal/connector/connectortest/fakeshop"
)

// Habits are the switches of a shop. A number n means every nth request of that kind; 0 is never.
type Habits struct {
	FailAfterWrite int           // does the write and answers 500
	LoseAnswer     int           // does the write and closes the connection
	Warn           int           // puts a plugin's warning before the JSON
	TooMany        int           // answers 429 with Retry-After: 1
	Hang           int           // never answers
	Plain          bool          // plain permalinks: nothing is below wp-json, and keys are not read elsewhere
	Signed         bool          // plain http: accepts OAuth signatures only
	StripHeader    bool          // the host eats the Authorization header: only the query counts
	BatchMost      int           // entries a batch takes; 0: 100
	Reorder        bool          // delivers the newest notification first
	Duplicate      bool          // delivers every notification twice
	Drop           int           // loses notifications
	Slow           time.Duration // how long each answer takes
	Fulfillments   bool          // the shop keeps parcels
	RoundSums      bool          // amounts are not rounded line by line, but their sum ("round tax at subtotal level")
}

// Shop is one shop. Its exported fields are set before it serves.
type Shop struct {
	Key, Secret string // of the REST API, for reading and writing
	ReadKey     string // a key with the same secret that may only read
	Habits      Habits
	Now         func() time.Time // nil: the real time
	Home        string           // address it believes to have; "" for that of each request

	mu         sync.Mutex
	next       int64
	products   map[int64]*product
	media      map[int64]string // addresses of fetched pictures
	common     map[int64]string // names of attributes of the whole shop
	categories map[int64]*category
	orders     map[int64]*order
	hooks      map[int64]*hook
	queue      []notification
	paidBack   int64 // cents that refunds over the API moved
	down       int   // status it answers everything with, -1 for no answer at all; 0 while it is up
	counts     map[string]int
	calls      map[string]int
	nonces     map[string]bool
	wake       chan struct{}
}

// New creates an empty shop.
func New(key, secret string) *Shop {
	return &Shop{
		Key:        key,
		Secret:     secret,
		ReadKey:    "ck_read",
		next:       10,
		products:   map[int64]*product{},
		categories: map[int64]*category{},
		orders:     map[int64]*order{},
		hooks:      map[int64]*hook{},
		counts:     map[string]int{},
		calls:      map[string]int{},
		nonces:     map[string]bool{},
		wake:       make(chan struct{}, 1),
	}
}

// Down makes the shop answer everything with a status, −1 for no answer, 0 for normal answers.
func (s *Shop) Down(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = status
}

// Calls counts requests by method and kind of address, "POST products/batch"; all of them under "".
func (s *Shop) Calls() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.calls)
}

func (s *Shop) now() time.Time {
	if s.Now != nil {
		return s.Now().UTC().Truncate(time.Second)
	}
	return time.Now().UTC().Truncate(time.Second)
}

func (s *Shop) id() int64 { s.next++; return s.next }

// every reports whether this is the nth of its kind.
func (s *Shop) every(n int, kind string) bool {
	if n == 0 {
		return false
	}
	s.counts[kind]++
	return s.counts[kind]%n == 0
}

// answer is what a request is answered with.
type answer struct {
	status int
	body   any
	header map[string]string
}

func good(status int, body any) answer { return answer{status: status, body: body} }

func bad(status int, code, message string) answer {
	return answer{status: status, body: map[string]any{"code": code, "message": message, "data": map[string]any{"status": status}}}
}

// request is a request that was let in.
type request struct {
	method string
	path   []string // below /wc/v3
	query  url.Values
	body   map[string]any
	home   string
}

// ServeHTTP answers like the shop's REST interface.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var content json.RawMessage
	_ = json.NewDecoder(http.MaxBytesReader(w, r.Body, 32<<20)).Decode(&content)
	w.Header().Set("Date", s.now().Format(http.TimeFormat))
	if s.unserved(w, r) {
		return
	}
	if s.Habits.Plain {
		servePlain(w, r)
		return
	}
	write := r.Method != http.MethodGet
	s.mu.Lock()
	out := s.serve(r, content)
	broken := write && out.status < 300 && s.every(s.Habits.FailAfterWrite, "500")
	lost := write && out.status < 300 && !broken && s.every(s.Habits.LoseAnswer, "lost")
	warn := !write && s.every(s.Habits.Warn, "warn")
	s.mu.Unlock()
	switch {
	case broken:
		out = answer{status: 500, body: map[string]any{"code": "internal_server_error",
			"message": "<p>There has been a critical error on this website.</p>", "data": map[string]any{"status": 500,
				"error": map[string]any{"message": "Uncaught Error in /var/www/x.php:9\nStack trace: #0 {main}"}}}}
	case lost:
		panic(http.ErrAbortHandler)
	}
	before := ""
	if warn {
		before = "<br />\n<b>Warning</b>:  Undefined array key [3] in <b>/var/www/x.php</b> on line <b>12</b><br />\n"
	}
	reply(w, out, before)
}

// servePlain answers like a site with plain permalinks: WooCommerce takes whoever asks by rest_route for a stranger,
// whatever key comes.
func servePlain(w http.ResponseWriter, r *http.Request) {
	route := r.URL.Query().Get("rest_route")
	switch {
	case route == "" || r.URL.Path != "/":
		http.NotFound(w, r)
	case strings.Trim(route, "/") == "wc/v3":
		reply(w, good(200, map[string]any{"namespace": "wc/v3", "routes": map[string]any{}}), "")
	case strings.HasPrefix(route, "/wc/"):
		reply(w, bad(401, "woocommerce_rest_cannot_view", "Sorry, you cannot list resources."), "")
	default:
		reply(w, bad(404, "rest_no_route", "No route was found matching the URL and request method."), "")
	}
}

// unserved answers a request that does not reach the shop, and reports whether it is one.
func (s *Shop) unserved(w http.ResponseWriter, r *http.Request) bool {
	s.mu.Lock()
	down, hang := s.down, s.every(s.Habits.Hang, "hang")
	tooMany := !hang && s.every(s.Habits.TooMany, "429")
	s.mu.Unlock()
	switch {
	case down == -1:
		panic(http.ErrAbortHandler)
	case hang:
		<-r.Context().Done()
		return true
	case down == http.StatusServiceUnavailable:
		out := bad(down, "wp_die", "Briefly unavailable for scheduled maintenance. Check back in a minute.")
		out.header = map[string]string{"Retry-After": "2"}
		reply(w, out, "")
		return true
	case down != 0:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(down)
		fmt.Fprintf(w, "<html><head><title>%[1]d</title></head><body><center><h1>%[1]d %[2]s</h1></center></body></html>", down,
			http.StatusText(down))
		return true
	case tooMany:
		reply(w, answer{429, map[string]any{"code": "too_many_requests", "message": "slow down"}, map[string]string{"Retry-After": "1"}}, "")
		return true
	}
	select {
	case <-r.Context().Done():
		return true
	case <-time.After(s.Habits.Slow):
		return false
	}
}

func reply(w http.ResponseWriter, out answer, before string) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	for name, value := range out.header {
		w.Header().Set(name, value)
	}
	text, err := json.Marshal(out.body)
	if err != nil {
		panic(err)
	}
	w.WriteHeader(out.status)
	_, _ = w.Write(append([]byte(before), text...))
}

// serve answers a request of a shop that is up.
func (s *Shop) serve(r *http.Request, content json.RawMessage) answer {
	path, ok := strings.CutPrefix(r.URL.Path, "/wp-json")
	if !ok {
		return bad(404, "", "")
	}
	s.calls[""]++
	if strings.Trim(path, "/") == "" {
		return good(200, map[string]any{"name": "Mug Shop", "url": "http://" + r.Host, "timezone_string": "Europe/Berlin", "gmt_offset": 1})
	}
	path, ok = strings.CutPrefix(path, "/wc/v3/")
	if !ok {
		return bad(404, "rest_no_route", "No route was found matching the URL and request method.")
	}
	if refused := s.authenticate(r); refused != nil {
		return *refused
	}
	q := request{method: r.Method, path: strings.Split(strings.Trim(path, "/"), "/"), query: r.URL.Query(), home: "http://" + r.Host}
	if s.Home != "" {
		q.home = s.Home
	}
	s.calls[r.Method+" "+kind(q.path)]++
	if len(content) > 0 && json.Unmarshal(content, &q.body) != nil {
		return bad(400, "rest_invalid_json", "Invalid JSON body passed.")
	}
	switch q.path[0] {
	case "products":
		return s.serveProducts(q)
	case "orders":
		return s.serveOrders(q)
	case "webhooks":
		return s.serveWebhooks(q)
	case "system_status":
		return good(
			200,
			map[string]any{
				"environment": map[string]any{"home_url": q.home, "version": "11.0.1"},
				"settings":    map[string]any{"currency": "EUR"},
			},
		)
	case "settings":
		if q.path[len(q.path)-1] == "woocommerce_weight_unit" {
			return good(200, map[string]any{"id": "woocommerce_weight_unit", "value": "g"})
		}
		return good(200, map[string]any{"id": "woocommerce_prices_include_tax", "value": "yes"})
	}
	return bad(404, "rest_no_route", "No route was found matching the URL and request method.")
}

// kind returns an address without its numbers.
func kind(path []string) string {
	out := slices.Clone(path)
	for i, p := range out {
		if _, err := strconv.ParseInt(p, 10, 64); err == nil {
			out[i] = "N"
		}
	}
	return strings.Join(out, "/")
}

// authenticate returns nil for a request that may do what it asks for.
func (s *Shop) authenticate(r *http.Request) *answer {
	refuse := func(code, message string) *answer { a := bad(401, code, message); return &a }
	key, secret, ok := r.BasicAuth()
	if s.Habits.Signed || s.Habits.StripHeader {
		key, secret, ok = "", "", false
	}
	query := r.URL.Query()
	if !ok && !s.Habits.Signed && query.Get("consumer_key") != "" {
		key, secret, ok = query.Get("consumer_key"), query.Get("consumer_secret"), true
	}
	if !ok && query.Get("oauth_signature") != "" {
		if problem := s.signed(r); problem != "" {
			return refuse("woocommerce_rest_authentication_error", problem)
		}
		key, secret, ok = query.Get("oauth_consumer_key"), s.Secret, true
	}
	switch {
	case !ok:
		return refuse("woocommerce_rest_cannot_view", "Sorry, you cannot list resources.")
	case key != s.Key && key != s.ReadKey:
		return refuse("woocommerce_rest_authentication_error", "Consumer key is invalid.")
	case secret != s.Secret:
		return refuse("woocommerce_rest_authentication_error", "Consumer secret is invalid.")
	case key == s.ReadKey && r.Method != http.MethodGet:
		return refuse("woocommerce_rest_authentication_error", "The API key provided does not have write permissions.")
	}
	return nil
}

// signed checks a one-legged OAuth 1.0a signature; "" when it is good.
func (s *Shop) signed(r *http.Request) string {
	query := r.URL.Query()
	given := query.Get("oauth_signature")
	query.Del("oauth_signature")
	escape := func(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }
	var pairs []string
	for name, values := range query {
		for _, v := range values {
			pairs = append(pairs, escape(name)+"="+escape(v))
		}
	}
	slices.Sort(pairs)
	base := r.Method + "&" + escape("http://"+r.Host+r.URL.Path) + "&" + escape(strings.Join(pairs, "&"))
	if base64.StdEncoding.EncodeToString(fakeshop.MAC(s.Secret+"&", []byte(base))) != given {
		return "Invalid signature - provided signature does not match."
	}
	at, _ := strconv.ParseInt(query.Get("oauth_timestamp"), 10, 64)
	if off := s.now().Sub(time.Unix(at, 0)); off > 15*time.Minute || off < -15*time.Minute {
		return "Invalid timestamp."
	}
	if s.nonces[query.Get("oauth_nonce")] {
		return "Invalid nonce - nonce has already been used."
	}
	s.nonces[query.Get("oauth_nonce")] = true
	return ""
}

// page cuts a list as the query says. Entries are shown with the fields asked for, and those that show nothing are
// left out.
func page[T any](q request, list []T, show func(T) map[string]any) answer {
	number := func(name string, standard int) int {
		if n, err := strconv.Atoi(q.query.Get(name)); err == nil {
			return n
		}
		return standard
	}
	per, at := number("per_page", 10), max(1, number("page", 1))
	if per < 1 || per > 100 {
		return bad(400, "rest_invalid_param", "Invalid parameter(s): per_page")
	}
	total := len(list)
	from := min((at-1)*per, total)
	list = list[from:min(from+per, total)]
	out := []map[string]any{}
	for _, entry := range list {
		if shown := show(entry); shown != nil {
			out = append(out, fields(q, shown))
		}
	}
	return answer{200, out, map[string]string{"X-WP-Total": strconv.Itoa(total), "X-WP-TotalPages": strconv.Itoa((total + per - 1) / per)}}
}

func fields(q request, entry map[string]any) map[string]any {
	wanted := q.query.Get("_fields")
	if wanted == "" {
		return entry
	}
	out := map[string]any{}
	for name := range strings.SplitSeq(wanted, ",") {
		if v, ok := entry[name]; ok {
			out[name] = v
		}
	}
	return out
}

// Values of a body.
func text(body map[string]any, name string) (string, bool) {
	switch v := body[name].(type) {
	case string:
		return v, true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	}
	return "", false
}

func whole(body map[string]any, name string) (int64, bool) {
	switch v := body[name].(type) {
	case float64:
		return int64(v), v == float64(int64(v))
	case string:
		n, err := strconv.ParseInt(v, 10, 64)
		return n, err == nil
	}
	return 0, false
}

func objects(body map[string]any, name string) (out []map[string]any) {
	list, _ := body[name].([]any)
	for _, v := range list {
		if o, ok := v.(map[string]any); ok {
			out = append(out, o)
		}
	}
	return out
}

const gmt = "2006-01-02T15:04:05"
