package platforms

import (
	"cmp"
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"entrepot/internal/connector/woocommerce/fakeshop"
)

// wooShop is a shop that serves and delivers its notifications until the test ends.
type wooShop struct {
	*fakeshop.Shop
	url string
}

func newWooShop(t *testing.T, habits fakeshop.Habits) *wooShop {
	t.Helper()
	shop := fakeshop.New("ck_test", "cs_test")
	shop.Habits = habits
	server := httptest.NewServer(shop)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); shop.Deliver(ctx) }()
	t.Cleanup(func() { cancel(); <-ended; server.CloseClientConnections(); server.Close() })
	return &wooShop{shop, server.URL}
}

// connect makes the shop's channel and tests it.
func (s *service) connect(shop *wooShop, settings map[string]any) (channel string) {
	s.Helper()
	made := s.call("POST", "/api/v1/channels", map[string]any{"name": "Woo", "platform": "WOOCOMMERCE", "settings": settings,
		"credentials": map[string]any{"url": shop.url, "consumerKey": "ck_test", "consumerSecret": "cs_test"}}, 201)
	channel = made.Text("data", "channel", "id")
	if got := s.call("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}, 200); got.At("data", "success") != true {
		s.Fatalf("the test failed: %v", got)
	}
	return channel
}

// A test proves reading and writing, names the shop, and registers each webhook once, however often it runs; one that the shop switched
// off is on again.
func TestWooTest(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		for name, habits := range map[string]fakeshop.Habits{"tls": {}, "plain http": {Signed: true}, "no header": {StripHeader: true},
			"warnings": {Warn: 2}, "limits": {TooMany: 5}} {
			shop := newWooShop(t, habits)
			channel := s.connect(shop, nil)
			got := s.call("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}, 200)
			if n := len(got.List("data", "webhooksRegistered")); n != 5 || got.Text("data", "shop", "name") != "Mug Shop" ||
				got.Text("data", "shop", "currency") != "EUR" {
				t.Errorf("%s: %v", name, got)
			}
			if hooks := shop.Hooks(); len(hooks) != 5 {
				t.Errorf("%s: the shop has %v", name, hooks)
			}
			shop.Disable("order.updated")
			s.call("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}, 200)
			for _, h := range shop.Hooks() {
				if h.Status != "active" || !strings.HasSuffix(h.Address, "/api/v1/webhooks/platform/"+channel+"/woocommerce") {
					t.Errorf("%s: %v", name, h)
				}
			}
			now := s.call("GET", "/api/v1/channels/"+channel, nil, 200)
			if now.Text("data", "status") != "active" || len(now.List("data", "webhooks")) != 5 || now.Text("data", "nextPullAt") == "" ||
				now.Text("data", "webhooks", 0, "status") != "active" || now.At("data", "lastError") != nil {
				t.Errorf("%s: the channel is %v", name, now)
			}
		}
	})
}

// A test that cannot succeed says why: a wrong secret and a read-only key make the channel needs_reauth, a shop that
// is down or answers nonsense leaves it unchanged, and no secret is shown.
func TestWooTestFails(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		for _, c := range []struct {
			name, key, secret string
			down              int
			status, says      string
		}{
			{"wrong secret", "ck_test", "cs_wrong", 0, "needs_reauth", "Invalid signature"},
			{"may only read", "ck_read", "cs_test", 0, "needs_reauth", "write"},
			{"maintenance", "ck_test", "cs_test", 503, "active", "maintenance"},
			{"PHP is down", "ck_test", "cs_test", 502, "active", "Bad Gateway"},
			{"no answer", "ck_test", "cs_test", -1, "active", "no answer"},
		} {
			shop := newWooShop(t, fakeshop.Habits{})
			shop.Down(c.down)
			made := s.call("POST", "/api/v1/channels", map[string]any{"name": c.name, "platform": "WOOCOMMERCE",
				"credentials": map[string]any{"url": shop.url, "consumerKey": c.key, "consumerSecret": c.secret}}, 201)
			channel := made.Text("data", "channel", "id")
			got := s.call("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}, 200)
			if got.At("data", "success") != false || !strings.Contains(fmt.Sprint(got), c.says) ||
				strings.Contains(fmt.Sprint(got), c.secret) {
				t.Errorf("%s: %v", c.name, got)
			}
			now := s.call("GET", "/api/v1/channels/"+channel, nil, 200)
			if now.Text("data", "status") != c.status || !strings.Contains(now.Text("data", "lastError"), c.says) ||
				(now.At("data", "nextPullAt") == nil) != (c.status == "needs_reauth") || len(now.List("data", "webhooks")) != 0 {
				t.Errorf("%s: the channel is %v, want %s", c.name, now, c.status)
			}
		}
	})
}

// catalog makes products with stock and publishes them: every second one has three variants.
func (s *service) catalog(channel string, count int) {
	s.Helper()
	for from := 0; from < count; from += 100 {
		var products []map[string]any
		var skus []string
		var levels []map[string]any
		for i := from; i < min(from+100, count); i++ {
			sku := fmt.Sprintf("MUG-%03d", i)
			skus = append(skus, sku)
			p := map[string]any{
				"sku":            sku,
				"name":           fmt.Sprintf("Mug \"%d\" & Co", i),
				"price":          "19.90",
				"compareAtPrice": nil,
				"description":    "<p>A mug.</p>",
			}
			if i%2 == 1 {
				var variants []map[string]any
				for _, size := range []string{"S", "M", "L"} {
					variants = append(
						variants,
						map[string]any{"sku": sku + "-" + size, "name": size, "price": "21.50", "attributes": map[string]any{"Size": size}},
					)
					levels = append(levels, map[string]any{"sku": sku + "-" + size, "quantity": 50})
				}
				p["variants"] = variants
			} else {
				levels = append(levels, map[string]any{"sku": sku, "quantity": 50})
			}
			products = append(products, p)
		}
		s.call("POST", "/api/v1/sdk/products/bulk-import?wait=true", map[string]any{"products": products}, 200)
		s.call("PATCH", "/api/v1/sdk/inventory/bulk-update", map[string]any{"updates": levels}, 200)
		s.call("POST", "/api/v1/channels/"+channel+"/publications", map[string]any{"skus": skus}, 200)
	}
}

// states counts a channel's publications by status.
func (s *service) states(channel string) (counts map[string]int, firstError string) {
	s.Helper()
	counts = map[string]int{}
	for page := 1; ; page++ {
		got := s.call("GET", fmt.Sprintf("/api/v1/channels/%s/publications?limit=250&page=%d", channel, page), nil, 200)
		for i := range got.List("data") {
			counts[got.Text("data", i, "status")]++
			if text := got.Text("data", i, "error"); text != "" && firstError == "" {
				firstError = text
			}
		}
		if len(got.List("data")) < 250 {
			return counts, firstError
		}
	}
}

// available reads what is available of SKUs here.
func (s *service) available() map[string]int64 {
	s.Helper()
	out := map[string]int64{}
	for page := 1; ; page++ {
		got := s.call("GET", fmt.Sprintf("/api/v1/inventory?limit=100&page=%d", page), nil, 200)
		for i := range got.List("data") {
			n, _ := got.At("data", i, "available").(float64)
			out[got.Text("data", i, "sku")] += int64(n)
		}
		if len(got.List("data")) < 100 {
			return out
		}
	}
}

// equalStock says where shop and service differ; "" when they agree on all that is sold.
func (s *service) equalStock(shop *wooShop) string {
	items, doubled := shop.Items()
	if len(doubled) > 0 {
		return fmt.Sprintf("SKUs stand twice: %v", doubled)
	}
	differ, example := 0, ""
	for sku, n := range s.available() {
		if item, there := items[sku]; there && item.Kind != "variable" && (item.Quantity != max(0, n) || !item.Managed) {
			differ++
			example = fmt.Sprintf("%s: %d here, %d there", sku, n, item.Quantity)
		}
	}
	if differ == 0 {
		return ""
	}
	return fmt.Sprintf("%d SKUs differ, such as %s", differ, example)
}

// Products go out with their variants, categories, attributes, pictures and stock; each SKU once, and later changes of price, content and
// stock by themselves.
func TestWooProducts(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		shop := newWooShop(t, fakeshop.Habits{})
		adopted := shop.AddProduct("MUG-000", "An old mug", "5", 1)
		shop.AddProduct("MUG-003-M", "Somebody else's", "5", 1)
		channel := s.connect(shop, map[string]any{"stockBuffer": 2})
		s.call(
			"POST",
			"/api/v1/sdk/categories/bulk-import",
			map[string]any{"categories": []map[string]any{{"externalId": "c1", "name": "Kitchen"},
				{"externalId": "c2", "name": "Mugs", "parentExternalId": "c1"}}},
			200,
		)
		s.catalog(channel, 6)
		s.call("POST", "/api/v1/sdk/products/bulk-import?wait=true", map[string]any{"products": []map[string]any{
			{"sku": "PIC", "name": "Pictured", "price": 10, "compareAtPrice": 12, "categoryIds": []string{"c2"},
				"images": []map[string]any{
					{"url": "https://pictures.example/a.png", "position": 0},
					{"url": "https://pictures.example/b.png", "position": 1},
				}},
			{
				"sku":    "BAD",
				"name":   "Bad picture",
				"price":  10,
				"images": []map[string]any{{"url": "https://pictures.example/not-there.png", "position": 0}},
			}}}, 200)
		s.call("POST", "/api/v1/channels/"+channel+"/publications", map[string]any{"skus": []string{"PIC", "BAD"}}, 200)
		s.await("products", func() string {
			counts, first := s.states(channel)
			if counts["published"] != 6 || counts["failed"] != 2 {
				return fmt.Sprint(counts, first)
			}
			return ""
		})
		items, doubled := shop.Items()
		if len(doubled) > 0 || items["MUG-000"].ID != adopted || items["MUG-000"].Regular != "19.90" || items["PIC"].Images != 2 ||
			items["PIC"].Regular != "12.00" ||
			items["PIC"].Sale != "10.00" {
			t.Errorf("doubled %v, %+v, %+v", doubled, items["MUG-000"], items["PIC"])
		}
		if p := items["MUG-001"]; p.Kind != "variable" || p.Status != "publish" || items["MUG-001-S"].Parent != p.ID ||
			items["MUG-001-L"].Regular != "21.50" {
			t.Errorf("%+v %+v", p, items["MUG-001-S"])
		}
		if p, half := items["MUG-003"]; half && p.Status == "publish" {
			t.Errorf("half a product is on sale: %+v", p)
		}
		if _, there := items["BAD"]; there {
			t.Error("a product whose picture could not be had is there")
		}
		s.await("stock less the buffer", func() string {
			items, _ := shop.Items()
			if items["MUG-001-S"].Quantity != 48 || items["MUG-000"].Quantity != 48 {
				return fmt.Sprintf("%+v %+v", items["MUG-001-S"], items["MUG-000"])
			}
			return ""
		})
		calls := shop.Calls()[""]
		s.call(
			"PATCH",
			"/api/v1/sdk/prices/bulk-update",
			map[string]any{"updates": []map[string]any{{"sku": "MUG-000", "price": "17.50"}, {"sku": "MUG-001-M", "price": "18"}}},
			200,
		)
		s.call(
			"PATCH",
			"/api/v1/sdk/inventory/bulk-update",
			map[string]any{"updates": []map[string]any{{"sku": "MUG-000", "quantity": 1}, {"sku": "MUG-001-M", "quantity": 9}}},
			200,
		)
		s.await("prices and stock", func() string {
			items, _ := shop.Items()
			if items["MUG-000"].Regular != "17.50" || items["MUG-001-M"].Regular != "18.00" || items["MUG-000"].Quantity != 0 ||
				items["MUG-001-M"].Quantity != 7 {
				return fmt.Sprintf("%+v %+v", items["MUG-000"], items["MUG-001-M"])
			}
			return ""
		})
		shop.SetStock("MUG-002", 99)
		s.await("a count that was changed in the shop is set back", func() string {
			items, _ := shop.Items()
			if items["MUG-002"].Quantity != 48 {
				return fmt.Sprintf("%+v", items["MUG-002"])
			}
			return ""
		})
		t.Logf("two waves and a correction: %d calls", shop.Calls()[""]-calls)
	})
}

// An order comes in once with the shop's amounts to the cent, and follows the shop: payment, refund, edit, bin.
func TestWooOrders(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		shop := newWooShop(t, fakeshop.Habits{Duplicate: true, Reorder: true, Warn: 3})
		channel := s.connect(shop, nil)
		s.catalog(channel, 2)
		s.await("products", func() string {
			counts, first := s.states(channel)
			return unless(counts["published"] == 2, counts, first)
		})
		plain := shop.Place(
			fakeshop.Wish{
				SKUs:     map[string]int64{"MUG-000": 3, "MUG-001-S": 1},
				Discount: 10,
				Shipping: 412,
				Fee:      250,
				Unknown:  2,
				Email:    "Ada@shop.example",

				Engraving: "Für Ada & Co",
			},
		)
		unpaid := shop.Place(fakeshop.Wish{SKUs: map[string]int64{"MUG-000": 1}, Status: "pending"})
		binned := shop.Place(fakeshop.Wish{SKUs: map[string]int64{"MUG-000": 1}})
		find := func(id int64) document {
			got := s.call("GET", fmt.Sprintf("/api/v1/orders?search=%d&channelId=%s", id, channel), nil, 200)
			for i := range got.List("data") {
				if got.Text("data", i, "externalNumber") == fmt.Sprint(id) {
					return s.call("GET", "/api/v1/orders/"+got.Text("data", i, "id"), nil, 200)
				}
			}
			return nil
		}
		s.await("orders", func() string {
			return unless(find(plain) != nil && find(unpaid) != nil && find(binned) != nil, "not all are here")
		})
		o := find(plain)
		if o.Text("data", "totalAmount") != shop.Orders()[plain].Total || o.Text("data", "status") != "PROCESSING" ||
			o.Text("data", "customerEmail") == "" ||
			len(o.List("data", "items")) != 4 {
			t.Errorf("%v, the shop says %+v", o, shop.Orders()[plain])
		}
		if o.Text("data", "items", 0, "metadata", "Engraving") != "Für Ada & Co" ||
			o.At("data", "items", 0, "metadata", "_reduced_stock") != nil ||
			fmt.Sprint(o.At("data", "paymentMetadata", "coupons")) != "[ten]" {
			t.Errorf("what was entered and the coupon: %v, %v", o.At("data", "items", 0), o.At("data", "paymentMetadata"))
		}
		if issues := o.List("data", "issues"); len(issues) != 0 {
			t.Errorf("issues: %v", issues)
		}
		if find(unpaid).Text("data", "status") != "PENDING" {
			t.Errorf("unpaid: %v", find(unpaid))
		}
		shop.Move(unpaid, "completed")
		shop.Trash(binned)
		shop.Refund(plain, 1, "broken")
		s.await("what changed there", func() string {
			return unless(
				find(unpaid).Text("data", "status") == "SHIPPED" && find(binned).Text("data", "status") == "CANCELLED" &&
					len(find(plain).List("data", "refunds")) == 1,
				find(unpaid).Text("data", "status"),
				find(binned).Text("data", "status"),
				find(plain).At("data", "refunds"),
			)
		})
		if n := s.call("GET", "/api/v1/orders?channelId="+channel, nil, 200).Text("meta", "total"); n != "3" {
			t.Errorf("%s orders, want 3", n)
		}
		s.await("stock", func() string { return s.equalStock(shop) })
	})
}

func unless(ok bool, otherwise ...any) string {
	if ok {
		return ""
	}
	return cmp.Or(fmt.Sprint(otherwise...), "nothing")
}
