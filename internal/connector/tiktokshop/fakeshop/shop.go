// Package fakeshop is a shop with the part of TikTok Shop's Open API that the connector uses, in memory: for tests,
// and for integrators who have no shop at hand. It keeps the habits of the real one: every request is signed over its
// very bytes and within five minutes, a shop's cipher is demanded or refused, refusals come inside answers with
// status 200, tokens rotate, lists begin with the newest, an order has one line for each piece and no address before
// it is paid, products are audited, and a product that is changed whole loses what is left out.
package fakeshop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"entrepot/internal/connector/connectortest/fakeshop"
)

// The credentials and ids that a new shop has.
const (
	AppKey       = "fakeapp"
	AppSecret    = "fakesecret"
	Cipher       = "FAKE_cipher"
	ShopID       = "7490000000000000007"
	AccessToken  = "access-0"
	RefreshToken = "refresh-0"
	Warehouse    = "7000000000000000001"
	Other        = "7000000000000000002" // a second warehouse to sell from
	TikToks      = "7000000000000000009" // a warehouse of TikTok, from which it ships for the shop
)

// Faults are errors in addition to the platform's habits; a number n shows at every n-th request. 0: never.
type Faults struct {
	LoseAnswer int           // it does what was asked, and the connection ends without an answer
	Broken     int           // it does what was asked, and answers 500 with an internal error
	Throttle   int           // it answers 429 and does nothing
	HTML       int           // a proxy answers with a page of HTML
	Hang       int           // it never answers
	Slow       time.Duration // each answer takes that long
	Nameless   bool          // refusals of SKUs do not name them
	ListsAll   bool          // TikTok's warehouse is in the list of the shop's
	Unfound    bool          // a search of products finds none, as one that is behind
}

type object = map[string]any

// Shop is a fake shop; safe for concurrent use. It is an http.Handler for the hosts of the API and of its tokens.
type Shop struct {
	Faults   Faults
	Now      func() time.Time
	Region   string            // "DE" in a new shop
	Audit    time.Duration     // how long a product is audited
	Refuses  string            // an audit refuses products with this word in their title
	Relative bool              // it says for how long tokens are good, and not until when
	NoScope  string            // the app lacks the scope of paths that begin so
	Demands  Category          // what the category that is recommended demands
	Brands   map[string]string // ids of the brands that it knows, by name

	Notices *fakeshop.Outbox

	mu       sync.Mutex
	mux      *http.ServeMux
	requests int
	next     int64
	access   string
	refresh  string
	renewed  int
	ends     time.Time // of the access token; zero: not by itself
	ended    int       // requests with a token that had ended
	hooks    map[string]string
	products []*product
	hanging  func()            // what the next request that is let in calls before it hangs; nil: it does not
	made     map[string]object // answers by idempotency key
	pictures []string          // what was uploaded behind the signature of its format; the place is that of the name, less one
	orders   []*order
	reversed []*reversal
	calls    map[string]int
}

// New creates a shop with two warehouses and nothing to sell.
func New() *Shop {
	s := &Shop{Now: time.Now, Region: "DE", mux: http.NewServeMux(), access: AccessToken, refresh: RefreshToken, hooks: map[string]string{},
		made: map[string]object{}, calls: map[string]int{}, Notices: fakeshop.NewOutbox(mostTries)}
	for pattern, serve := range map[string]func(call) reply{
		"GET /authorization/202309/shops":                                s.shops,
		"GET /logistics/202309/warehouses":                               s.warehouses,
		"GET /logistics/202309/delivery_options/{id}/shipping_providers": s.carriers,
		"GET /event/202309/webhooks":                                     s.listHooks,
		"PUT /event/202309/webhooks":                                     s.putHook,
		"DELETE /event/202309/webhooks":                                  s.dropHook,
		"POST /order/202309/orders/search":                               s.searchOrders,
		"GET /order/202507/orders":                                       s.namedOrders,
		"POST /fulfillment/202309/packages/{id}/ship":                    s.ship,
		"POST /fulfillment/202309/packages/{id}/shipping_info/update":    s.renumber,
		"POST /fulfillment/202309/orders/{id}/packages":                  s.shipPart,
		"POST /fulfillment/202309/orders/{id}/split":                     s.split,
		"POST /return_refund/202309/cancellations":                       s.cancel,
		"POST /return_refund/202309/cancellations/{id}/approve":          s.approve,
		"POST /return_refund/202309/{kind}/search":                       s.searchReversed,
		"POST /product/202309/products":                                  s.create,
		"PUT /product/202509/products/{id}":                              s.edit,
		"GET /product/202309/products/{id}":                              s.show,
		"POST /product/202502/products/search":                           s.searchProducts,
		"POST /product/202309/products/{action}":                         s.turn,
		"DELETE /product/202309/products":                                s.remove,
		"POST /product/202309/products/{id}/inventory/update":            s.setStock,
		"POST /product/202309/products/{id}/prices/update":               s.setPrices,
		"POST /product/202309/inventory/search":                          s.inventory,
		"POST /product/202309/categories/recommend":                      s.recommend,
		"GET /product/202309/categories/{id}/attributes":                 s.categoryAttributes,
		"GET /product/202309/categories/{id}/rules":                      s.categoryRules,
		"GET /product/202309/brands":                                     s.brands,
		"POST /product/202309/images/upload":                             s.upload,
	} {
		s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, serve) })
	}
	return s
}

// call is a request that was let in.
type call struct {
	*http.Request
	body object
}

func (c call) list(name string) []any { list, _ := c.body[name].([]any); return list }

func (c call) texts(name string) (list []string) {
	for _, v := range c.list(name) {
		list = append(list, fmt.Sprint(v))
	}
	return list
}

// reply is an answer: a code other than 0 refuses.
type reply struct {
	code    int
	message string
	data    any
	status  int // 0 for 200
}

func good(data any) reply { return reply{data: data} }

func refused(code int, message string) reply { return reply{code: code, message: message} }

// ServeHTTP answers the API and issues tokens.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Date", s.Now().UTC().Format(http.TimeFormat))
	if r.URL.Path == "/api/v2/token/refresh" {
		s.mu.Lock()
		out := s.tokens(r.URL.Query())
		s.mu.Unlock()
		answer(w, out)
		return
	}
	s.mux.ServeHTTP(w, r)
}

func (s *Shop) serve(w http.ResponseWriter, r *http.Request, serve func(call) reply) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, 20<<20))
	if err != nil {
		return
	}
	if s.Faults.Slow > 0 {
		time.Sleep(s.Faults.Slow)
	}
	s.mu.Lock()
	s.requests++
	s.calls[r.Method+" "+r.URL.Path]++
	n, f := s.requests, s.Faults
	due := func(every int) bool { return fakeshop.Nth(every, n) }
	var out reply
	hang := due(f.Hang)
	switch refusal := s.refusal(r, raw); {
	case hang, due(f.HTML):
	case due(f.Throttle):
		out = reply{status: http.StatusTooManyRequests, code: 36009002, message: "Too many requests"}
	case refusal.code != 0:
		out = refusal
	case s.hanging != nil:
		hang = true
		s.hanging()
		s.hanging = nil
	default:
		in := call{Request: r, body: object{}}
		if !strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") && len(raw) > 0 {
			decoder := json.NewDecoder(bytes.NewReader(raw))
			decoder.UseNumber()
			_ = decoder.Decode(&in.body)
		}
		r.Body = io.NopCloser(bytes.NewReader(raw))
		out = serve(in)
	}
	s.mu.Unlock()
	switch {
	case hang:
		<-r.Context().Done()
	case due(f.HTML):
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, "<html><h1>Bad Gateway</h1></html>")
	case due(f.LoseAnswer):
		fakeshop.HangUp(w)
	case due(f.Broken):
		answer(w, reply{status: http.StatusInternalServerError, code: 36009003, message: "Internal error, please try again later"})
	default:
		answer(w, out)
	}
}

func answer(w http.ResponseWriter, out reply) {
	w.Header().Set("Content-Type", "application/json")
	if out.status != 0 {
		w.WriteHeader(out.status)
	}
	message := out.message
	if message == "" {
		message = "Success"
	}
	_ = json.NewEncoder(w).Encode(object{"code": out.code, "message": message, "request_id": "1", "data": out.data})
}

func (s *Shop) id() string {
	s.next++
	return strconv.FormatInt(576_000_000_000_000_000+s.next, 10)
}

// HangOnce has the next request that is let in never answered; it calls reached when that request is there.
func (s *Shop) HangOnce(reached func()) { s.change(func() { s.hanging = reached }) }

func (s *Shop) change(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

// Calls returns how many requests were sent; of those to a path that contains a text.
func (s *Shop) Calls(path string) (n int) {
	s.change(func() {
		for at, times := range s.calls {
			if strings.Contains(at, path) {
				n += times
			}
		}
	})
	return n
}
