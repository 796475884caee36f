package woocommerce_test

import (
	"strconv"
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
