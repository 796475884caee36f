// Package fakeshop is a shop with the part of Shopify's GraphQL Admin API that the connector uses, in memory: for
// tests, and for integrators who have no shop at hand. It answers by the operation's name with all that it has. It
// refuses requests that Shopify's schema (schema.graphql) does not allow, and keeps a real shop's habits: lists of a
// product are replaced, stock is set only with a key and with a word on what it was, business errors come with status
// 200, points run out, and orders are shipped by parts of the shop's own making.
package fakeshop

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"entrepot/internal/connector/connectortest/fakeshop"
)

// Token is an access token that the shop accepts from the start; ClientID and ClientSecret get another one each time.
const (
	Token        = "shpat_fake"
	ClientID     = "client"
	ClientSecret = "client secret"
)

// Faults are errors in addition to the shop's habits; each counts requests, and happens at every n-th of them. 0:
// never.
type Faults struct {
	LoseAnswer int  // it does what was asked, and the connection ends without an answer
	Throttle   int  // its points are spent, and come back in time
	Broken     int  // it answers 502 and does nothing
	DearLines  int  // a query that may give more lines than this asks for too much; 0: no bound
	DearOrders int  // a query for several orders that may give more lines than this in all asks for too much; 0: no bound
	NoAliases  bool // of the fields of a mutation for several objects only the first is done, and answered under its own name
	Unsaid     int  // of the fields of mutations for several objects: it is not done, and the answer has nothing about it
	Blind      bool // its search does not find what was made (its index is behind)
}

// Shop is a fake shop; safe for concurrent use. It is an http.Handler for its own domain.
type Shop struct {
	Faults Faults
	Scopes []string // scopes that the token lacks
	// Unapproved says that the app may not read data of buyers: such fields are null, and each is an error.
	Unapproved bool
	Now        func() time.Time
	Currency   string // currency of prices; orders are in euros
	Version    string // version of its answers; "" for the requested one
	Deepest    int    // how many orders a list has at most

	Notices *fakeshop.Outbox

	mu         sync.Mutex
	requests   int
	spentUntil time.Time // see Faults.Throttle
	fields     int       // fields so far of mutations for several objects
	next       int
	tokens     map[string]bool
	products   []*product
	orders     []*order
	locations  []location
	webhooks   []webhook
	sources    map[string]string // addresses of fetched pictures, by their ids
	fetched    map[string]bool   // pictures that were shown once
	serves     bool
	keys       map[string]bool // keys of finished writes
}

type product struct {
	id, handle, title, status string
	description               string
	published                 bool
	media                     []string
	shop                      *Shop
	variants                  []*variant
}

type variant struct {
	id, sku, price, before, item string
	barcode, about               string // about is what was sent of its inventory item, as JSON
	policy                       string
	options                      []optionValue
	levels                       map[string]int64 // available quantities, by the ids of the locations where the variant is stocked
	serviced                     bool             // stocked at the location of a fulfilment service, which allows no other location
}

type webhook struct{ id, topic, uri string }

type object = map[string]any

// New creates an empty shop.
func New() *Shop {
	return &Shop{Now: time.Now, Currency: "EUR", Deepest: 25_000, tokens: map[string]bool{Token: true}, keys: map[string]bool{},
		locations: []location{{"Shop", true, true}}, Notices: fakeshop.NewOutbox(mostTries)}
}

func (s *Shop) gid(kind string) string {
	s.next++
	return fmt.Sprintf("gid://shopify/%s/%d", kind, 1000+s.next)
}

var operation = regexp.MustCompile(`^\s*(?:query|mutation)\s+(\w+)`)

// ServeHTTP answers the API and issues tokens.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Date", s.Now().UTC().Format(http.TimeFormat))
	if r.URL.Path == "/admin/oauth/access_token" {
		s.giveToken(w, r)
		return
	}
	version, ok := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/admin/api/"), "/graphql.json")
	if !ok {
		http.NotFound(w, r)
		return
	}
	if s.Version != "" {
		version = s.Version
	}
	w.Header().Set("X-Shopify-API-Version", version)
	if !s.tokens[r.Header.Get("X-Shopify-Access-Token")] {
		http.Error(w, `{"errors":"[API] Invalid API key or access token (unrecognized login or wrong password)"}`, http.StatusUnauthorized)
		return
	}
	s.requests++
	var in struct {
		Query     string
		Variables json.RawMessage
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, `{"errors":"bad request"}`, http.StatusBadRequest)
		return
	}
	switch {
	case fakeshop.Nth(s.Faults.Broken, s.requests):
		http.Error(w, "<html>Bad gateway</html>", http.StatusBadGateway)
		return
	case s.Faults.Throttle > 0 && s.Now().Before(s.spentUntil):
		s.throttle(w)
		return
	case fakeshop.Nth(s.Faults.Throttle, s.requests):
		s.spentUntil = s.Now().Add((needed - left) / restored * time.Second)
		s.throttle(w)
		return
	}
	found := operation.FindStringSubmatch(in.Query)
	if found == nil {
		s.answer(w, object{"errors": []object{{"message": "a query without a name"}}})
		return
	}
	if errors := refuse(in.Query, in.Variables); len(errors) > 0 {
		s.answer(w, object{"errors": errors})
		return
	}
	data, wrong := s.run(found[1], in.Variables)
	if fakeshop.Nth(s.Faults.LoseAnswer, s.requests) {
		fakeshop.HangUp(w)
		return
	}
	if wrong != "" {
		s.answer(w, object{"errors": []object{{"message": wrong, "extensions": object{"code": wrong}}}})
		return
	}
	if s.Unapproved {
		if errors := mask(data, nil); len(errors) > 0 {
			s.answer(w, object{"data": data, "errors": errors})
			return
		}
	}
	s.answer(w, object{"data": data, "extensions": object{"cost": object{"requestedQueryCost": 10, "actualQueryCost": 10}}})
}

// What is said of points that are spent.
const (
	needed   = 300 // points that a request needs
	left     = 100 // points that there are at first
	restored = 100 // points that come back in a second
)

// throttle refuses a request because there are too few points.
func (s *Shop) throttle(w http.ResponseWriter) {
	there := needed - int(s.spentUntil.Sub(s.Now()).Seconds()*restored+0.999)
	s.answer(w, object{"errors": []object{{"message": "Throttled", "extensions": object{"code": "THROTTLED"}}},
		"extensions": object{"cost": object{"requestedQueryCost": needed,
			"throttleStatus": object{"maximumAvailable": 2000, "currentlyAvailable": there, "restoreRate": restored}}}})
}

// mask empties the fields with data of buyers, and returns an error for each.
func mask(value any, path []any) (errors []object) {
	at := func(step any) []any { return append(path[:len(path):len(path)], step) }
	switch v := value.(type) {
	case object:
		for name, inner := range v {
			switch name {
			case "customer", "email", "shippingAddress", "billingAddress":
				v[name] = nil
				errors = append(errors, object{"message": "This app is not approved to access the " + name + " field.", "path": at(name),
					"extensions": object{"code": "ACCESS_DENIED"}})
			default:
				errors = append(errors, mask(inner, at(name))...)
			}
		}
	case []object:
		for i, inner := range v {
			errors = append(errors, mask(inner, at(i))...)
		}
	case []any:
		for i, inner := range v {
			errors = append(errors, mask(inner, at(i))...)
		}
	}
	return errors
}

func (s *Shop) answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(body)
}

func (s *Shop) giveToken(w http.ResponseWriter, r *http.Request) {
	if r.FormValue("client_id") != ClientID || r.FormValue("client_secret") != ClientSecret ||
		r.FormValue("grant_type") != "client_credentials" {
		http.Error(w, `{"error":"application_cannot_be_found"}`, http.StatusBadRequest)
		return
	}
	token := s.gid("Token")
	s.tokens[token] = true
	s.answer(w, object{"access_token": token, "scope": "write_products", "expires_in": 86399})
}

// Expire ends all tokens.
func (s *Shop) Expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tokens)
}

// run does what an operation asks.
func (s *Shop) run(name string, variables json.RawMessage) (data object, wrong string) {
	does := map[string]func(json.RawMessage) (object, string){
		"Shop": s.about, "Find": s.find, "FindProduct": s.findProduct, "FindNew": s.findNew,
		"SetProduct": s.setProduct, "Publish": s.publish, "Hide": s.hide, "Delete": s.delete,
		"SetStock": s.setStock, "Media": s.pictures,
		"Activate": s.activate, "Stock": s.stock, "SetPrices": s.setPrices, "Orders": s.list, "OrdersByID": s.byID,
		"Order": s.order, "MoreLines": s.moreLines,
		"Shipping": s.shipping, "ShippingOfMany": s.shippingOfMany, "MoreParts": s.moreParts, "Ship": s.ship,
		"Delivered": s.delivered, "Track": s.track, "Cancel": s.cancel,
		"Webhooks": s.listWebhooks, "AddWebhook": s.addWebhook, "DropWebhook": s.dropWebhook,
	}
	do := does[name]
	if do == nil {
		return nil, "undefinedField"
	}
	var all map[string]json.RawMessage
	_ = json.Unmarshal(variables, &all)
	if name != "Publish" && name != "SetPrices" {
		return do(variables)
	}
	data = object{} // one alias for each object, whose variables end with its number
	for i := 0; ; i++ {
		own := map[string]json.RawMessage{}
		for variable, value := range all {
			if base, numbered := strings.CutSuffix(variable, strconv.Itoa(i)); numbered && !digit(base[len(base)-1]) {
				own[base] = value
			}
		}
		if len(own) == 0 {
			return data, ""
		}
		if i >= 90 {
			return nil, "MAX_COST_EXCEEDED"
		}
		if s.fields++; s.Faults.NoAliases {
			all, _ := json.Marshal(own)
			return do(all)
		}
		if fakeshop.Nth(s.Faults.Unsaid, s.fields) {
			data["a"+strconv.Itoa(i)] = nil
			continue
		}
		raw, _ := json.Marshal(own)
		part, wrong := do(raw)
		if wrong != "" {
			return nil, wrong
		}
		for _, answer := range part {
			data["a"+strconv.Itoa(i)] = answer
		}
	}
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func (s *Shop) about(json.RawMessage) (object, string) {
	var scopes []object
	for _, scope := range []string{"write_products", "write_inventory", "read_locations", "write_publications", "write_orders",
		"write_merchant_managed_fulfillment_orders"} {
		lacks := false
		for _, l := range s.Scopes {
			lacks = lacks || l == scope
		}
		if !lacks {
			scopes = append(scopes, object{"handle": scope})
		}
	}
	return object{"shop": object{"name": "Fake shop", "myshopifyDomain": "fake.myshopify.com", "url": "https://fake.example",
		"currencyCode": s.Currency,
		"ianaTimezone": "Europe/Paris", "taxesIncluded": false}, "currentAppInstallation": object{"accessScopes": scopes},
		"locations":    object{"nodes": s.shownLocations()},
		"publications": object{"nodes": []object{{"id": "gid://shopify/Publication/1", "name": "Online Store"}}}}, ""
}

// location is a location of stock; its number is its index in the list.
type location struct {
	name   string
	open   bool
	online bool // it ships online orders
}

// Locate opens a location for stock, or closes it.
func (s *Shop) Locate(name string, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := slices.IndexFunc(s.locations, func(l location) bool { return l.name == name }); at >= 0 {
		s.locations[at].open = open
		return
	}
	s.locations = append(s.locations, location{name, open, true})
}

// Online says whether online orders are shipped from a location.
func (s *Shop) Online(name string, online bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.locations {
		if s.locations[i].name == name {
			s.locations[i].online = online
		}
	}
}

// locationID returns the id of the location at an index of the list.
func locationID(at int) string { return "gid://shopify/Location/" + strconv.Itoa(at+1) }

// shownLocations returns the locations, by their names.
func (s *Shop) shownLocations() (list []object) {
	for i, l := range s.locations {
		list = append(list, object{"id": locationID(i), "name": l.name, "isActive": l.open,
			"fulfillsOnlineOrders": l.online})
	}
	slices.SortFunc(list, func(a, b object) int { return strings.Compare(a["name"].(string), b["name"].(string)) })
	return list
}

func (s *Shop) listWebhooks(json.RawMessage) (object, string) {
	nodes := []object{}
	for _, w := range s.webhooks {
		nodes = append(nodes, object{"id": w.id, "topic": w.topic, "uri": w.uri})
	}
	return object{"webhookSubscriptions": object{"pageInfo": object{"hasNextPage": false}, "nodes": nodes}}, ""
}

func (s *Shop) addWebhook(raw json.RawMessage) (object, string) {
	var in struct {
		Topic   string
		Webhook struct{ URI string }
	}
	_ = json.Unmarshal(raw, &in)
	for _, w := range s.webhooks {
		if w.topic == in.Topic && w.uri == in.Webhook.URI {
			return object{"webhookSubscriptionCreate": object{
				"userErrors": []object{{"message": "Address for this topic has already been taken"}}}}, ""
		}
	}
	s.webhooks = append(s.webhooks, webhook{s.gid("WebhookSubscription"), in.Topic, in.Webhook.URI})
	return object{"webhookSubscriptionCreate": object{"userErrors": []object{}}}, ""
}

func (s *Shop) dropWebhook(raw json.RawMessage) (object, string) {
	var in struct{ ID string }
	_ = json.Unmarshal(raw, &in)
	for i, w := range s.webhooks {
		if w.id == in.ID {
			s.webhooks = append(s.webhooks[:i:i], s.webhooks[i+1:]...)
			break
		}
	}
	return object{"webhookSubscriptionDelete": object{"userErrors": []object{}}}, ""
}

// DropWebhook forgets the registration of a topic, as the shop does after eight failures.
func (s *Shop) DropWebhook(topic string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, w := range s.webhooks {
		if w.topic == topic {
			s.webhooks = append(s.webhooks[:i:i], s.webhooks[i+1:]...)
			return
		}
	}
}

// Webhooks returns the registrations, each a topic and an address.
func (s *Shop) Webhooks() (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.webhooks {
		list = append(list, w.topic+" "+w.uri)
	}
	return list
}

func refused(field, message, code string) []object {
	return []object{{"field": strings.Split(field, "."), "message": message, "code": code}}
}
