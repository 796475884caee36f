package platforms

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"entrepot/internal/connector/amazon/fakeshop"
)

// Many levels go to Amazon as one feed, which is asked for until it is done, also over a restart. What it reports as refused fails, and a
// listing that its merchant has ended there is said to be gone.
func TestAmazonFeeds(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		const products = 24
		account := fakeshop.New()
		account.Faults = fakeshop.Faults{LoseAnswer: 29, TooMany: 31}
		server := httptest.NewServer(account)
		t.Cleanup(server.Close)
		made := s.call("POST", "/api/v1/channels", map[string]any{"name": "Amazon", "platform": "AMAZON", "credentials": map[string]any{
			"baseUrl": server.URL, "sellerId": fakeshop.SellerID, "marketplaceId": fakeshop.MarketplaceID, "clientId": fakeshop.ClientID,
			"clientSecret": fakeshop.ClientSecret, "refreshToken": fakeshop.RefreshToken}}, 201)
		channel := made.Text("data", "channel", "id")
		if got := s.call("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}, 200); got.At("data", "success") != true {
			t.Fatal(got)
		}
		var skus []string
		var levels []map[string]any
		for i := range products {
			sku := fmt.Sprintf("PEN-%02d", i)
			skus = append(skus, sku)
			levels = append(levels, map[string]any{"sku": sku, "quantity": 10 + i})
			s.call("POST", "/api/v1/products", map[string]any{"sku": sku, "name": "Pen", "price": 3,
				"attributes": map[string]any{"EAN": fmt.Sprintf("40063813339%02d", i)}}, 201)
		}
		s.call("POST", "/api/v1/channels/"+channel+"/publications", map[string]any{"skus": skus}, 200)
		states := func() (counts map[string]int, reasons []string) {
			counts = map[string]int{}
			list := s.call("GET", "/api/v1/channels/"+channel+"/publications?limit=100", nil, 200)
			for i := range list.List("data") {
				counts[list.Text("data", i, "status")]++
				if reason := list.Text("data", i, "error"); reason != "" {
					reasons = append(reasons, reason)
				}
			}
			return counts, reasons
		}
		s.await("published", func() string {
			counts, reasons := states()
			return unless(counts["published"] == products, counts, reasons, s.jobs(channel))
		})
		account.End("PEN-00")
		s.call("PATCH", "/api/v1/sdk/inventory/bulk-update", map[string]any{"updates": levels}, 200)
		s.restart()
		s.await("stock of all", func() string {
			for i, sku := range skus[1:] {
				if _, n, _ := account.Offer(sku); n != int64(11+i) {
					return fmt.Sprint(sku, n, account.Calls(), s.jobs(channel))
				}
			}
			return ""
		})
		s.await("what is gone", func() string {
			counts, reasons := states()
			return unless(counts["published"] == products-1 && len(reasons) == 1 && reasons[0] == "PEN-00: gone on the platform", counts, reasons,
				s.jobs(channel))
		})
		if calls := account.Calls(); calls["createFeed"] == 0 || calls["createFeed"] > 8 {
			t.Errorf("%v", calls)
		}
	})
}
