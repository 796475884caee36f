// Package fakeshop is a seller account with the part of Amazon's Selling Partner API that the connector uses, in
// memory: for tests, and for integrators who have no account at hand. It keeps Amazon's habits: access tokens end
// after an hour, each operation has a bucket of requests, orders are found two minutes late and without names while
// they are pending, what is accepted is not live yet, feeds take their time, documents lie at addresses that end, and
// quantities go down when something is sold.
package fakeshop

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"entrepot/internal/connector/connectortest/fakeshop"
)

// What the account answers to.
const (
	SellerID      = "A1FAKESELLER"
	MarketplaceID = "A1PA6795UKMFR9"
	ClientID      = "amzn1.application-oa2-client.fake"
	ClientSecret  = "amzn1.oa2-cs.v1.fake"
	RefreshToken  = "Atzr|fake"
)

// Faults are errors in addition to Amazon's habits. Numbers count requests to the API, and the fault happens at every
// n-th of them; 0: never.
type Faults struct {
	LoseAnswer     int           // it does what was asked, and the connection ends without an answer
	FailAfterWrite int           // it does what was asked and answers 500
	Broken         int           // it answers 500 and does nothing
	TooMany        int           // it answers 429 and does nothing
	Page           int           // a proxy answers 503 with a page of HTML
	Duplicate      bool          // a search for orders returns each twice
	Reorder        bool          // a search for orders returns the newest first
	LoseFeed       int           // of feeds: it ends as FATAL, and nothing of it is done
	Wordy          int           // spaces at the end of each warning in a feed's report
	Latin          bool          // reports about cancellations are in ISO 8859-1
	Torn           bool          // reports about cancellations end in the middle
	Slow           time.Duration // of each answer, by the clock of the machine
	Rotate         bool          // each access token comes with another refresh token, and the old one becomes invalid
	Bare           bool          // one order is answered as it is, not in a member of its own
	Sealed         bool          // one order does not say what is in its packages
	NoPersons      bool          // the app may not have names and addresses
	NoOrders       bool          // the app may not read orders
	NoListings     bool          // the app may not write listings
}

type object = map[string]any

// Account is a fake seller account; safe for concurrent use. It is an http.Handler for the API, the login and the
// documents.
type Account struct {
	Faults
	// Required are the attributes that a product type's schema asks of a whole listing, beyond those of every type.
	Required map[string][]string

	Now     func() time.Time
	Settle  time.Duration // until a listing that was accepted is live
	Working time.Duration // until a feed is done

	mu        sync.Mutex
	mux       *http.ServeMux
	requests  int
	next      int
	refresh   string
	access    map[string]time.Time // access tokens, and when each ends: a new one leaves those before as they are
	buckets   map[string]*bucket
	calls     map[string]int
	listings  map[string]*listing
	documents map[string]*document
	feeds     []*feed
	orders    []*order
	tokens    map[string]search
}

// New creates an account with nothing to sell.
func New() *Account {
	a := &Account{Now: time.Now, Settle: 2 * time.Second, Working: 3 * time.Second, mux: http.NewServeMux(), refresh: RefreshToken,
		access:  map[string]time.Time{},
		buckets: map[string]*bucket{}, calls: map[string]int{}, listings: map[string]*listing{}, documents: map[string]*document{},
		tokens: map[string]search{}}
	for pattern, op := range map[string]operation{
		"GET /sellers/v1/marketplaceParticipations":                {a.participations, "participations", 0.016, 15},
		"GET /orders/2026-01-01/orders":                            {a.search, "searchOrders", 0.0056, 20},
		"GET /orders/2026-01-01/orders/{id}":                       {a.order, "getOrder", 0.5, 30},
		"POST /orders/v0/orders/{id}/shipmentConfirmation":         {a.ship, "confirmShipment", 2, 10},
		"GET /listings/2021-08-01/items/" + SellerID:               {a.items, "searchListings", 5, 5},
		"GET /listings/2021-08-01/items/" + SellerID + "/{sku}":    {a.item, "getListing", 5, 10},
		"PUT /listings/2021-08-01/items/" + SellerID + "/{sku}":    {a.put, "putListing", 5, 10},
		"PATCH /listings/2021-08-01/items/" + SellerID + "/{sku}":  {a.patch, "patchListing", 5, 5},
		"DELETE /listings/2021-08-01/items/" + SellerID + "/{sku}": {a.drop, "deleteListing", 5, 5},
		"POST " + feedsPath + "/documents":                         {a.addDocument, "createFeedDocument", 0.5, 15},
		"GET " + feedsPath + "/documents/{id}":                     {a.document, "getFeedDocument", 0.0222, 10},
		"POST " + feedsPath + "/feeds":                             {a.addFeed, "createFeed", 0.0083, 15},
		"GET " + feedsPath + "/feeds/{id}":                         {a.feed, "getFeed", 2, 15},
		"DELETE " + feedsPath + "/feeds/{id}":                      {a.cancelFeed, "cancelFeed", 2, 15},
	} {
		a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { a.serve(w, r, op) })
	}
	a.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		fakeshop.JSON(w, http.StatusForbidden, problem("Unauthorized", "Access to requested resource is denied."))
	})
	a.mux.HandleFunc("/documents/{id}", a.content)
	a.mux.HandleFunc("POST /auth/o2/token", a.login)
	return a
}

// operation is one kind of request, its name and its documented limit: requests a second, and how many at once.
type operation struct {
	do    func(*http.Request, object) (int, any)
	name  string
	rate  float64
	burst float64
}

// bucket is what is left of an operation's limit.
type bucket struct {
	left float64
	at   time.Time
}

// ServeHTTP answers the API, issues tokens and stores documents.
func (a *Account) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	time.Sleep(a.Slow)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.settle()
	w.Header().Set("Date", a.Now().UTC().Format(http.TimeFormat))
	a.mux.ServeHTTP(w, r)
}

// settle lets come about what is due: feeds are done when they are.
func (a *Account) settle() {
	for _, f := range a.feeds {
		if !f.done && !a.Now().Before(f.ready) {
			f.done = true
			a.process(f)
		}
	}
}

func (a *Account) login(w http.ResponseWriter, r *http.Request) {
	a.calls["login"]++
	switch {
	case r.FormValue("client_id") != ClientID || r.FormValue("client_secret") != ClientSecret:
		fakeshop.JSON(w, http.StatusUnauthorized, object{"error": "invalid_client", "error_description": "Client authentication failed"})
		return
	case r.FormValue("grant_type") != "refresh_token" || r.FormValue("refresh_token") != a.refresh:
		fakeshop.JSON(w, http.StatusBadRequest, object{"error": "invalid_grant",
			"error_description": "The request has an invalid grant parameter"})
		return
	}
	if a.Rotate {
		a.refresh = RefreshToken + a.id()
	}
	token := "Atza|" + a.id()
	a.access[token] = a.Now().Add(time.Hour)
	fakeshop.JSON(w, http.StatusOK, object{"access_token": token, "refresh_token": a.refresh, "token_type": "bearer", "expires_in": 3600})
}

func (a *Account) id() string {
	a.next++
	return strconv.Itoa(1000000 + a.next)
}

// agent is the form that Amazon asks of the User-Agent header.
var agent = regexp.MustCompile(`^[^\s/]+/\S+ \(Language=[^)]+\)$`)

func (a *Account) serve(w http.ResponseWriter, r *http.Request, op operation) {
	a.requests++
	a.calls[op.name]++
	every := func(n int) bool { return fakeshop.Nth(n, a.requests) }
	w.Header().Set("x-amzn-RequestId", strconv.Itoa(a.requests))
	w.Header().Set("x-amzn-RateLimit-Limit", strconv.FormatFloat(op.rate, 'f', -1, 64))
	switch {
	case !a.Now().Before(a.access[r.Header.Get("x-amz-access-token")]):
		fakeshop.JSON(w, http.StatusForbidden, object{"errors": []object{{"code": "Unauthorized",
			"message": "Access to requested resource is denied.",
			"details": "The access token you provided has expired."}}})
		return
	case !agent.MatchString(r.UserAgent()):
		fakeshop.JSON(w, http.StatusBadRequest, problem("InvalidInput", "The User-Agent header is not of the form App/Version (Language=…)."))
		return
	case every(a.Page):
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "<html><body><h1>503 Service Unavailable</h1></body></html>")
		return
	case every(a.TooMany) || !a.enter(op):
		a.calls["429"]++
		w.Header().Del("x-amzn-RateLimit-Limit") // it is not in every answer
		fakeshop.JSON(w, http.StatusTooManyRequests, problem("QuotaExceeded", "You exceeded your quota for the requested resource."))
		return
	case every(a.Broken):
		fakeshop.JSON(w, http.StatusInternalServerError, problem("InternalFailure", "We encountered an internal error. Please try again."))
		return
	}
	body := object{}
	if r.Method == http.MethodPut || r.Method == http.MethodPost || r.Method == http.MethodPatch {
		if json.NewDecoder(r.Body).Decode(&body) != nil || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
			fakeshop.JSON(w, http.StatusUnsupportedMediaType, problem("InvalidInput", "The body is not JSON."))
			return
		}
	}
	status, out := op.do(r, body)
	switch {
	case every(a.LoseAnswer):
		fakeshop.HangUp(w)
	case every(a.FailAfterWrite):
		fakeshop.JSON(w, http.StatusInternalServerError, problem("InternalFailure", "We encountered an internal error. Please try again."))
	default:
		fakeshop.JSON(w, status, out)
	}
}

// enter takes a request from an operation's bucket, and reports whether one was left.
func (a *Account) enter(op operation) bool {
	now := a.Now()
	b := a.buckets[op.name]
	if b == nil {
		b = &bucket{left: op.burst, at: now}
		a.buckets[op.name] = b
	}
	b.left, b.at = min(op.burst, b.left+now.Sub(b.at).Seconds()*op.rate), now
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}

func problem(code, message string) object {
	return object{"errors": []object{{"code": code, "message": message, "details": ""}}}
}

func (a *Account) participations(*http.Request, object) (int, any) {
	return http.StatusOK, object{"payload": []object{{"storeName": "Fake store",
		"marketplace": object{"id": MarketplaceID, "name": "Amazon.de", "countryCode": "DE", "defaultCurrencyCode": "EUR",
			"defaultLanguageCode": "de_DE", "domainName": "www.amazon.de"},
		"participation": object{"isParticipating": true, "hasSuspendedListings": false}}}}
}

// Expire ends every access token.
func (a *Account) Expire() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.access)
}

// Revoke ends the seller's consent.
func (a *Account) Revoke() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.access)
	a.refresh = "revoked"
}

// Calls returns how often each operation was asked for; "429" is how many of these were refused.
func (a *Account) Calls() map[string]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := map[string]int{}
	for name, n := range a.calls {
		all[name] = n
	}
	return all
}
