package platforms

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/connectortest/story"
)

// channelOf is a channel of a shop behind a server, in a running service with a clock of its own.
type channelOf struct {
	*service
	story.Shop
	id string

	down   atomic.Bool  // the shop answers 502
	loses  atomic.Int64 // how many answers to writes with contents of products are 502 in place of the shop's
	mu     sync.Mutex
	writes []string // requests that change something there
}

// connectShop makes the channel of a shop, tests it and waits for its first pull. The channel is deleted with the test.
func (s *service) connectShop(t *testing.T, shop story.Shop, settings map[string]any) *channelOf {
	t.Helper()
	c := s.makeChannel(t, shop, settings)
	c.connect(t)
	return c
}

// makeChannel makes the channel of a shop.
func (s *service) makeChannel(t *testing.T, shop story.Shop, settings map[string]any) *channelOf {
	t.Helper()
	c := &channelOf{service: s, Shop: shop}
	shop.Clock(s.clock.now)
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	credentials := map[string]any{"url": server.URL, "baseUrl": server.URL}
	for name, value := range shop.Credentials {
		credentials[name] = value
	}
	if shop.Deliver != nil {
		go shop.Deliver(t.Context())
	}
	made := s.call("POST", "/api/v1/channels", map[string]any{"name": shop.Platform, "platform": shop.Platform, "credentials": credentials,
		"settings": settings}, 201)
	c.id = made.Text("data", "channel", "id")
	t.Cleanup(func() { s.call("DELETE", "/api/v1/channels/"+c.id+"?force=true", nil, 200) })
	return c
}

// connect tests the channel and waits for its first pull.
func (c *channelOf) connect(t *testing.T) {
	t.Helper()
	tested := c.call("POST", "/api/v1/channels/"+c.id+"/sync/test", map[string]any{}, 200)
	if tested.At("data", "success") != true {
		t.Fatal(tested)
	}
	if c.Install != nil {
		c.Install(tested.Text("data", "paste", "url"), tested.Text("data", "paste", "secret"))
	}
	c.passUntil(t, "the first pull", func() string {
		return unless(c.call("GET", "/api/v1/channels/"+c.id, nil, 200).At("data", "lastSyncAt") != nil, "none yet")
	})
}

// ServeHTTP notes what changes something in the shop.
func (c *channelOf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if c.down.Load() {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	path, text := r.URL.Path, string(body)
	graph := strings.HasSuffix(path, "/graphql.json")
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead || graph && !strings.Contains(text, "mutation ") ||
		strings.HasSuffix(path, "/search") || strings.Contains(path, "token") || strings.Contains(path, "bulk_get")
	if !reads {
		c.mu.Lock()
		c.writes = append(c.writes, fmt.Sprintf("%s %s %.200s", r.Method, path, text))
		c.mu.Unlock()
	}
	if !reads && aboutContent(path, text) && c.loses.Add(-1) >= 0 {
		c.Handler.ServeHTTP(httptest.NewRecorder(), r)
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	c.Handler.ServeHTTP(w, r)
}

// aboutContent reports whether a request of any platform has the content of a product.
func aboutContent(path, body string) bool {
	for _, part := range []string{"images", "ocator", "imageUrls", "productSet", "id_default_image"} {
		if strings.Contains(path, part) || strings.Contains(body, part) {
			return true
		}
	}
	return false
}

// written is what was changed in the shop so far.
func (c *channelOf) written() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.writes)
}

// passUntil lets time pass until a condition holds.
func (c *channelOf) passUntil(t *testing.T, what string, holds func() string) {
	t.Helper()
	began, real := c.Now(), time.Now()
	for {
		missing := holds()
		if missing == "" {
			return
		}
		if c.Now().Sub(began) > 6*time.Hour && time.Since(real) > 5*time.Minute {
			t.Fatalf("%s: %s: %s %s", c.Platform, what, missing, c.jobs(c.id))
		}
		c.Pass(20 * time.Second)
	}
}

// settle lets time pass until nothing is due and nothing waits, then some more in which the shop may notify and is pulled.
func (c *channelOf) settle(t *testing.T) {
	t.Helper()
	for range 2 {
		for began := c.Now(); c.Now().Sub(began) < 20*time.Minute; {
			c.Pass(2 * time.Minute) // in each of which the shop is pulled
		}
		c.passUntil(t, "nothing is under way", func() string {
			got := c.call("GET", "/api/v1/jobs?limit=100&channelId="+c.id, nil, 200)
			for i := range got.List("data") {
				if got.At("data", i, "completedAt") == nil {
					return got.Text("data", i)
				}
			}
			return ""
		})
	}
}

// publish publishes a product of one SKU or of two variants, and waits until the shop has it on sale.
func (c *channelOf) publish(t *testing.T, product map[string]any, skus ...string) {
	t.Helper()
	c.call("POST", "/api/v1/products", product, 201)
	c.call("POST", "/api/v1/channels/"+c.id+"/publications", map[string]any{"skus": []any{product["sku"]}}, 200)
	c.passUntil(t, "on sale", func() string {
		there, _ := c.Stands()
		for _, sku := range skus {
			if !there[sku].OnSale {
				return fmt.Sprint(sku, " of ", there)
			}
		}
		return ""
	})
}

// events are the names of what happened after an event, and the id of the last one.
func (s *service) events(after string) (names []string, last string) {
	s.Helper()
	for {
		got := s.call("GET", "/api/v1/developer/events?limit=100&after="+after, nil, 200)
		for i := range got.List("data") {
			after = got.Text("data", i, "id")
			names = append(names, got.Text("data", i, "event"))
		}
		if len(got.List("data")) < 100 {
			return names, after
		}
	}
}

// writesOfOwn is how many requests each platform needs for a quantity, a price, and a parcel with the status that follows from it.
var writesOfOwn = map[string]int{"WOOCOMMERCE": 4, "PRESTASHOP": 4, "SHOPIFY": 3, "EBAY": 2, "TIKTOK_SHOP": 3, "AMAZON": 2}

// What the service itself wrote comes back from the platform, by notifications and by every pull that follows. It is no event, no movement
// of stock, no job that does anything, and nothing is written there because of it.
func TestOwnWritesComeBack(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		for _, shop := range dealt(t, s.store.Engine()) {
			shop.Faults = nil
			t.Run(shop.Platform, func(t *testing.T) { s.hearsItself(t, s.connectShop(t, shop, map[string]any{"pullEvery": 300})) })
		}
	}, timed)
}

func (s *service) hearsItself(t *testing.T, c *channelOf) {
	sku := "MUG-" + c.Platform
	c.publish(t, map[string]any{"sku": sku, "name": "Mug " + c.Platform, "price": 10, "stock": map[string]any{"quantity": 9},
		"attributes": map[string]any{"EAN": story.EAN(7)}, "images": []any{map[string]any{"url": connectortest.Pictures(t) + "/front.png"}}}, sku)
	id := c.Buy(story.Wish{Email: "ada@shop.example", Lines: []story.Line{{SKU: sku, Quantity: 2, Cents: 1000}}})
	order := func() document {
		return s.call("GET", "/api/v1/orders?channelId="+c.id, nil, 200).Object("data", 0)
	}
	c.passUntil(t, "the order", func() string { return unless(order().Text("externalId") == id, order()) })
	c.settle(t)
	_, last := s.events("")
	movements := func() string {
		return s.call("GET", "/api/v1/inventory/"+sku+"/ledger?limit=100", nil, 200).Text("data")
	}
	before := len(c.written())

	s.call("PATCH", "/api/v1/sdk/inventory/bulk-update", map[string]any{"updates": []any{map[string]any{"sku": sku, "quantity": 20}}}, 200)
	s.call("PATCH", "/api/v1/sdk/prices/bulk-update", map[string]any{"updates": []any{map[string]any{"sku": sku, "price": 11}}}, 200)
	c.passUntil(t, "stock and price", func() string {
		there, _ := c.Stands()
		return unless(there[sku].Quantity == 18 && there[sku].Price == "11.00", there)
	})
	path := "/api/v1/orders/" + order().Text("id")
	lines := s.call("GET", path, nil, 200)
	s.call("POST", path+"/shipments", map[string]any{"carrier": "DHL", "trackingNumber": "JD1", "items": []any{
		map[string]any{"orderItemId": lines.Text("data", "items", 0, "id"), "quantity": 2}}}, 201)
	c.passUntil(t, "shipped there", func() string {
		now := s.call("GET", path, nil, 200)
		return unless(c.Order(id).Shipped && now.Text("data", "channelSync", "status") == "synced", c.Order(id), now)
	})
	moved := movements()
	c.settle(t)
	wrote := c.written()[before:]
	if len(wrote) != writesOfOwn[c.Platform] {
		t.Errorf("%d writes: %s", len(wrote), strings.Join(wrote, "\n"))
	}
	c.settle(t)
	if now := c.written()[before:]; len(now) != len(wrote) {
		t.Errorf("written because of it: %s", strings.Join(now[len(wrote):], "\n"))
	}
	happened, _ := s.events(last)
	slices.Sort(happened)
	if got := strings.Join(happened, " "); got != "channel.sync_completed channel.sync_completed order.shipment_created order.shipped "+
		"order.status_changed product.updated stock.updated stock.updated" {
		t.Errorf("events: %s", got)
	}
	if got := movements(); got != moved {
		t.Errorf("movements: %s, ours were %s", got, moved)
	}
}
