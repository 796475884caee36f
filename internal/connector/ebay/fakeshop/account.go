// Package fakeshop is a seller account with the part of eBay's Sell APIs that the connector uses, in memory: for
// tests, and for integrators who have no account at hand. It keeps eBay's habits: items are replaced whole, a SKU has
// one offer, requests about many SKUs answer each on its own, access tokens end, a parcel that is posted twice is two
// parcels, and writes need a language.
package fakeshop

import (
	"crypto/ecdsa"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"entrepot/internal/connector/connectortest/fakeshop"
)

// ClientID, ClientSecret and RefreshToken are good for access tokens.
const (
	ClientID     = "app"
	ClientSecret = "cert"
	RefreshToken = "refresh"
)

// Faults are errors in addition to eBay's habits; each counts requests, and happens at every n-th of them. 0: never.
type Faults struct {
	LoseAnswer int  // it does what was asked, and the connection ends without an answer
	Broken     int  // it answers 500 and does nothing
	Partial    int  // an entry of a request about several is answered 500, and not done; counts entries
	Challenge  bool // a new destination must answer the challenge, else it is refused
	Missing400 bool // what is not there is answered 400 with a code that says so, as eBay documents beside 404
	Reticent   bool // items do not say to which group they belong
	Single     bool // an offer of a group of variants may end alone
	NoAlerts   bool // nobody has entered whom to tell that notifications do not arrive
}

// Quota is how many requests of an API are taken of the application in a day.
type Quota struct{ Limit, Used int64 }

type object = map[string]any

// Account is a fake seller account; safe for concurrent use. It is an http.Handler for all hosts of eBay.
type Account struct {
	Faults Faults
	Now    func() time.Time

	Notices *fakeshop.Outbox
	Quotas  map[string]Quota // by API: inventory, fulfillment; requests beyond are refused until the next day

	mu       sync.Mutex
	pair     *ecdsa.PrivateKey
	mux      *http.ServeMux
	requests int
	parts    int // entries of requests about several
	next     int
	tokens   map[string]time.Time // access tokens, and when each ends: a new one leaves those before as they are
	items    map[string]object
	groups   map[string]object
	offers   map[string]*offer
	orders   []*order
	places   []object // destinations
	topics   []object // subscriptions

	day       string         // to which the counts of revisions belong
	revisions map[string]int // by listing
}

type offer struct {
	id, sku, status, listing, price string
	ended                           string // how the listing stands, if it has ended and the offer is published still
	held                            bool   // eBay keeps buyers from it
	text                            string // what buyers read
	quantity                        int64
	body                            object // as it was sent
}

type order struct {
	id, payment string
	buyer       string
	email       string
	abroad      string
	market      string
	asked       string // the id of the buyer's request to cancel it
	created     time.Time
	modified    time.Time
	cancelled   bool
	lines       []line
	parcels     []object
	refunds     []object
	shipped     map[string]int64
	discount    int64
	kept        int64
}

type line struct {
	id, sku  string
	quantity int64
	cents    int64
	refunds  []object
}

// New creates an account that has policies and a location, and nothing to sell.
func New() *Account {
	a := &Account{Now: time.Now, Notices: fakeshop.NewOutbox(3), pair: newPair(), mux: http.NewServeMux(),
		tokens: map[string]time.Time{}, items: map[string]object{}, groups: map[string]object{}, offers: map[string]*offer{},
		Quotas: map[string]Quota{}}
	for pattern, serve := range map[string]func(*http.Request, object) (int, any){
		"GET /commerce/identity/v1/user/":                                       a.user,
		"GET /sell/account/v1/{policy}":                                         a.policy,
		"GET /sell/inventory/v1/location":                                       a.location,
		"GET /sell/inventory/v1/inventory_item/{sku}":                           a.oneItem,
		"DELETE /sell/inventory/v1/inventory_item/{sku}":                        a.dropItem,
		"PUT /sell/inventory/v1/inventory_item_group/{key}":                     a.putGroup,
		"DELETE /sell/inventory/v1/inventory_item_group/{key}":                  a.dropGroup,
		"GET /sell/inventory/v1/offer":                                          a.findOffer,
		"POST /sell/inventory/v1/bulk_create_or_replace_inventory_item":         a.many(a.putItem),
		"POST /sell/inventory/v1/bulk_create_offer":                             a.many(a.addOffer),
		"POST /sell/inventory/v1/bulk_publish_offer":                            a.many(a.publish),
		"PUT /sell/inventory/v1/offer/{id}":                                     a.changeOffer,
		"POST /sell/inventory/v1/offer/{id}/withdraw":                           a.withdraw,
		"POST /sell/inventory/v1/offer/{action}":                                a.publishGroup,
		"POST /sell/inventory/v1/bulk_update_price_quantity":                    a.many(a.update),
		"POST /sell/inventory/v1/bulk_get_inventory_item":                       a.many(a.item),
		"GET /commerce/taxonomy/v1/get_default_category_tree_id":                a.tree,
		"GET /commerce/taxonomy/v1/category_tree/{id}/get_category_suggestions": a.suggest,
		"GET /sell/fulfillment/v1/order":                                        a.list,
		"GET /sell/fulfillment/v1/order/{id}":                                   a.order,
		"GET /sell/fulfillment/v1/order/{id}/shipping_fulfillment":              a.parcels,
		"POST /sell/fulfillment/v1/order/{id}/shipping_fulfillment":             a.ship,
		"POST /post-order/v2/cancellation":                                      a.cancel,
		"POST /post-order/v2/cancellation/{id}/approve":                         a.approve,
		"GET /commerce/notification/v1/config":                                  a.config,
		"PUT /commerce/notification/v1/config":                                  a.config,
		"GET /commerce/notification/v1/{kind}":                                  a.notifications,
		"POST /commerce/notification/v1/{kind}":                                 a.addNotification,
		"PUT /commerce/notification/v1/destination/{id}":                        a.enable,
		"POST /commerce/notification/v1/subscription/{id}/enable":               a.enable,
		"PUT /commerce/notification/v1/subscription/{id}":                       a.move,
		"DELETE /commerce/notification/v1/{kind}/{id}":                          a.dropNotification,
	} {
		a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { a.serve(w, r, serve) })
	}
	a.mux.HandleFunc("GET /commerce/notification/v1/public_key/{kid}", a.publicKey)
	a.mux.HandleFunc("GET /developer/analytics/v1_beta/rate_limit/", a.rates)
	return a
}

// ServeHTTP answers the API and issues tokens.
func (a *Account) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w.Header().Set("Date", a.Now().UTC().Format(http.TimeFormat))
	if r.URL.Path != "/identity/v1/oauth2/token" {
		a.mux.ServeHTTP(w, r)
		return
	}
	id, secret, _ := r.BasicAuth()
	if id == ClientID && secret == ClientSecret && r.FormValue("grant_type") == "client_credentials" {
		a.issue(w, "app ", "Application Access Token")
		return
	}
	if id != ClientID || secret != ClientSecret || r.FormValue("refresh_token") != RefreshToken {
		fakeshop.JSON(w, http.StatusBadRequest, object{"error": "invalid_grant"})
		return
	}
	a.issue(w, "token ", "User Access Token")
}

// issue answers with a new access token.
func (a *Account) issue(w http.ResponseWriter, prefix, kind string) {
	const life = 2 * time.Hour
	token := prefix + a.id()
	a.tokens[token] = a.Now().Add(life)
	fakeshop.JSON(w, http.StatusOK, object{"access_token": token, "expires_in": int(life.Seconds()), "token_type": kind})
}

// authorized reports whether a request has a token that has not ended.
func (a *Account) authorized(r *http.Request) bool {
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ") // behind Bearer, or IAF
	return a.Now().Before(a.tokens[token])
}

func (a *Account) id() string {
	a.next++
	return strconv.Itoa(100000 + a.next)
}

// Expire ends every access token of the seller.
func (a *Account) Expire() {
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.DeleteFunc(a.tokens, func(token string, _ time.Time) bool { return strings.HasPrefix(token, "token ") })
}

// Spend uses requests of an API's quota, as other programs of the application do.
func (a *Account) Spend(api string, limit, used int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.Quotas[api] = Quota{limit, used}
}

// rates says what is left of the quotas, which begin anew at midnight.
func (a *Account) rates(w http.ResponseWriter, r *http.Request) {
	if !asApp(r) || !a.authorized(r) {
		fakeshop.JSON(w, http.StatusUnauthorized, problem(1001, "Invalid access token"))
		return
	}
	list := []object{}
	for api, q := range a.Quotas {
		list = append(list, object{"apiContext": "sell", "apiName": strings.ToUpper(api[:1]) + api[1:], "apiVersion": "v1",
			"resources": []object{{"name": "sell." + api, "rates": []object{{"limit": q.Limit, "remaining": max(0, q.Limit-q.Used),
				"reset": stamp(a.Now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)), "timeWindow": 86400}}}}})
	}
	fakeshop.JSON(w, http.StatusOK, object{"rateLimits": list})
}

// over counts a request, and reports whether it is beyond its API's quota.
func (a *Account) over(r *http.Request) bool {
	for api, q := range a.Quotas {
		if strings.HasPrefix(r.URL.Path, "/sell/"+api+"/") {
			q.Used++
			a.Quotas[api] = q
			return q.Used > q.Limit
		}
	}
	return false
}

func (a *Account) serve(w http.ResponseWriter, r *http.Request, serve func(*http.Request, object) (int, any)) {
	a.requests++
	if a.over(r) {
		fakeshop.JSON(w, http.StatusTooManyRequests, problem(2001, "Too many requests."))
		return
	}
	const notifying = "/commerce/notification/v1/"
	switch {
	case asApp(r) && a.authorized(r) && strings.HasPrefix(r.URL.Path, notifying):
	case asApp(r) || !a.authorized(r):
		fakeshop.JSON(w, http.StatusUnauthorized, problem(1001, "Invalid access token"))
		return
	case strings.HasPrefix(r.URL.Path, notifying) && !strings.HasPrefix(r.URL.Path, notifying+"subscription"):
		fakeshop.JSON(w, http.StatusForbidden, problem(1100, "Access denied"))
		return
	}
	if fakeshop.Nth(a.Faults.Broken, a.requests) {
		fakeshop.JSON(w, http.StatusInternalServerError, problem(25001, "A system error has occurred."))
		return
	}
	body := object{}
	if r.Method == http.MethodPut || r.Method == http.MethodPost {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.Header.Get("Content-Language") == "" {
			fakeshop.JSON(w, http.StatusBadRequest, problem(25709, "Invalid value for header Content-Language."))
			return
		}
	}
	status, out := serve(r, body)
	if status == http.StatusNotFound && a.Faults.Missing400 {
		status = http.StatusBadRequest
	}
	if fakeshop.Nth(a.Faults.LoseAnswer, a.requests) {
		fakeshop.HangUp(w)
		return
	}
	if o, ok := out.(object); ok && o["Location"] != nil {
		w.Header().Set("Location", fmt.Sprint(o["Location"]))
		out = nil
	}
	fakeshop.JSON(w, status, out)
}

func problem(id int, message string) object {
	return object{"errors": []object{{"errorId": id, "domain": "API", "message": message}}}
}

func (a *Account) user(*http.Request, object) (int, any) {
	return http.StatusOK, object{"userId": SellerUserID, "username": "fake-seller", "registrationMarketplaceId": "EBAY_DE"}
}

func (a *Account) policy(r *http.Request, _ object) (int, any) {
	kind := r.PathValue("policy")
	name := map[string]string{"fulfillment_policy": "fulfillment", "payment_policy": "payment", "return_policy": "return"}[kind]
	return http.StatusOK, object{"total": 1, name + "Policies": []object{{name + "PolicyId": "policy " + name}}}
}

func (a *Account) location(*http.Request, object) (int, any) {
	return http.StatusOK, object{"locations": []object{{"merchantLocationKey": "main", "merchantLocationStatus": "ENABLED"}}}
}

func (a *Account) tree(*http.Request, object) (int, any) {
	return http.StatusOK, object{"categoryTreeId": "77"}
}

func (a *Account) suggest(*http.Request, object) (int, any) {
	return http.StatusOK, object{"categorySuggestions": []object{{"category": object{"categoryId": "15687"}}}}
}

// asApp reports whether a request has a token of the application, and not of the seller.
func asApp(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Authorization"), "Bearer app ")
}

// ofApp reports whether a topic is subscribed to by the application; others are by the seller.
func ofApp(topic any) bool {
	return topic == "MARKETPLACE_ACCOUNT_DELETION" || topic == "AUTHORIZATION_REVOCATION"
}

// config has whom eBay alerts when notifications do not arrive.
func (a *Account) config(r *http.Request, body object) (int, any) {
	switch {
	case r.Method == http.MethodPut && body["alertEmail"] != nil:
		a.Faults.NoAlerts = false
		return http.StatusNoContent, nil
	case a.Faults.NoAlerts:
		return http.StatusNotFound, problem(195026, "Configuration Not Found.")
	}
	return http.StatusOK, object{"alertEmail": "alerts@example.com"}
}

func (a *Account) notifications(r *http.Request, _ object) (int, any) {
	if limit, err := strconv.Atoi(r.URL.Query().Get("limit")); err != nil || limit < 10 || limit > 100 {
		return http.StatusBadRequest, problem(195004, "Invalid limit. Supported ranges 10 - 100.")
	}
	if r.PathValue("kind") == "destination" {
		return http.StatusOK, object{"destinations": a.places}
	}
	list := []object{}
	for _, sub := range a.topics {
		if ofApp(sub["topicId"]) == asApp(r) {
			list = append(list, sub)
		}
	}
	return http.StatusOK, object{"subscriptions": list}
}

func (a *Account) addNotification(r *http.Request, body object) (int, any) {
	id := a.id()
	if a.Faults.NoAlerts {
		return http.StatusConflict, problem(195003, "Please provide configurations required for notifications. Refer to /config")
	}
	if r.PathValue("kind") == "destination" {
		if a.Faults.Challenge && !proves(r.Context(), body) {
			return http.StatusBadRequest, problem(195003, "The challenge to the endpoint failed.")
		}
		body["destinationId"] = id
		a.places = append(a.places, body)
	} else {
		if body["topicId"] == "ITEM_MARKED_SHIPPED" || ofApp(body["topicId"]) != asApp(r) {
			return http.StatusForbidden, problem(195011, "Not authorized for this topic.")
		}
		for _, sub := range a.topics {
			if sub["topicId"] == body["topicId"] {
				return http.StatusConflict, problem(195012, "Subscription already exists")
			}
		}
		body["subscriptionId"] = id
		a.topics = append(a.topics, body)
	}
	return http.StatusCreated, object{"Location": "https://api.ebay.com" + r.URL.Path + "/" + id}
}

func (a *Account) enable(r *http.Request, _ object) (int, any) {
	for _, one := range append(append([]object{}, a.places...), a.topics...) {
		if one["destinationId"] == r.PathValue("id") && one["subscriptionId"] == nil || one["subscriptionId"] == r.PathValue("id") {
			one["status"] = "ENABLED"
		}
	}
	return http.StatusNoContent, nil
}

// move sends a topic to another destination.
func (a *Account) move(r *http.Request, body object) (int, any) {
	for _, sub := range a.topics {
		if sub["subscriptionId"] == r.PathValue("id") {
			sub["destinationId"], sub["status"] = body["destinationId"], body["status"]
			return http.StatusNoContent, nil
		}
	}
	return http.StatusNotFound, problem(195013, "Invalid subscription Id.")
}

func (a *Account) dropNotification(r *http.Request, _ object) (int, any) {
	keep := func(list []object, key string) (left []object) {
		for _, one := range list {
			if one[key] != r.PathValue("id") {
				left = append(left, one)
			}
		}
		return left
	}
	if r.PathValue("kind") == "destination" {
		a.places = keep(a.places, "destinationId")
	} else {
		a.topics = keep(a.topics, "subscriptionId")
	}
	return http.StatusNoContent, nil
}

// MarkDown makes eBay disable the destination, as it does when nothing answers there.
func (a *Account) MarkDown() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, d := range a.places {
		d["status"] = "MARKED_DOWN"
	}
}

// Subscriptions returns how many topics are sent to how many destinations that work.
func (a *Account) Subscriptions() (topics, destinations int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, d := range a.places {
		if d["status"] == "ENABLED" {
			destinations++
		}
	}
	return len(a.topics), destinations
}

// Notified returns the subscriptions that have a destination which works, each a topic and an address.
func (a *Account) Notified() (list []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, sub := range a.topics {
		for _, place := range a.places {
			if place["destinationId"] == sub["destinationId"] && place["status"] == "ENABLED" && sub["status"] == "ENABLED" {
				config, _ := place["deliveryConfig"].(object)
				list = append(list, fmt.Sprint(sub["topicId"], " ", config["endpoint"]))
			}
		}
	}
	return list
}
