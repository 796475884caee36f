package bench

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/limits"
)

// fakeService answers the part of the interface that the tool uses, from
// memory, strictly: what it would have to refuse fails the test.
type fakeService struct {
	t      *testing.T
	server *httptest.Server
	slow   time.Duration // what each new order takes

	mu            sync.Mutex
	products      map[string]float64 // price by SKU
	levels        map[string]int
	orders        []fakeOrder
	emails        map[string]bool
	keys          map[string]bool // idempotency keys
	byKey         map[string]int  // requests by API key
	endpoints     map[string]fakeEndpoint
	endpointsMade int
	unchanged     int // updates that changed nothing
	events        int
}

type fakeOrder struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

type fakeEndpoint struct {
	url    string
	secret string
	event  string
}

func newFakeService(t *testing.T) *fakeService {
	f := &fakeService{t: t, products: map[string]float64{}, levels: map[string]int{}, emails: map[string]bool{},
		keys: map[string]bool{}, byKey: map[string]int{}, endpoints: map[string]fakeEndpoint{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/products", f.productList)
	mux.HandleFunc("POST /api/v1/sdk/products/bulk-import", f.importProducts)
	mux.HandleFunc("PATCH /api/v1/sdk/prices/bulk-update", f.prices)
	mux.HandleFunc("PATCH /api/v1/sdk/inventory/bulk-update", f.stock)
	mux.HandleFunc("POST /api/v1/orders", f.createOrder)
	mux.HandleFunc("GET /api/v1/orders", f.orderList)
	mux.HandleFunc("GET /api/v1/orders/{id}", f.orderRead)
	mux.HandleFunc("GET /api/v1/sdk/products/changes", f.feed)
	mux.HandleFunc("GET /api/v1/sdk/inventory/changes", f.feed)
	mux.HandleFunc("POST /api/v1/developer/webhooks", f.addEndpoint)
	mux.HandleFunc("DELETE /api/v1/developer/webhooks/{id}", f.dropEndpoint)
	f.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("%s asks for compression", r.URL)
		}
		if r.URL.Path == "/healthz" {
			return
		}
		key := r.Header.Get("X-API-Key")
		if !strings.HasPrefix(key, "pk_live_") {
			http.Error(w, `{"statusCode":401,"message":"no key"}`, http.StatusUnauthorized)
			return
		}
		f.mu.Lock()
		f.byKey[key]++
		f.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(f.server.Close)
	return f
}

func (f *fakeService) decode(r *http.Request, into any) {
	if r.Header.Get("Content-Type") != "application/json" {
		f.t.Errorf("%s %s without its content type", r.Method, r.URL)
	}
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		f.t.Errorf("%s %s: %v", r.Method, r.URL, err)
	}
}

func answerJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func (f *fakeService) productList(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	found := []map[string]any{}
	if sku := r.URL.Query().Get("sku"); f.products[sku] > 0 {
		found = append(found, map[string]any{"id": "1", "sku": sku})
	}
	answerJSON(w, 200, map[string]any{"data": found})
}

func (f *fakeService) importProducts(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Products []struct {
			SKU, Name, Description, Status string
			Price, CompareAtPrice          float64
			Images                         []struct {
				URL      string
				Position int
			}
			Variants []struct {
				SKU, Name string
				Price     float64
				Stock     int
			}
			Stock struct {
				WarehouseCode string
				Quantity      int
			}
		}
	}
	f.decode(r, &in)
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(in.Products); n == 0 || n > limits.MaxImport {
		f.t.Errorf("an import of %d products", n)
	}
	for _, p := range in.Products {
		skus := []string{p.SKU}
		for _, v := range p.Variants {
			skus = append(skus, v.SKU)
		}
		for _, sku := range skus {
			if f.products[sku] != 0 || strings.Contains(sku, "#") || p.Name == "" || p.Price <= 0 {
				f.t.Errorf("product %s is imported twice or wrong: %+v", sku, p)
			}
			f.products[sku] = p.Price
		}
	}
	if r.URL.Query().Get("wait") == "true" {
		answerJSON(w, 200, map[string]any{"total": len(in.Products), "created": len(in.Products), "updated": 0, "errors": []any{}})
		return
	}
	answerJSON(w, 202, map[string]any{"data": struct {
		JobID      string `json:"jobId"`
		TotalItems int    `json:"totalItems"`
		Accepted   int    `json:"accepted"`
	}{"j", len(in.Products), len(in.Products)}})
}

func (f *fakeService) prices(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Updates []struct {
			SKU   string
			Price float64
		}
	}
	f.decode(r, &in)
	f.mu.Lock()
	for _, u := range in.Updates {
		switch f.products[u.SKU] {
		case 0:
			f.t.Errorf("a price for the unknown product %s", u.SKU)
		case u.Price:
			f.unchanged++
		}
		f.products[u.SKU] = u.Price
	}
	f.mu.Unlock()
	f.emit("product.updated", len(in.Updates))
	answerJSON(w, 200, map[string]any{"data": map[string]any{"updated": len(in.Updates), "notFound": 0, "errors": []any{}}})
}

func (f *fakeService) stock(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Updates []struct {
			SKU, WarehouseCode string
			Quantity           int
		}
	}
	f.decode(r, &in)
	f.mu.Lock()
	for _, u := range in.Updates {
		if f.levels[u.SKU] == u.Quantity || u.WarehouseCode != "MAIN" {
			f.unchanged++
		}
		f.levels[u.SKU] = u.Quantity
	}
	f.mu.Unlock()
	f.emit("stock.updated", len(in.Updates))
	answerJSON(w, 200, map[string]any{"data": map[string]any{"updated": len(in.Updates), "notFound": 0, "errors": []any{}}})
}

func (f *fakeService) createOrder(w http.ResponseWriter, r *http.Request) {
	var in struct {
		CustomerName, CustomerEmail, Currency, InitialStatus string
		ShippingAddress                                      map[string]string
		Items                                                []struct {
			SKU       string
			Quantity  int
			UnitPrice float64
		}
	}
	f.decode(r, &in)
	time.Sleep(f.slow)
	f.mu.Lock()
	key := r.Header.Get("Idempotency-Key")
	if key != "" && f.keys[key] || f.emails[in.CustomerEmail] || in.CustomerName == "" {
		f.t.Errorf("key %q or e-mail %q was used before", key, in.CustomerEmail)
	}
	f.keys[key], f.emails[in.CustomerEmail] = true, true
	skus := map[string]bool{}
	for _, item := range in.Items {
		skus[item.SKU] = true
		if f.products[item.SKU] == 0 || item.Quantity < 1 || item.UnitPrice <= 0 {
			f.t.Errorf("a wrong line: %+v", item)
		}
	}
	if len(in.Items) != 3 || len(skus) != 3 {
		f.t.Errorf("lines of %v, want three different products", skus)
	}
	order := fakeOrder{ID: fmt.Sprintf("order-%d", len(f.orders)), Status: cmp.Or(in.InitialStatus, "PENDING")}
	f.orders = append(f.orders, order)
	f.mu.Unlock()
	f.emit("order.received", 1)
	answerJSON(w, 201, map[string]any{"data": order})
}

func (f *fakeService) orderList(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	query := r.URL.Query()
	limit, _ := strconv.Atoi(query.Get("limit"))
	page, _ := strconv.Atoi(cmp.Or(query.Get("page"), "1"))
	found := []fakeOrder{}
	for _, order := range f.orders {
		if filter := query.Get("status"); filter == "" || strings.Contains(filter, order.Status) {
			found = append(found, order)
		}
	}
	total := len(found)
	first := min((page-1)*limit, total)
	answerJSON(w, 200, map[string]any{"data": found[first:min(first+limit, total)], "meta": map[string]int{"total": total}})
}

func (f *fakeService) orderRead(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, order := range f.orders {
		if order.ID == r.PathValue("id") {
			answerJSON(w, 200, map[string]any{"data": order})
			return
		}
	}
	http.NotFound(w, r)
}

// feed has 2,500 entries: three pages.
func (f *fakeService) feed(w http.ResponseWriter, r *http.Request) {
	const entries = 2_500
	since, _ := strconv.Atoi(cmp.Or(r.URL.Query().Get("since"), "0"))
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	count := min(limit, entries-since)
	data := make([]map[string]string, count)
	for i := range data {
		data[i] = map[string]string{"sku": skuOf(since + i)}
	}
	answerJSON(w, 200, struct {
		Data []map[string]string `json:"data"`
		Meta map[string]any      `json:"meta"`
	}{data, map[string]any{"count": count, "hasMore": since+count < entries, "nextSince": strconv.Itoa(since + count)}})
}

func (f *fakeService) addEndpoint(w http.ResponseWriter, r *http.Request) {
	var in struct {
		URL, Description string
		Events           []string
	}
	f.decode(r, &in)
	f.mu.Lock()
	defer f.mu.Unlock()
	name := fmt.Sprintf("endpoint-%d", len(f.endpoints))
	f.endpointsMade++
	f.endpoints[name] = fakeEndpoint{in.URL, "whsec_" + name, in.Events[0]}
	answerJSON(w, 201, map[string]any{"data": map[string]string{"id": name, "secret": "whsec_" + name}})
}

func (f *fakeService) dropEndpoint(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, there := f.endpoints[r.PathValue("id")]; !there {
		f.t.Errorf("endpoint %s is removed but was never made", r.PathValue("id"))
	}
	delete(f.endpoints, r.PathValue("id"))
	answerJSON(w, 200, map[string]any{"data": map[string]any{"deleted": true}})
}

// emit delivers events to every endpoint that wants them, each tenth twice.
func (f *fakeService) emit(event string, count int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, endpoint := range f.endpoints {
		if endpoint.event != event {
			continue
		}
		first := f.events
		go func() {
			for i := range count {
				body := fmt.Sprintf(`{"id":"event-%d","event":%q,"timestamp":%q,"data":{"id":"x"}}`, first+i, event,
					time.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
				deliver(f.t, endpoint, body)
				if i%10 == 0 {
					deliver(f.t, endpoint, body)
				}
			}
		}()
	}
	f.events += count
}

func deliver(t *testing.T, endpoint fakeEndpoint, body string) {
	mac := hmac.New(sha256.New, []byte(endpoint.secret))
	mac.Write([]byte(body))
	r, _ := http.NewRequest("POST", endpoint.url, bytes.NewReader([]byte(body)))
	r.Header.Set("X-Webhook-Signature", hex.EncodeToString(mac.Sum(nil)))
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return // the run is over: its receiver is closed
	}
	if a.StatusCode/100 != 2 {
		t.Errorf("the receiver answered %d", a.StatusCode)
	}
	a.Body.Close()
}
