package api

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/db"
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

func TestSegments(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		order := s.shop(t)
		one := s.customer(t,
			`{"email":"one@x.example","tags":["red","blue"],"addresses":[{"line1":"1","city":"Bern","zip":"3000","country":"CH"}]}`)
		two := s.customer(t, `{"email":"two@x.example","tags":["red"]}`)
		s.must(t, 201, "POST", "/api/v1/orders", order(map[string]any{"customerId": two, "shippingAddress": raw(`{"countryCode":"fr"}`)}))
		three := text(s.place(t, order(map[string]any{"customerEmail": "three@x.example", "shippingAddress": raw(`{"country":"CH"}`)})),
			"customerId")
		for _, c := range []struct {
			rules string
			want  []string // newest first
		}{
			{`{}`, []string{three, two, one}},
			{`{"tagsAny":["red"]}`, []string{two, one}},
			{`{"tagsAll":["red","blue"]}`, []string{one}},
			{`{"minOrders":1}`, []string{three, two}},
			{`{"minTotalSpent":"10.01"}`, []string{}},
			{`{"minTotalSpent":10,"country":"ch"}`, []string{three}},
			{`{"country":"CH"}`, []string{three, one}},
			{`{"country":"FR"}`, []string{two}},
			{`{"createdAfter":"2020-01-01"}`, []string{three, two, one}},
			{`{"createdAfter":"2999-01-01T00:00:00+02:00"}`, []string{}},
			{`{"lastOrderAfter":"2020-01-01"}`, []string{three, two}},
			{`{"lastOrderBefore":"2999-01-01"}`, []string{three, two}},
			{`{"lastOrderBefore":"2020-01-01"}`, []string{}},
		} {
			segment := text(s.must(t, 201, "POST", "/api/v1/segments", map[string]any{"name": "x", "rules": raw(c.rules)}), "data", "id")
			list := s.must(t, 200, "GET", "/api/v1/customers?segmentId="+segment, nil)
			var got []string
			for i, customer := range at(list, "data").([]any) {
				got = append(got, text(customer, "id"))
				if text(list, "data", i, "segments", 0, "id") != segment {
					t.Errorf("%s: the row does not name the segment: %v", c.rules, customer)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) || number(list, "meta", "total") != fmt.Sprint(len(c.want)) {
				t.Errorf("%s: %v, not %v", c.rules, got, c.want)
			}
			s.must(t, 200, "DELETE", "/api/v1/segments/"+segment, nil)
			s.must(t, 404, "DELETE", "/api/v1/segments/"+segment, nil)
			if n := number(s.must(t, 200, "GET", "/api/v1/customers?segmentId="+segment, nil), "meta", "total"); n != "0" {
				t.Errorf("a deleted segment has %s customers", n)
			}
		}
		for _, body := range []string{`{}`, `{"name":""}`, `{"name":"x","rules":{"minOrders":-1}}`,
			`{"name":"x","rules":{"minTotalSpent":"x"}}`,
			`{"name":"x","rules":{"tagsAny":"red"}}`, `{"name":"x","rules":{"country":"ZZ"}}`, `{"name":"x","rules":{"createdAfter":"x"}}`} {
			s.must(t, 400, "POST", "/api/v1/segments", body)
		}
		made := at(s.must(t, 201, "POST", "/api/v1/segments",
			`{"name":"a","rules":{"tagsAny":["red"],"minTotalSpent":"1.50","createdAfter":"2026-01-02"}}`), "data")
		if fmt.Sprint(at(made, "rules")) != "map[createdAfter:2026-01-02T00:00:00.000Z minTotalSpent:1.5 tagsAny:[red]]" {
			t.Errorf("rules %v", at(made, "rules"))
		}
		path := "/api/v1/segments/" + text(made, "id")
		if c := at(s.must(t, 200, "PATCH", path, `{"name":"b"}`), "data"); text(c, "name") != "b" || at(c, "rules", "tagsAny") == nil {
			t.Errorf("renamed %v", c)
		}
		if c := at(s.must(t, 200, "PATCH", path, `{"rules":{"minOrders":2}}`), "data"); text(c, "name") != "b" ||
			fmt.Sprint(at(c, "rules")) != "map[minOrders:2]" {
			t.Errorf("changed %v", c)
		}
		s.must(t, 400, "PATCH", path, `{"name":null}`)
		if n := number(s.must(t, 200, "GET", "/api/v1/segments", nil), "meta", "total"); n != "1" {
			t.Errorf("%s segments", n)
		}
		other := s.stranger()
		other.must(t, 404, "GET", path, nil)
		other.must(t, 404, "PATCH", path, `{"name":"mine"}`)
		other.must(t, 404, "DELETE", path, nil)
		s.must(t, 400, "GET", "/api/v1/customers?segmentId=x", nil)
	})
}

// What learns of a customer is its record: with the segments it is in at that moment, also when an order made it (interface §6.1).
func TestEventsOfCustomersNameTheirSegments(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		order := s.shop(t)
		for name, rules := range map[string]any{"Buyers": map[string]any{"minOrders": 1},
			"Fresh": map[string]any{"lastOrderAfter": "2020-01-01"}, "Resellers": map[string]any{"tagsAny": []string{"b2b"}}} {
			s.must(t, 201, "POST", "/api/v1/segments", map[string]any{"name": name, "rules": rules})
		}
		names := func(event string) string {
			var decoded struct {
				Data struct{ Segments []struct{ ID, Name string } }
			}
			var payload string
			err := s.DB.Read(t.Context(), s.tenant, func(tx *db.Tx) error {
				return tx.Row("SELECT payload FROM events WHERE tenant_id = $1 AND event = $2 ORDER BY stamp DESC LIMIT 1", []any{s.tenant, event},
					&payload)
			})
			if err == nil {
				err = json.Unmarshal([]byte(payload), &decoded)
			}
			if err != nil {
				t.Fatal(err)
			}
			var list []string
			for _, one := range decoded.Data.Segments {
				list = append(list, one.Name)
			}
			slices.Sort(list)
			return strings.Join(list, " ")
		}
		s.place(t, order(map[string]any{"customerEmail": "new@x.example"}))
		if got := names("customer.created"); got != "Buyers Fresh" {
			t.Errorf("made by an order: %q", got)
		}
		made := s.customer(t, map[string]any{"email": "by.hand@x.example"})
		if got := names("customer.created"); got != "" {
			t.Errorf("made by hand: %q", got)
		}
		s.must(t, 200, "PATCH", "/api/v1/customers/"+made, map[string]any{"tags": []string{"b2b"}})
		if got := names("customer.updated"); got != "Resellers" {
			t.Errorf("tagged: %q", got)
		}
	})
}
