package api

import (
	"testing"
)

// A customer without addresses lives where the newest order with a known country goes, however it came to be there (interface §4.4).
func TestSegmentCountryFollowsTheNewestOrder(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		order := s.shop(t)
		who := s.customer(t, `{"email":"mover@x.example"}`)
		place := func(createdAt, country string) string {
			more := map[string]any{"customerId": who, "shippingAddress": raw(`{"country":"` + country + `"}`)}
			if createdAt != "" {
				more["createdAt"] = createdAt
			}
			return text(s.place(t, order(more)), "id")
		}
		segments := map[string]string{}
		for _, country := range []string{"FR", "DE", "CH"} {
			segments[country] = text(s.must(t, 201, "POST", "/api/v1/segments",
				map[string]any{"name": country, "rules": map[string]any{"country": country}}), "data", "id")
		}
		livesIn := func(what, want string) {
			t.Helper()
			got := ""
			for country, segment := range segments {
				if number(s.must(t, 200, "GET", "/api/v1/customers?segmentId="+segment, nil), "meta", "total") == "1" {
					got += country
				}
			}
			if got != want {
				t.Errorf("%s: the customer is in %q, not in %q", what, got, want)
			}
		}
		move := func(order, address string) {
			t.Helper()
			s.must(t, 200, "PATCH", "/api/v1/orders/"+order, `{"shippingAddress":`+address+`}`)
		}
		past := place("2020-01-02T03:04:05Z", "CH")
		livesIn("an order of the past", "CH")
		older := place("2019-01-02T03:04:05Z", "DE")
		livesIn("an older one after it", "CH")
		newest := place("", "FR")
		livesIn("the newest order", "FR")
		place("2021-01-02T03:04:05Z", "xx")
		place("2018-01-02T03:04:05Z", "DE")
		livesIn("history after the newest", "FR")
		move(newest, `{"country":"DE"}`)
		livesIn("the newest moved", "DE")
		move(older, `{"country":"FR"}`)
		livesIn("an old one moved", "DE")
		move(newest, `null`)
		livesIn("the newest without address", "CH")
		move(past, `{"country":"nowhere"}`)
		livesIn("the next without country", "FR")
		move(newest, `{"country":"CH"}`)
		livesIn("the newest with one again", "CH")

		primary := s.customer(t, `{"email":"primary@x.example"}`)
		who = primary
		place("2022-01-02T03:04:05Z", "DE")
		s.must(t, 200, "POST", "/api/v1/customers/merge",
			map[string]any{"primaryId": primary,
				"secondaryIds": []string{text(at(s.must(t, 200, "GET", "/api/v1/orders/"+newest, nil), "data"), "customerId")}})
		livesIn("merged into one with an older order", "CH")
		s.must(t, 200, "POST", "/api/v1/customers/"+primary+"/erase", nil)
		s.must(t, 200, "PATCH", "/api/v1/orders/"+newest, `{"shippingAddress":{"country":"FR"}}`)
		for country, segment := range segments {
			if n := number(s.must(t, 200, "GET", "/api/v1/customers?segmentId="+segment, nil), "meta", "total"); n != "0" {
				t.Errorf("erased: %s in %s", n, country)
			}
		}
	})
}
