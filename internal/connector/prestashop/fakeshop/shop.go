// Package fakeshop is a shop with PrestaShop's web service, in memory: for tests, and for integrators who have no
// shop at hand. It keeps the habits of a real one, also where they hurt: references may stand twice, a stock row
// comes with its product and cannot be made, a name that is not sent in every language is blank in the others, unpaid
// orders take no stock, and nothing can be done in one step.
package fakeshop

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"entrepot/internal/connector/connectortest/fakeshop"
)

// Key is the key of the web service of a new shop: it may do everything.
const Key = "FAKESHOPFAKESHOPFAKESHOPFAKESHOP"

// Faults are errors in addition to the shop's habits; each counts requests that write, and happens at every n-th of
// them. 0: never.
type Faults struct {
	LoseAnswer  int  // it writes, and the connection ends without an answer
	WriteAnd500 int  // it writes, and answers 500 without a document
	Busy        int  // it answers 503 with Retry-After: 1 and writes nothing; reads count, too
	Warnings    bool // PHP prints a warning before each document, and a line of unclosed markup behind it
}

// Shop is a fake shop; safe for concurrent use. It is an http.Handler for its address, without a folder.
type Shop struct {
	Faults Faults
	Rights map[string][]string // by resource: the methods that the key may use; nil: all of all
	Absent bool                // the shop does not have the resources of which the key may use nothing
	Off    bool                // the web service is switched off
	Old    bool                // it is of version 1.7, which knows no PATCH
	Whole  bool                // the key may change resources as a whole only: the right to PATCH is one of its own
	Now    func() time.Time
	Zone   *time.Location

	Notices *fakeshop.Outbox // of the notifying module

	mu        sync.Mutex
	hook      string // where the module sends to, "" while it is not installed
	secret    string // it signs with
	events    int
	resources map[string]*resource
	writes    int
	pictures  []string // what was uploaded behind the signature of its format; the place is the id less one
	requests  int
	shared    bool // its stock is that of several shops
}

// resource is one kind of thing.
type resource struct {
	name, kind string
	texts      []string // fields that have languages
	rows       []*row
	next       int
}

// row is one thing: its fields, its texts by language, and what hangs on it.
type row struct {
	id     string
	fields map[string]string
	texts  map[string]map[string]string
	links  map[string][]map[string]string // associations by list
}

func (r *row) get(name string) string { return r.fields[name] }

// states are those of a fresh installation.
var states = []struct {
	setting, name string
	paid, shipped bool
}{
	{"PS_OS_CHEQUE", "Awaiting check payment", false, false}, {"PS_OS_PAYMENT", "Payment accepted", true, false},
	{"PS_OS_PREPARATION", "Processing in progress", true, false}, {"PS_OS_SHIPPING", "Shipped", true, true},
	{"PS_OS_DELIVERED", "Delivered", true, true}, {"PS_OS_CANCELED", "Canceled", false, false},
	{"PS_OS_REFUND", "Refunded", false, false}, {"PS_OS_ERROR", "Payment error", false, false},
	{"PS_OS_OUTOFSTOCK_PAID", "On backorder (paid)", true, false},
	{"PS_OS_BANKWIRE", "Awaiting bank wire payment", false, false},
	{"PS_OS_WS_PAYMENT", "Remote payment accepted", true, false},
	{"PS_OS_OUTOFSTOCK_UNPAID", "On backorder (not paid)", false, false},
	{"PS_OS_COD_VALIDATION", "Awaiting Cash On Delivery validation", false, false},
}

// New creates an empty shop with two languages, in Paris.
func New() *Shop {
	zone, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		zone = time.UTC
	}
	s := &Shop{Now: time.Now, Zone: zone, Notices: fakeshop.NewOutbox(1), resources: map[string]*resource{}}
	for _, r := range []resource{
		{name: "products", kind: "product", texts: []string{"name", "description", "link_rewrite"}},
		{name: "combinations", kind: "combination"}, {name: "stock_availables", kind: "stock_available"},
		{name: "product_options", kind: "product_option", texts: []string{"name", "public_name"}},
		{name: "product_option_values", kind: "product_option_value", texts: []string{"name"}},
		{name: "categories", kind: "category", texts: []string{"name", "link_rewrite"}}, {name: "specific_prices", kind: "specific_price"},
		{name: "orders", kind: "order"}, {name: "order_details", kind: "order_detail"}, {name: "order_histories", kind: "order_history"},
		{name: "order_carriers", kind: "order_carrier"}, {name: "order_slip", kind: "order_slip"},
		{name: "carriers", kind: "carrier", texts: []string{"delay"}},
		{name: "order_states", kind: "order_state", texts: []string{"name"}}, {name: "customers", kind: "customer"},
		{name: "addresses", kind: "address"},
		{name: "countries", kind: "country"}, {name: "states", kind: "state"}, {name: "currencies", kind: "currency"},
		{name: "languages", kind: "language"}, {name: "configurations", kind: "configuration"}, {name: "images", kind: "image"},
		{name: "tax_rule_groups", kind: "tax_rule_group"},
	} {
		s.resources[r.name] = &r
	}
	s.addTaxRules("FR standard rate (20%)", true)
	s.add("languages", map[string]string{"iso_code": "en"})
	s.add("languages", map[string]string{"iso_code": "fr"})
	s.add("currencies", map[string]string{"iso_code": "EUR"})
	s.add("countries", map[string]string{"iso_code": "FR"})
	for _, name := range []string{"0", "Express & safe"} { // the first has the shop's name
		s.add("carriers", map[string]string{"name": name})
	}
	for _, setting := range [][2]string{{"PS_LANG_DEFAULT", "1"}, {"PS_CURRENCY_DEFAULT", "1"}, {"PS_TIMEZONE", zone.String()},
		{"PS_HOME_CATEGORY", "2"}} {
		s.add("configurations", map[string]string{"name": setting[0], "value": setting[1]})
	}
	for range 2 { // root and home
		s.add("categories", map[string]string{"id_parent": "1"}).texts["name"] = map[string]string{"1": "Home", "2": "Accueil"}
	}
	for _, at := range states {
		r := s.add("order_states", map[string]string{"paid": digit(at.paid), "shipped": digit(at.shipped)})
		r.texts["name"] = map[string]string{"1": at.name, "2": at.name}
		s.add("configurations", map[string]string{"name": at.setting, "value": r.id})
	}
	return s
}

func digit(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

// add puts a thing into the shop; s.mu is held, or the shop is not shared yet.
func (s *Shop) add(name string, fields map[string]string) *row {
	res := s.resources[name]
	res.next++
	r := &row{id: strconv.Itoa(res.next), fields: fields, texts: map[string]map[string]string{}, links: map[string][]map[string]string{}}
	res.rows = append(res.rows, r)
	return r
}

func (s *Shop) find(name, id string) *row {
	for _, r := range s.resources[name].rows {
		if r.id == id {
			return r
		}
	}
	return nil
}

func (s *Shop) where(name, field, value string) (list []*row) {
	for _, r := range s.resources[name].rows {
		if r.fields[field] == value {
			list = append(list, r)
		}
	}
	return list
}

// stamp is now as the shop writes it.
func (s *Shop) stamp() string { return s.Now().In(s.Zone).Format("2006-01-02 15:04:05") }

// ServeHTTP answers requests of the web service, and those for a product's page.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path, ok := strings.CutPrefix(r.URL.Path, "/api/")
	if !ok {
		http.NotFound(w, r)
		return
	}
	if s.requests++; s.unserved(w, r) {
		return
	}
	version := "8.2.0"
	if s.Old {
		version = "1.7.8.10"
	}
	w.Header().Set("PSWS-Version", version)
	w.Header().Set("Date", s.Now().UTC().Format(http.TimeFormat))
	name, id, _ := strings.Cut(path, "/")
	switch {
	case path == "":
		s.root(w)
	case s.refused(w, r.Method, name):
	case r.Method == http.MethodGet:
		s.read(w, r, s.resources[name], id)
	default:
		s.serveWrite(w, r, s.resources[name], id)
	}
}

// unserved answers a request that the shop does not let in, and reports whether it is one.
func (s *Shop) unserved(w http.ResponseWriter, r *http.Request) bool {
	if fakeshop.Nth(s.Faults.Busy, s.requests) {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "busy", http.StatusServiceUnavailable)
		return true
	}
	if s.Off {
		s.refuse(w, http.StatusServiceUnavailable, 22, "The PrestaShop webservice is disabled. Please activate it in the PrestaShop Back Office")
		return true
	}
	given := r.Header.Get("Authorization")
	if key := r.URL.Query().Get("ws_key"); given == "" && key != "" {
		given = "Basic " + base64.StdEncoding.EncodeToString([]byte(key+":"))
	}
	switch want := "Basic " + base64.StdEncoding.EncodeToString([]byte(Key+":")); given {
	case want:
		return false
	case "":
		http.Error(w, "401 Unauthorized", http.StatusUnauthorized)
	default:
		s.refuse(w, http.StatusUnauthorized, 18, "Invalid authentication key format")
	}
	return true
}

// refused answers what the key may not do with a resource, and reports whether it is so.
func (s *Shop) refused(w http.ResponseWriter, method, name string) bool {
	switch {
	case s.Absent && s.Rights[name] == nil:
		w.WriteHeader(http.StatusNotFound)
	case s.resources[name] == nil:
		s.refuse(w, http.StatusBadRequest, 27, "Resource of type \""+name+"\" does not exists")
	case s.Old && method == http.MethodPatch:
		s.refuse(w, http.StatusMethodNotAllowed, 23, "Method PATCH is not valid")
	case s.allowed(name, method):
		return false
	case !s.allowed(name, "GET"):
		s.refuse(w, http.StatusUnauthorized, 26, "Resource of type \""+name+"\" is not allowed with this authentication key")
	default:
		s.refuse(w, http.StatusMethodNotAllowed, 25, "Method "+method+" is not allowed for the resource "+name+" with this authentication key")
	}
	return true
}

// serveWrite writes, with the faults of writes.
func (s *Shop) serveWrite(w http.ResponseWriter, r *http.Request, res *resource, id string) {
	s.writes++
	lost := fakeshop.Nth(s.Faults.LoseAnswer, s.writes)
	broken := fakeshop.Nth(s.Faults.WriteAnd500, s.writes)
	out := w
	if lost || broken {
		out = nowhere{}
	}
	s.write(out, r, res, id)
	switch {
	case lost:
		fakeshop.HangUp(w)
	case broken:
		http.Error(w, "", http.StatusInternalServerError)
	}
}

// nowhere is a response writer that discards the answer.
type nowhere struct{}

func (nowhere) Header() http.Header         { return http.Header{} }
func (nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (nowhere) WriteHeader(int)             {}

func (s *Shop) allowed(name, method string) bool {
	if method == http.MethodPatch {
		if s.Whole {
			return false
		}
		method = http.MethodPut
	}
	return s.Rights == nil || slices.Contains(s.Rights[name], method)
}

func (s *Shop) root(w http.ResponseWriter) {
	var b strings.Builder
	b.WriteString(`<api shopName="Fake shop">`)
	for name := range s.resources {
		if !s.allowed(name, "GET") && !s.allowed(name, "POST") {
			continue
		}
		fmt.Fprintf(&b, `<%s xlink:href="" get="%t" put="%t" post="%t" delete="%t" head="%t"`, name, s.allowed(name, "GET"),
			s.allowed(name, "PUT"), s.allowed(name, "POST"), s.allowed(name, "DELETE"), s.allowed(name, "GET"))
		if !s.Old {
			fmt.Fprintf(&b, ` patch="%t"`, s.allowed(name, "PATCH"))
		}
		fmt.Fprintf(&b, "></%s>", name)
	}
	b.WriteString("</api>")
	s.answer(w, http.StatusOK, b.String())
}

// answer writes a document.
func (s *Shop) answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "text/xml;charset=utf-8")
	w.WriteHeader(status)
	if s.Faults.Warnings {
		fmt.Fprint(w, "<br />\n<b>Warning</b>:  Undefined array key \"x\" in <b>/var/www/modules/loud.php</b> on line <b>12</b><br />\n")
	}
	fmt.Fprint(w, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+`<prestashop xmlns:xlink="http://www.w3.org/1999/xlink">`+"\n"+body+
		"\n</prestashop>\n")
	if s.Faults.Warnings {
		fmt.Fprint(w, "<br>Deprecated: Function strftime() is deprecated in <b>/var/www/modules/loud.php</b>")
	}
}

func (s *Shop) refuse(w http.ResponseWriter, status, code int, message string) {
	s.answer(w, status, fmt.Sprintf("<errors><error><code><![CDATA[%d]]></code><message><![CDATA[%s]]></message></error></errors>", code,
		message))
}
