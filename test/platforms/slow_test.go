package platforms

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest/story"
	wooshop "entrepot/internal/connector/woocommerce/fakeshop"
)

// A shop of WooCommerce that is too slow for a page of a hundred orders gives smaller ones, and the pull goes on where it was.
func TestSlowWooGivesSmallerPages(t *testing.T) {
	shop, most := wooshop.New("ck_test", "cs_test"), 30
	o := open(t, story.Shop{Platform: "WOOCOMMERCE", Credentials: map[string]any{"consumerKey": "ck_test", "consumerSecret": "cs_test"}},
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n, _ := strconv.Atoi(r.URL.Query().Get("per_page")); n > most {
				w.WriteHeader(http.StatusGatewayTimeout)
				return
			}
			shop.ServeHTTP(w, r)
		}))
	shop.Now = o.Clock
	shop.AddProduct("MUG", "Mug", "7.90", 999)
	for range 70 {
		shop.Place(wooshop.Wish{SKUs: map[string]int64{"MUG": 1}})
		o.Pass(time.Second)
	}
	seen, failed := map[string]bool{}, 0
	cursor := connector.Cursor{Since: o.Clock().Add(-time.Hour)}
	for {
		page, err := o.PullOrders(t.Context(), cursor)
		if err != nil {
			if failed++; !connector.Is(err, connector.Temporary) || failed > 9 {
				t.Fatal(err)
			}
			continue
		}
		for _, order := range page.Orders {
			seen[order.ExternalID] = true
		}
		if len(seen) > 30 {
			most = 15 // it becomes slower in the middle
		}
		if cursor.Page = page.Next; cursor.Page == "" {
			break
		}
	}
	if len(seen) != 70 || failed != 3 {
		t.Errorf("%d orders, %d failures", len(seen), failed)
	}
}
