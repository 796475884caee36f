package platforms

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	amazonshop "entrepot/internal/connector/amazon/fakeshop"
	ebayshop "entrepot/internal/connector/ebay/fakeshop"
	prestashop "entrepot/internal/connector/prestashop/fakeshop"
	shopifyshop "entrepot/internal/connector/shopify/fakeshop"
	tiktokshop "entrepot/internal/connector/tiktokshop/fakeshop"
	wooshop "entrepot/internal/connector/woocommerce/fakeshop"
)

// setsPrice reports whether a request sets the price of something that the platform has already.
func setsPrice(platform string, r *http.Request, body string) bool {
	switch platform {
	case "WOOCOMMERCE":
		_, update, _ := strings.Cut(body, `"update"`)
		return strings.HasSuffix(r.URL.Path, "/batch") && strings.Contains(update, "regular_price")
	case "PRESTASHOP":
		return r.Method == http.MethodPatch && strings.Contains(body, "<price>")
	case "SHOPIFY":
		return strings.Contains(body, "productVariantsBulkUpdate")
	case "AMAZON":
		return r.Method == http.MethodPatch && strings.Contains(body, "purchasable_offer")
	case "EBAY":
		return strings.HasSuffix(r.URL.Path, "/bulk_update_price_quantity") && strings.Contains(body, `"price"`)
	}
	return strings.HasSuffix(r.URL.Path, "/prices/update")
}

// wellBehaved takes the faults out of a shop.
func wellBehaved(shop http.Handler) {
	switch shop := shop.(type) {
	case *prestashop.Shop:
		shop.Faults = prestashop.Faults{}
	case *shopifyshop.Shop:
		shop.Faults = shopifyshop.Faults{}
	case *ebayshop.Account:
		shop.Faults = ebayshop.Faults{}
	case *tiktokshop.Shop:
		shop.Faults, shop.Audit = tiktokshop.Faults{}, 0
	case *amazonshop.Account:
		shop.Faults = amazonshop.Faults{}
	}
}

// The price of a product goes with its publication. After it no platform is sent the price again; one that changes is sent once.
func TestPricesAreSentOnce(t *testing.T) {
	t.Parallel()
	pictures := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("\x89PNG\r\n\x1a\n0123456789"))
	}))
	t.Cleanup(pictures.Close)
	engines(t, func(t *testing.T, s *service) {
		woo := wooshop.New("ck_test", "cs_test")
		all := append(others(pictures.URL), other{platform: "WOOCOMMERCE", shop: woo,
			credentials: map[string]any{"consumerKey": "ck_test", "consumerSecret": "cs_test"}})
		for _, o := range all {
			wellBehaved(o.shop)
			var prices atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				if setsPrice(o.platform, r, string(body)) {
					prices.Add(1)
				}
				o.shop.ServeHTTP(w, r)
			}))
			t.Cleanup(server.Close)
			o.credentials["url"], o.credentials["baseUrl"] = server.URL, server.URL
			made := s.call("POST", "/api/v1/channels",
				map[string]any{"name": o.platform, "platform": o.platform, "credentials": o.credentials}, 201)
			channel := made.text("data", "channel", "id")
			if got := s.call("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}, 200); got.at("data", "success") != true {
				t.Fatalf("%s: %v", o.platform, got)
			}
			variant := func(size string) map[string]any {
				attributes := map[string]any{"Size": size}
				if number := o.numbers[size]; number != "" {
					attributes["EAN"] = number
				}
				return map[string]any{"sku": o.platform + "-" + size, "name": size, "stock": 9, "attributes": attributes}
			}
			s.call("POST", "/api/v1/products", map[string]any{"sku": o.platform, "name": "Shirt " + o.platform, "price": 12,
				"images":   []any{map[string]any{"url": pictures.URL + "/front.png"}},
				"variants": []any{variant("S"), variant("M")}}, 201)
			s.call("POST", "/api/v1/channels/"+channel+"/publications", map[string]any{"skus": []string{o.platform}}, 200)
			stockPushes := func() (ended int) {
				for _, job := range s.call("GET", "/api/v1/jobs?type=stock_push&channelId="+channel, nil, 200).list("data") {
					if job, _ := job.(map[string]any); job["completedAt"] != nil {
						ended++
					}
				}
				return ended
			}
			s.await(o.platform+": published, and looked at afterwards", func() string {
				list := s.call("GET", "/api/v1/channels/"+channel+"/publications", nil, 200)
				return unless(list.text("data", 0, "status") == "published" && stockPushes() > 0, list, s.jobs(channel))
			})
			if n := prices.Load(); n != 0 {
				t.Errorf("%s: %d requests set the price that the publication had brought", o.platform, n)
			}
			s.call("PATCH", "/api/v1/sdk/prices/bulk-update",
				map[string]any{"updates": []any{map[string]any{"sku": o.platform + "-S", "price": 13}}}, 200)
			s.await(o.platform+": the new price", func() string { return unless(prices.Load() > 0, s.jobs(channel)) })
		}
	})
}
