package platforms

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// scriptedWoo is a WooCommerce shop whose orders are what a test says.
type scriptedWoo struct {
	*httptest.Server
	mu      sync.Mutex
	orders  map[int]map[string]any
	refunds map[int][]any
	before  func(w http.ResponseWriter, r *http.Request) bool // answers in place of the shop
	writes  []string
}

func newScriptedWoo(t *testing.T) *scriptedWoo {
	s := &scriptedWoo{orders: map[int]map[string]any{}, refunds: map[int][]any{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *scriptedWoo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.before != nil && s.before(w, r) {
		return
	}
	path := strings.TrimPrefix(r.URL.Path, "/wp-json/wc/v3")
	say := func(v any) { w.Header().Set("Content-Type", "application/json"); _ = json.NewEncoder(w).Encode(v) }
	var id int
	switch {
	case path == "/orders":
		list := []any{}
		for _, o := range s.orders {
			if (o["status"] == "trash") == (r.URL.Query().Get("status") == "trash") &&
				o["date_modified_gmt"].(string) > r.URL.Query().Get("modified_after") {
				list = append(list, o)
			}
		}
		say(list)
	case strings.HasSuffix(path, "/refunds"):
		_, _ = fmt.Sscanf(path, "/orders/%d/refunds", &id)
		say(s.refunds[id])
	case strings.HasPrefix(path, "/orders/"):
		_, _ = fmt.Sscanf(path, "/orders/%d", &id)
		if r.Method == http.MethodPut {
			var in map[string]any
			_ = json.NewDecoder(r.Body).Decode(&in)
			maps.Copy(s.orders[id], in)
			s.writes = append(s.writes, fmt.Sprint(path, in))
		}
		say(s.orders[id])
	case path == "/products/batch":
		say(map[string]any{})
	default:
		say([]any{})
	}
}

// order puts an order in the shop, or changes it.
func (s *scriptedWoo) order(id int, over map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.orders[id]
	if o == nil {
		at := time.Now().UTC().Format("2006-01-02T15:04:05")
		o = map[string]any{"id": id, "number": fmt.Sprint(id), "status": "processing", "currency": "EUR", "discount_total": "0.00",
			"shipping_total": "0.00", "total": "20.00", "total_tax": "0.00", "date_created_gmt": at,
			"billing": map[string]any{"first_name": "Zoë", "last_name": "Müller", "email": "zoe@example.test"}, "shipping": map[string]any{},
			"line_items": []any{wooLine(10*id, "MUG-A", 2, "20.00")}, "fee_lines": []any{}, "refunds": []any{}}
		s.orders[id] = o
	}
	maps.Copy(o, over)
	o["date_modified_gmt"] = time.Now().UTC().Format("2006-01-02T15:04:05")
}

// refund gives the refunds of an order, before the order names them: a pull may come between the two.
func (s *scriptedWoo) refund(id int, refunds ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refunds[id] = refunds
}

func wooLine(id int, sku any, quantity any, subtotal string) map[string]any {
	return map[string]any{"id": id, "sku": sku, "name": "Mug", "quantity": quantity, "subtotal": subtotal, "total": subtotal,
		"total_tax": "0.00", "product_id": 5, "variation_id": 0, "meta_data": []any{}}
}

// connectScripted makes a channel of the shop.
func (s *service) connectScripted(shop *scriptedWoo, settings map[string]any) string {
	s.Helper()
	made := s.call("POST", "/api/v1/channels", map[string]any{"name": "Woo", "platform": "WOOCOMMERCE", "settings": settings,
		"credentials": map[string]any{"url": shop.URL, "consumerKey": "ck_test", "consumerSecret": "cs_test"}}, 201)
	channel := made.Text("data", "channel", "id")
	if got := s.call("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}, 200); got.At("data", "success") != true {
		s.Fatalf("the test failed: %v", got)
	}
	return channel
}

func (s *service) orderOf(external string) document {
	list := s.call("GET", "/api/v1/orders?limit=100", nil, 200)
	for i := range list.List("data") {
		if list.Text("data", i, "externalId") == external {
			return s.call("GET", "/api/v1/orders/"+list.Text("data", i, "id"), nil, 200)
		}
	}
	return nil
}

// An order with a zero byte, which PostgreSQL does not keep, is taken over without it, and so are those behind it.
func TestOrdersWithZeroBytes(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		shop := newScriptedWoo(t)
		channel := s.connectScripted(shop, nil)
		line := wooLine(10, "MUG\x00", 2, "20.00")
		line["name"] = "Mug\x00"
		line["meta_data"] = []any{map[string]any{"key": "Text", "value": "a\x00b", "display_key": "Text", "display_value": "a\x00b"}}
		shop.refund(1, map[string]any{"id": 5, "amount": "1.00", "reason": "torn\x00", "line_items": []any{}})
		shop.order(1, map[string]any{"number": "1\x00", "customer_note": "\x00", "transaction_id": "t\x00",
			"billing": map[string]any{"first_name": "A\x00da", "last_name": "L", "email": "a@example.test",
				"address_1": "1\x00", "country": "F\x00R"},
			"line_items": []any{line}, "refunds": []any{map[string]any{"id": 5}}})
		for i := 2; i < 6; i++ {
			shop.order(i, nil)
		}
		s.await("the orders", func() string {
			for i := 1; i < 6; i++ {
				if s.orderOf(fmt.Sprint(i)) == nil {
					return s.jobs(channel)
				}
			}
			return ""
		})
		o := s.orderOf("1").Object("data")
		if o.Text("customerName") != "Ada L" || o.Text("items", 0, "sku") != "MUG" || o.Text("refunds", 0, "reason") != "torn" ||
			o.Text("items", 0, "metadata", "Text") != "ab" || o.Text("shippingAddress", "country") != "FR" {
			t.Errorf("%v", o)
		}
	})
}

// A status of the shop that nothing is known of is an issue. When the setting says what it means, orders that are in it follow, the issue
// goes, and an order that was moved here meanwhile stays.
func TestStatusMapThatIsMadeLater(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		shop := newScriptedWoo(t)
		channel := s.connectScripted(shop, map[string]any{"pullEvery": 3600})
		for id, status := range map[int]string{1: "packing", 2: "packing", 3: "on-hold", 4: "processing"} {
			shop.order(id, map[string]any{"status": status})
		}
		s.call("POST", "/api/v1/channels/"+channel+"/sync", map[string]any{"type": "order_pull"}, 202)
		path := func(id int) string { return "/api/v1/orders/" + s.orderOf(fmt.Sprint(id)).Text("data", "id") }
		s.await("the orders", func() string {
			for i := 1; i < 5; i++ {
				if s.orderOf(fmt.Sprint(i)) == nil {
					return s.jobs(channel)
				}
			}
			return unless(codes(s.orderOf("1")) == "illegal_transition unknown_sku", s.orderOf("1"))
		})
		s.call("PATCH", path(2)+"/status", map[string]any{"status": "CANCELLED"}, 200)
		s.call("PATCH", "/api/v1/channels/"+channel, map[string]any{"settings": map[string]any{"pullEvery": 3600,
			"statusMap": map[string]any{"packing": "PROCESSING", "on-hold": "PROCESSING"}}}, 200)
		s.await("the orders follow", func() string {
			return unless(s.orderOf("1").Text("data", "status") == "PROCESSING" && s.orderOf("3").Text("data", "status") == "PROCESSING",
				s.orderOf("1"), s.orderOf("3"))
		})
		if got := codes(s.orderOf("1")); got != "unknown_sku" {
			t.Errorf("%s: %v", got, s.orderOf("1"))
		}
		if o := s.orderOf("2"); o.Text("data", "status") != "CANCELLED" {
			t.Errorf("%v", o)
		}
		if o := s.orderOf("4"); len(o.List("data", "statusHistory")) != 1 {
			t.Errorf("%v", o)
		}
	})
}

// Orders that were completed in the shop and refunded after that, between two pulls or before the first one, were shipped: what is refunded
// wholly is RETURNED, what was refunded before is not shipped.
func TestOrdersThatWereRefundedAfterTheyWereShipped(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		shop := newScriptedWoo(t)
		channel := s.connectScripted(shop, map[string]any{"pullEvery": 3600})
		at := func(minutes int) string {
			return time.Now().UTC().Add(time.Duration(minutes) * time.Minute).Format("2006-01-02T15:04:05")
		}
		refund := func(id, quantity, created int, amount string) map[string]any {
			return map[string]any{"id": 100 + id, "amount": amount, "date_created_gmt": at(created), "line_items": []any{map[string]any{"id": 1,
				"quantity": -quantity, "total": "-" + amount, "total_tax": "0.00", "meta_data": []any{map[string]any{"key": "_refunded_item_id",
					"value": fmt.Sprint(10 * id)}}}}}
		}
		pull := func() {
			s.call("POST", "/api/v1/channels/"+channel+"/sync", map[string]any{"type": "order_pull"}, 202)
		}
		shop.order(1, nil)
		shop.order(2, nil)
		pull()
		s.await("the orders", func() string { return unless(s.orderOf("1") != nil && s.orderOf("2") != nil, s.jobs(channel)) })
		time.Sleep(1100 * time.Millisecond)
		for id, c := range map[int]struct {
			status   string
			quantity int
			created  int
			amount   string
		}{1: {"refunded", 2, 20, "20.00"}, 2: {"completed", 1, 20, "10.00"}, 3: {"refunded", 2, 20, "20.00"}, 4: {"completed", 1, 20, "10.00"},
			5: {"completed", 1, 5, "10.00"}, 6: {"refunded", 2, 5, "20.00"}} {
			shop.refund(id, refund(id, c.quantity, c.created, c.amount))
			shop.order(id, map[string]any{"status": c.status, "date_completed_gmt": at(10), "refunds": []any{map[string]any{"id": 100 + id}}})
		}
		shop.order(6, map[string]any{"date_completed_gmt": nil})
		pull()
		for external, want := range map[string]string{"1": "RETURNED 2", "2": "SHIPPED 2", "3": "RETURNED 2", "4": "SHIPPED 2", "5": "SHIPPED 1",
			"6": "CANCELLED 0"} {
			s.await("order "+external, func() string {
				o := s.orderOf(external)
				return unless(o != nil && fmt.Sprint(o.Text("data", "status"), " ", o.At("data", "items", 0, "shippedQuantity")) == want, want, o)
			})
		}
	})
}
