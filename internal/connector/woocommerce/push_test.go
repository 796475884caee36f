package woocommerce_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"entrepot/internal/connector"
	"entrepot/internal/connector/woocommerce/fakeshop"
)

// A parcel is shown once, by its number or, without one, by its address: two without a number are two.
func TestParcelsWithoutNumbers(t *testing.T) {
	s := newShop(t)
	s.Habits.Fulfillments = true
	id := s.Place(fakeshop.Wish{Unknown: 3})
	ref := connector.OrderRef{ExternalID: strconv.FormatInt(id, 10)}
	for range 2 {
		for _, p := range []connector.Parcel{{Key: "1", URL: "https://carrier.example/1"}, {Key: "2", URL: "https://carrier.example/2"},
			{Key: "3", Number: "JD3"}, {Key: "4"}} {
			if err := s.session.PushShipment(t.Context(), ref, p); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := s.Orders()[id].Parcels; n != 3 {
		t.Errorf("%d parcels, not 3", n)
	}
}

// A plugin gives parcels back under the names under which it takes them, or under its own: either way one is entered once.
func TestParcelsOfAPlugin(t *testing.T) {
	for _, link := range []string{"tracking_link", "custom_tracking_link"} {
		var entered []map[string]string
		s := newShopAt(t, "", func(shop http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasSuffix(r.URL.Path, "/wc-shipment-tracking/v3/orders/7/shipment-trackings") {
					shop.ServeHTTP(w, r)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				if r.Method == http.MethodGet {
					_ = json.NewEncoder(w).Encode(append([]map[string]string{}, entered...))
					return
				}
				var in map[string]string
				_ = json.NewDecoder(r.Body).Decode(&in)
				entered = append(entered, map[string]string{"tracking_number": in["tracking_number"], link: in["custom_tracking_link"]})
				w.WriteHeader(http.StatusCreated)
				_, _ = w.Write([]byte("{}"))
			})
		})
		for range 2 {
			for _, p := range []connector.Parcel{{Key: "1", URL: "https://carrier.example/1"}, {Key: "2", URL: "https://carrier.example/2"},
				{Key: "3", Number: "JD3", URL: "https://carrier.example/3"}} {
				if err := s.session.PushShipment(t.Context(), connector.OrderRef{ExternalID: "7"}, p); err != nil {
					t.Fatal(err)
				}
			}
		}
		if len(entered) != 3 {
			t.Errorf("%s: %v", link, entered)
		}
	}
}
