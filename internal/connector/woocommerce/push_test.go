package woocommerce_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
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

// Corrected tracking takes the place of the old in the shop's own parcels, once.
func TestCorrectedParcels(t *testing.T) {
	s := newShop(t)
	s.Habits.Fulfillments = true
	id := s.Place(fakeshop.Wish{Unknown: 1})
	line := strconv.FormatInt(s.Orders()[id].Lines[0], 10)
	ref := connector.OrderRef{ExternalID: strconv.FormatInt(id, 10), Deleted: func(number string) bool { return number == "OLD" }}
	parcel := connector.Parcel{Key: "1", Number: "OLD", Carrier: "UPS", Lines: []connector.ParcelLine{{ExternalLine: line, Quantity: 1}}}
	push := func(number, carrier string) {
		t.Helper()
		parcel.Number, parcel.Carrier = number, carrier
		ref.Shipped = []connector.Parcel{parcel}
		for range 2 {
			if err := s.session.PushShipment(t.Context(), ref, parcel); err != nil {
				t.Fatal(err)
			}
		}
		if o := s.Orders()[id]; o.Parcels != 1 {
			t.Errorf("%s: %d parcels", number, o.Parcels)
		}
	}
	push("OLD", "UPS")
	parcel.Corrected = true
	push("NEW", "UPS")
	push("NEW", "DHL")
}

// A plugin has no way to change an entry: corrected tracking is entered anew, and the old taken out. Entries of others stay.
func TestCorrectedParcelsOfAPlugin(t *testing.T) {
	entered := map[string]map[string]string{"1": {"tracking_id": "1", "tracking_number": "THEIRS"}}
	s := newShopAt(t, "", func(shop http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, entry, ours := strings.Cut(r.URL.Path, "/wc-shipment-tracking/v3/orders/7/shipment-trackings")
			if !ours {
				shop.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			switch r.Method {
			case http.MethodGet:
				list := []map[string]string{}
				for _, id := range slices.Sorted(maps.Keys(entered)) {
					list = append(list, entered[id])
				}
				_ = json.NewEncoder(w).Encode(list)
				return
			case http.MethodDelete:
				delete(entered, strings.TrimPrefix(entry, "/"))
			default:
				var in map[string]string
				_ = json.NewDecoder(r.Body).Decode(&in)
				id := in["tracking_number"] + in["custom_tracking_provider"]
				entered[id] = map[string]string{"tracking_id": id, "tracking_number": in["tracking_number"],
					"tracking_provider": in["custom_tracking_provider"]}
				w.WriteHeader(http.StatusCreated)
			}
			_, _ = w.Write([]byte("{}"))
		})
	})
	ref := connector.OrderRef{ExternalID: "7", Deleted: func(number string) bool { return number == "OLD" }}
	for _, c := range []struct {
		parcel connector.Parcel
		want   string
	}{
		{connector.Parcel{Key: "1", Number: "OLD", Carrier: "UPS"}, "1 OLDUPS"},
		{connector.Parcel{Key: "1", Number: "NEW", Carrier: "UPS", Corrected: true}, "1 NEWUPS"},
		{connector.Parcel{Key: "1", Number: "NEW", Carrier: "DHL", Corrected: true}, "1 NEWDHL"},
	} {
		ref.Shipped = []connector.Parcel{c.parcel}
		for range 2 {
			if err := s.session.PushShipment(t.Context(), ref, c.parcel); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Join(slices.Sorted(maps.Keys(entered)), " "); got != c.want {
			t.Errorf("entries %s, not %s", got, c.want)
		}
	}
}
