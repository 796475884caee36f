package importer

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// fakeService answers the routes the importer uses, with the checks of the interface, and keeps what
// it was sent.
type fakeService struct {
	mu         sync.Mutex
	first      interception
	n          int
	batches    []int // products per accepted request
	products   map[string]*fakeProduct
	owners     map[string]string // variant SKU -> product SKU
	categories map[string]map[string]any
	orders     map[string]*fakeOrder        // by externalReference
	keys       map[string]string            // Idempotency-Key -> externalReference
	customers  map[string]map[string]string // by id
	replays    int
	broken     []string // what a client must never do
}

// interception may answer a request in the service's place; requests count from 1.
type interception func(w http.ResponseWriter, r *http.Request, n int) (answered bool)

// before sets what looks at requests first; nil for nothing.
func (s *fakeService) before(first interception) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.first = first
}

// noChannel is the id of a channel that the service does not have.
const noChannel = "0190c0de-0000-7000-8000-00000000dead"

// fakeTrade is what trade needs to know of a product or variant.
type fakeTrade struct {
	GTIN         string      `json:"gtin"`
	Weight, Cost json.Number // by any case of their names
	TaxClass     string
	Origin       string `json:"countryOfOrigin"`
}

type fakeProduct struct {
	fakeTrade
	SKU            string          `json:"sku"`
	Name           string          `json:"name"`
	Price          json.Number     `json:"price"`
	CompareAtPrice json.RawMessage `json:"compareAtPrice"`
	Description    string          `json:"description"`
	Status         string          `json:"status"`
	CategoryIDs    []string        `json:"categoryIds"`
	Images         []struct {
		URL      string `json:"url"`
		Position int    `json:"position"`
	} `json:"images"`
	Stock *struct {
		WarehouseCode string `json:"warehouseCode"`
		Quantity      int    `json:"quantity"`
	} `json:"stock"`
	Levels     []fakeLevel       `json:"levels"`
	Attributes map[string]string `json:"attributes"`
	Variants   []struct {
		fakeTrade
		SKU            string            `json:"sku"`
		Name           string            `json:"name"`
		Price          json.Number       `json:"price"`
		CompareAtPrice json.RawMessage   `json:"compareAtPrice"`
		Stock          *int              `json:"stock"`
		Levels         []fakeLevel       `json:"levels"`
		Attributes     map[string]string `json:"attributes"`
	} `json:"variants"`
}

type fakeLevel struct {
	WarehouseCode string `json:"warehouseCode"`
	Quantity      int    `json:"quantity"`
}

type fakeOrder struct {
	ID                string            `json:"id"`
	ExternalReference string            `json:"externalReference"`
	CustomerName      string            `json:"customerName"`
	CustomerEmail     string            `json:"customerEmail"`
	ChannelID         string            `json:"channelId"`
	Status            string            `json:"status"`
	InitialStatus     string            `json:"initialStatus,omitempty"`
	Currency          string            `json:"currency"`
	Items             []fakeLine        `json:"items"`
	ShippingAddress   map[string]string `json:"shippingAddress"`
	PaymentMetadata   map[string]string `json:"paymentMetadata"`
	Notes             string            `json:"notes"`
	Tags              []string          `json:"tags"`
	CreatedAt         string            `json:"createdAt,omitempty"`
	body              string
}

type fakeLine struct {
	SKU       string      `json:"sku"`
	Name      string      `json:"name"`
	Quantity  int         `json:"quantity"`
	UnitPrice json.Number `json:"unitPrice"`
}

func newFakeService() *fakeService {
	return &fakeService{
		products: map[string]*fakeProduct{}, owners: map[string]string{}, categories: map[string]map[string]any{},
		orders: map[string]*fakeOrder{}, keys: map[string]string{}, customers: map[string]map[string]string{},
	}
}

func (s *fakeService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.n++
	n, first := s.n, s.first
	s.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	if first != nil && first(w, r, n) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Header.Get("X-API-Key") != "pk_live_test" {
		s.answer(w, 401, map[string]any{"message": "unknown key", "code": "unauthorized"})
		return
	}
	switch path := r.URL.Path; {
	case r.Method == "POST" && path == "/api/v1/sdk/products/bulk-import":
		s.importProducts(w, r, body)
	case r.Method == "POST" && path == "/api/v1/sdk/categories/bulk-import":
		s.importCategories(w, body)
	case r.Method == "POST" && path == "/api/v1/orders":
		s.createOrder(w, r, body)
	case r.Method == "GET" && path == "/api/v1/orders":
		var found []*fakeOrder
		for _, o := range s.orders {
			if strings.Contains(o.ExternalReference, r.URL.Query().Get("search")) {
				found = append(found, o)
			}
		}
		s.answer(w, 200, map[string]any{"data": found, "meta": map[string]int{"totalPages": 1}})
	case r.Method == "GET" && path == "/api/v1/sdk/products/changes":
		var list []any
		for _, p := range s.products {
			list = append(list, p)
		}
		s.answer(w, 200, map[string]any{"data": list, "meta": map[string]any{"hasMore": false, "nextSince": "x"}})
	case strings.HasPrefix(path, "/api/v1/customers") && r.Method != "GET":
		s.writeCustomer(w, r, body)
	case strings.HasPrefix(path, "/api/v1/customers/customer-"):
		s.answer(w, 200, map[string]any{"data": s.customers[strings.Split(path, "/")[4]]})
	case r.Method == "GET" && strings.HasPrefix(path, "/api/v1/customers/"):
		if strings.HasSuffix(path, "0001") {
			s.answer(w, 200, map[string]any{"data": map[string]string{"id": strings.Split(path, "/")[4], "status": "active"}})
			return
		}
		s.answer(w, 404, map[string]any{"message": "no such customer"})
	case strings.HasPrefix(path, "/api/v1/orders/"):
		s.oneOrder(w, r, strings.Split(path, "/")[4], body)
	default:
		s.violated("unknown route %s %s", r.Method, path)
		s.answer(w, 404, map[string]any{"message": "no such route"})
	}
}

func (s *fakeService) violated(format string, arguments ...any) {
	s.broken = append(s.broken, fmt.Sprintf(format, arguments...))
}

func (s *fakeService) answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

var fakeAmount = regexp.MustCompile(`^\d{1,11}(\.\d{1,4})?$`)

func (s *fakeService) importProducts(w http.ResponseWriter, r *http.Request, body []byte) {
	if len(body) > 10<<20 {
		s.violated("a body of %d bytes", len(body))
		s.answer(w, 413, map[string]any{"message": "too large"})
		return
	}
	var in struct {
		Products []json.RawMessage `json:"products"`
		Options  struct {
			ChannelID string `json:"channelId"`
			DryRun    bool   `json:"dryRun"`
		} `json:"options"`
	}
	if err := json.Unmarshal(body, &in); err != nil || len(in.Products) == 0 || len(in.Products) > 1000 {
		s.violated("a request of %d products, %v", len(in.Products), err)
		s.answer(w, 400, map[string]any{"message": "malformed", "details": []map[string]string{{"path": "products", "message": fmt.Sprint(err)}}})
		return
	}
	type entry struct {
		SKU   string `json:"sku"`
		Error string `json:"error"`
		Index int    `json:"index"`
		Code  string `json:"code"`
	}
	if in.Options.ChannelID == noChannel {
		s.answer(w, 404, map[string]any{"message": "no such channel", "code": "not_found"})
		return
	}
	errors, changes := []entry{}, []map[string]string{}
	created, updated := 0, 0
	seen := map[string]bool{}
	for i, raw := range in.Products {
		var p fakeProduct
		why := ""
		if err := json.Unmarshal(raw, &p); err != nil {
			why = err.Error()
		} else {
			why = s.refusal(&p, seen)
		}
		if why != "" {
			code := "invalid"
			if s.owners[p.SKU] != "" {
				code = "sku_taken"
			}
			errors = append(errors, entry{p.SKU, why, i, code})
			continue
		}
		action := "create"
		if s.products[p.SKU] != nil {
			action = "update"
			updated++
		} else {
			created++
		}
		changes = append(changes, map[string]string{"sku": p.SKU, "action": action})
		if !in.Options.DryRun {
			s.products[p.SKU] = &p
			for _, v := range p.Variants {
				s.owners[v.SKU] = p.SKU
			}
		}
	}
	if !in.Options.DryRun {
		s.batches = append(s.batches, len(in.Products))
	}
	if r.Header.Get("Prefer") != "wait" && !in.Options.DryRun {
		s.answer(w, 202, map[string]any{"data": map[string]any{
			"jobId": "job-1", "status": "PROCESSING", "totalItems": len(in.Products),
			"accepted": created + updated, "rejected": len(errors), "errors": errors,
		}})
		return
	}
	out := map[string]any{"total": len(in.Products), "created": created, "updated": updated, "errors": errors}
	if in.Options.DryRun {
		out["changes"] = changes
	}
	s.answer(w, 200, out)
}

func (s *fakeService) refusal(p *fakeProduct, seen map[string]bool) string {
	switch {
	case p.SKU == "" || p.Name == "" || p.Price == "":
		return "sku, name and price are required"
	case !fakeAmount.MatchString(p.Price.String()):
		return "bad price " + p.Price.String()
	case len(p.Variants) > 50 || len(p.Images) > 20:
		return "too many variants or images"
	case seen[p.SKU] || s.owners[p.SKU] != "":
		return "duplicate sku"
	case p.Status != "" && !slices.Contains([]string{"DRAFT", "ACTIVE", "INACTIVE", "ARCHIVED"}, p.Status):
		return "bad status " + p.Status
	}
	seen[p.SKU] = true
	for _, i := range p.Images {
		if !strings.HasPrefix(i.URL, "http") {
			return "bad image " + i.URL
		}
	}
	for _, v := range p.Variants {
		if v.SKU == "" || seen[v.SKU] || s.products[v.SKU] != nil || s.owners[v.SKU] != "" && s.owners[v.SKU] != p.SKU {
			return "bad variant " + v.SKU
		}
		if v.Price != "" && !fakeAmount.MatchString(v.Price.String()) {
			return "bad variant price"
		}
		seen[v.SKU] = true
	}
	return ""
}

func (s *fakeService) importCategories(w http.ResponseWriter, body []byte) {
	var in struct{ Categories []map[string]any }
	if err := json.Unmarshal(body, &in); err != nil || len(in.Categories) > 1000 {
		s.violated("categories: %d, %v", len(in.Categories), err)
	}
	faults := []any{}
	for i, c := range in.Categories {
		if slug := c["slug"]; slug != nil && s.slugTaken(slug, c["externalId"]) {
			faults = append(faults, map[string]any{"sku": c["externalId"], "error": "slug is taken", "index": i, "field": "slug",
				"code": "slug_taken"})
			continue
		}
		if parent, ok := c["parentExternalId"].(string); ok && s.categories[parent] == nil {
			s.violated("category %v before its parent", c["externalId"])
		}
		s.categories[c["externalId"].(string)] = c
	}
	s.answer(w, 200, map[string]any{"data": map[string]any{"created": len(in.Categories) - len(faults), "updated": 0, "errors": faults}})
}

// slugTaken reports whether another category has a slug.
func (s *fakeService) slugTaken(slug, externalID any) bool {
	for other, c := range s.categories {
		if c["slug"] == slug && other != externalID {
			return true
		}
	}
	return false
}

func (s *fakeService) writeCustomer(w http.ResponseWriter, r *http.Request, body []byte) {
	var in map[string]string
	if err := json.Unmarshal(body, &in); err != nil {
		s.violated("customer: %v", err)
	}
	if r.Method == "PATCH" {
		have := s.customers[strings.Split(r.URL.Path, "/")[4]]
		for name, value := range in {
			have[name] = value
		}
		s.answer(w, 200, map[string]any{"data": have})
		return
	}
	for id, have := range s.customers {
		if strings.EqualFold(have["email"], in["email"]) {
			s.answer(w, 409, map[string]any{"message": "the e-mail is taken", "code": "email_taken", "customerId": id})
			return
		}
	}
	if !strings.Contains(in["email"], "@") {
		s.answer(w, 400, map[string]any{"message": "no e-mail", "code": "validation_failed"})
		return
	}
	id := fmt.Sprintf("customer-%d", len(s.customers)+1)
	in["id"] = id
	s.customers[id] = in
	s.answer(w, 201, map[string]any{"data": in})
}

func (s *fakeService) createOrder(w http.ResponseWriter, r *http.Request, body []byte) {
	var o fakeOrder
	if err := json.Unmarshal(body, &o); err != nil {
		s.violated("order: %v", err)
		s.answer(w, 400, map[string]any{"message": err.Error()})
		return
	}
	key := r.Header.Get("Idempotency-Key")
	if key == "" || len(key) > 255 {
		s.violated("order %s with the key %q", o.ExternalReference, key)
	}
	if reference, known := s.keys[key]; known {
		if s.orders[reference].body != string(body) {
			s.violated("the key of %s came with another body", reference)
		}
		s.replays++
		w.Header().Set("Idempotent-Replay", "true")
		s.answer(w, 201, map[string]any{"data": map[string]any{"id": s.orders[reference].ID, "status": s.orders[reference].Status}})
		return
	}
	if there := s.orders[o.ExternalReference]; there != nil {
		s.answer(w, 409, map[string]any{"message": "the reference is taken", "code": "duplicate_reference", "orderId": there.ID})
		return
	}
	var unknown []string
	for _, l := range o.Items {
		if s.products[l.SKU] == nil && s.owners[l.SKU] == "" && !slices.Contains(unknown, l.SKU) {
			unknown = append(unknown, l.SKU)
		}
		if l.Quantity < 1 || l.Quantity > 1_000_000 || !fakeAmount.MatchString(l.UnitPrice.String()) {
			s.violated("order %s: line %+v", o.ExternalReference, l)
		}
	}
	if len(unknown) > 0 {
		s.answer(w, 400, map[string]any{"message": "unknown SKUs: " + strings.Join(unknown, ", "), "code": "unknown_sku"})
		return
	}
	if o.CustomerName == "" || len(o.Items) == 0 || len(o.Items) > 500 {
		s.violated("order %s: customer %q, %d lines", o.ExternalReference, o.CustomerName, len(o.Items))
	}
	o.ID, o.Status, o.body = fmt.Sprintf("order-%d", len(s.orders)+1), "PENDING", string(body)
	if o.InitialStatus != "" {
		o.Status = o.InitialStatus
	}
	s.orders[o.ExternalReference], s.keys[key] = &o, o.ExternalReference
	s.answer(w, 201, map[string]any{"data": map[string]any{"id": o.ID, "status": o.Status}})
}

func (s *fakeService) oneOrder(w http.ResponseWriter, r *http.Request, id string, body []byte) {
	for _, o := range s.orders {
		if o.ID != id {
			continue
		}
		if r.Method == "PATCH" {
			var in struct{ Status string }
			_ = json.Unmarshal(body, &in)
			if in.Status == "RETURNED" && o.Status != "SHIPPED" && o.Status != "DELIVERED" {
				s.answer(w, 422, map[string]any{"message": "not allowed", "from": o.Status, "to": in.Status})
				return
			}
			o.Status = in.Status
		}
		s.answer(w, 200, map[string]any{"data": o})
		return
	}
	s.answer(w, 404, map[string]any{"message": "no such order"})
}
