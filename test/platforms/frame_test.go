package platforms

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/connector/woocommerce/fakeshop"
	"entrepot/internal/db/dbtest"
)

// A connection test ends whatever the other side does, reports what happened, and leaves the channel
// unchanged. A redirect is not followed: its target sees no credentials.
func TestConnectionTestsEnd(t *testing.T) {
	dbtest.Long(t, "it waits for the bound of a connection test")
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(other.Close)
	hostile := map[string]http.HandlerFunc{
		"hangs": func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // only then is it noticed that the caller has hung up
			<-r.Context().Done()
		},
		"drips": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"name":"`))
			for err := error(nil); err == nil; time.Sleep(100 * time.Millisecond) {
				if _, err = w.Write([]byte("a")); err == nil {
					err = http.NewResponseController(w).Flush()
				}
			}
		},
		"redirects": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+r.URL.Path, http.StatusFound)
		},
		"floods": func(w http.ResponseWriter, _ *http.Request) {
			piece := []byte(strings.Repeat("x", 1<<16))
			for err := error(nil); err == nil; {
				_, err = w.Write(piece)
			}
		},
	}
	engineByEngine(t, func(t *testing.T, s *service) {
		var all sync.WaitGroup
		for name, behave := range hostile {
			server := httptest.NewServer(behave)
			t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
			for _, o := range shops() {
				o.Credentials["url"], o.Credentials["baseUrl"] = server.URL, server.URL
				made := s.call("POST", "/api/v1/channels", map[string]any{"name": name, "platform": o.Platform, "credentials": o.Credentials}, 201)
				channel := made.Text("data", "channel", "id")
				all.Go(func() {
					began := time.Now()
					status, got := s.try("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{})
					if took := time.Since(began); status != 200 || got.At("data", "success") != false || got.Text("data", "message") == "" ||
						took > 5*time.Minute { // 15 s, and what a starved machine makes of them
						t.Errorf("%s %s: %d in %s: %v", o.Platform, name, status, took, got)
					}
					if _, now := s.try("GET", "/api/v1/channels/"+channel, nil); now.Text("data", "status") != "active" {
						t.Errorf("%s %s: the channel is %v", o.Platform, name, now)
					}
				})
			}
		}
		all.Wait()
		if n := elsewhere.Load(); n != 0 {
			t.Errorf("%d requests followed a redirect", n)
		}
	})
}

// A connection test that is asked for again with its Idempotency-Key gets the same answer, and the shop is not called again.
func TestReplayOfAConnectionTest(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		var calls atomic.Int64
		shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(int(500 + calls.Add(1)))
		}))
		t.Cleanup(shop.Close)
		made := s.call("POST", "/api/v1/channels", map[string]any{"name": "Woo", "platform": "WOOCOMMERCE", "status": "inactive",
			"credentials": map[string]any{"url": shop.URL, "consumerKey": "ck_test", "consumerSecret": "cs_test"}}, 201)
		path := "/api/v1/channels/" + made.Text("data", "channel", "id") + "/sync/test"
		first, err := s.attempt("POST", path, map[string]any{}, "Idempotency-Key", "once")
		if err != nil || first.status != 200 || first.At("data", "success") != false {
			t.Fatal(first, err)
		}
		asked := calls.Load()
		again, err := s.attempt("POST", path, map[string]any{}, "Idempotency-Key", "once")
		if err != nil || !reflect.DeepEqual(again, first) || calls.Load() != asked || asked == 0 {
			t.Errorf("again: %v %v, %d calls after %d; first %v", again, err, calls.Load(), asked, first)
		}
	})
}

// What a channel's settings say of statuses and prices is done. A SKU that nothing has here and a move that is not allowed are issues of
// the order; the line without product is linked when the SKU arrives.
func TestSettingsAndIssues(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		shop := newWooShop(t, fakeshop.Habits{})
		channel := s.connect(shop, map[string]any{"priceFactor": "1.2", "statusMap": map[string]any{"on-hold": "PROCESSING"}})
		s.catalog(channel, 2)
		s.await("products", func() string {
			counts, first := s.states(channel)
			items, _ := shop.Items()
			return unless(counts["published"] == 2 && items["MUG-000"].Regular == "23.88" && items["MUG-001-S"].Regular == "25.80", counts, first,
				items["MUG-000"].Regular, items["MUG-001-S"].Regular)
		})
		shop.AddProduct("STRANGER", "Somebody else's", "5", 9)
		held := shop.Place(fakeshop.Wish{SKUs: map[string]int64{"MUG-000": 1}, Status: "on-hold"})
		strange := shop.Place(fakeshop.Wish{SKUs: map[string]int64{"MUG-000": 1, "STRANGER": 2}})
		done := shop.Place(fakeshop.Wish{SKUs: map[string]int64{"MUG-000": 1}, Status: "completed"})
		full := func(id int64) document {
			if o := s.here(channel)[id]; o != nil {
				return s.call("GET", "/api/v1/orders/"+o.Text("id"), nil, 200)
			}
			return nil
		}
		s.await("orders", func() string {
			return unless(full(held).Text("data", "status") == "PROCESSING" && full(done).Text("data", "status") == "SHIPPED" &&
				codes(full(strange)) == "unknown_sku", full(held), full(done), full(strange))
		})
		s.call("POST", "/api/v1/products",
			map[string]any{"sku": "STRANGER", "name": "Known now", "price": 5, "stock": map[string]any{"quantity": 9}}, 201)
		s.await("the line is linked", func() string {
			o := full(strange)
			for i := range o.List("data", "items") {
				if o.Text("data", "items", i, "sku") == "STRANGER" && o.Text("data", "items", i, "productId") == "" {
					return fmt.Sprint(o)
				}
			}
			return ""
		})
		shop.Move(done, "pending")
		s.await("a move that is not allowed", func() string {
			o := full(done)
			return unless(codes(o) == "illegal_transition" && o.Text("data", "status") == "SHIPPED", o)
		})
		if status := shop.Orders()[done].Status; status != "pending" {
			t.Errorf("the shop's order was moved to %s", status)
		}
	})
}

// here is the channel's orders by the shop's number.
func (s *service) here(channel string) map[int64]document {
	s.Helper()
	found := map[int64]document{}
	got := s.call("GET", "/api/v1/orders?limit=100&channelId="+channel, nil, 200)
	for i := range got.List("data") {
		var number int64
		_, _ = fmt.Sscan(got.Text("data", i, "externalId"), &number)
		found[number] = got.Object("data", i)
	}
	return found
}

// codes are those of an order's issues, each once.
func codes(order document) string {
	var list []string
	for i := range order.List("data", "issues") {
		list = append(list, order.Text("data", "issues", i, "code"))
	}
	return strings.Join(list, " ")
}

// A publication that is taken off is on its way until the shop has taken it off sale, and gone then. A channel that is deactivated or
// deleted takes its webhooks out of the shop; one that is active again has them again.
func TestLeaving(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		shop := newWooShop(t, fakeshop.Habits{})
		channel := s.connect(shop, nil)
		s.catalog(channel, 2)
		s.await("products", func() string {
			counts, first := s.states(channel)
			return unless(counts["published"] == 2, counts, first)
		})
		shop.Down(503)
		product := s.call("GET", "/api/v1/products?sku=MUG-000", nil, 200).Text("data", 0, "id")
		s.call("DELETE", "/api/v1/channels/"+channel+"/publications/"+product, nil, 200)
		if counts, _ := s.states(channel); counts["removing"] != 1 {
			t.Errorf("while the shop is away: %v", counts)
		}
		shop.Down(0)
		s.await("taken off", func() string {
			counts, first := s.states(channel)
			items, _ := shop.Items()
			return unless(counts["removing"] == 0 && counts["published"] == 1 && items["MUG-000"].Status == "draft", counts, first, items["MUG-000"],
				s.jobs(channel))
		})
		s.call("PATCH", "/api/v1/channels/"+channel, map[string]any{"status": "inactive"}, 200)
		if now := s.call("GET", "/api/v1/channels/"+channel, nil, 200); len(shop.Hooks()) != 0 || len(now.List("data", "webhooks")) != 0 {
			t.Errorf("deactivated: the shop has %v, the channel %v", shop.Hooks(), now)
		}
		s.call("PATCH", "/api/v1/channels/"+channel, map[string]any{"status": "active"}, 200)
		s.await("webhooks again", func() string { return unless(len(shop.Hooks()) == 5, shop.Hooks(), s.jobs(channel)) })
		s.call("DELETE", "/api/v1/channels/"+channel, nil, 200)
		if len(shop.Hooks()) != 0 {
			t.Errorf("deleted: the shop has %v", shop.Hooks())
		}
	})
}
