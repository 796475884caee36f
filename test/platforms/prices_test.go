package platforms

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"entrepot/internal/connector/connectortest"
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

// The price of a product goes with its publication. After it no platform is sent the price again; one that changes is sent once.
func TestPricesAreSentOnce(t *testing.T) {
	t.Parallel()
	pictures := connectortest.Pictures(t)
	engines(t, func(t *testing.T, s *service) {
		for _, o := range dealt(t, s.store.Engine()) {
			var prices atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				if setsPrice(o.Platform, r, string(body)) {
					prices.Add(1)
				}
				o.Handler.ServeHTTP(w, r)
			}))
			t.Cleanup(server.Close)
			o.Credentials["url"], o.Credentials["baseUrl"] = server.URL, server.URL
			made := s.call("POST", "/api/v1/channels",
				map[string]any{"name": o.Platform, "platform": o.Platform, "credentials": o.Credentials}, 201)
			channel := made.Text("data", "channel", "id")
			if got := s.call("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}, 200); got.At("data", "success") != true {
				t.Fatalf("%s: %v", o.Platform, got)
			}
			variant := func(size string) map[string]any {
				attributes := map[string]any{"Size": size}
				if o.Identifiers {
					attributes["EAN"] = map[string]string{"S": "4006381333931", "M": "4006381333948"}[size]
				}
				return map[string]any{"sku": o.Platform + "-" + size, "name": size, "stock": 9, "attributes": attributes}
			}
			s.call("POST", "/api/v1/products", map[string]any{"sku": o.Platform, "name": "Shirt " + o.Platform, "price": 12,
				"images":   []any{map[string]any{"url": pictures + "/front.png"}},
				"variants": []any{variant("S"), variant("M")}}, 201)
			s.call("POST", "/api/v1/channels/"+channel+"/publications", map[string]any{"skus": []string{o.Platform}}, 200)
			stockPushes := func() (ended int) {
				for _, job := range s.call("GET", "/api/v1/jobs?type=stock_push&channelId="+channel, nil, 200).List("data") {
					if job, _ := job.(map[string]any); job["completedAt"] != nil {
						ended++
					}
				}
				return ended
			}
			s.await(o.Platform+": published, and looked at afterwards", func() string {
				list := s.call("GET", "/api/v1/channels/"+channel+"/publications", nil, 200)
				return unless(list.Text("data", 0, "status") == "published" && stockPushes() > 0, list, s.jobs(channel))
			})
			if n := prices.Load(); n != 0 {
				t.Errorf("%s: %d requests set the price that the publication had brought", o.Platform, n)
			}
			s.call("PATCH", "/api/v1/sdk/prices/bulk-update",
				map[string]any{"updates": []any{map[string]any{"sku": o.Platform + "-S", "price": 13}}}, 200)
			s.await(o.Platform+": the new price", func() string { return unless(prices.Load() > 0, s.jobs(channel)) })
		}
	})
}
