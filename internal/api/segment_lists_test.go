package api

import (
	"fmt"
	"testing"

	"entrepot/internal/customers"
)

// Who is in a segment is kept, and a page is right all the same as soon as a change is answered, whatever changed; so are the total, a
// further page, and a search in the segment (interface §4.4).
func TestSegmentsAreRightAtOnce(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		order := s.shop(t)
		names := map[string]string{}
		named := func(name string, more string) string {
			t.Helper()
			who := s.customer(t, `{"email":"`+name+`@x.example"`+more+`}`)
			names[who] = name
			return who
		}
		ada, ben := named("ada", `,"tags":["vip"]`), named("ben", "")
		named("cy", `,"tags":["vip"]`)
		segment := func(name string, rules map[string]any) string {
			return text(s.must(t, 201, "POST", "/api/v1/segments", map[string]any{"name": name, "rules": rules}), "data", "id")
		}
		tagged := segment("tagged", map[string]any{"tagsAny": []any{"vip"}})
		bought := segment("bought", map[string]any{"minOrders": 1, "minTotalSpent": 20})
		list := func(query string) (in []string, total string) {
			t.Helper()
			found := s.must(t, 200, "GET", "/api/v1/customers?"+query, nil)
			for i := range at(found, "data").([]any) {
				in = append(in, names[text(found, "data", i, "id")])
			}
			return in, number(found, "meta", "total")
		}
		follow := func() {
			t.Helper()
			if err := customers.SegmentLists.FollowTenant(t.Context(), s.DB, s.tenant); err != nil {
				t.Fatal(err)
			}
		}
		holds := func(what string, of string, want ...string) {
			t.Helper()
			for _, when := range []string{"at once", "followed"} {
				in, total := list("segmentId=" + of)
				if fmt.Sprint(in) != fmt.Sprint(want) || total != fmt.Sprint(len(want)) {
					t.Errorf("%s, %s: %v of %s, not %v", what, when, in, total, want)
				}
				if when == "at once" {
					follow()
				}
			}
		}
		follow()
		holds("tags of new customers", tagged, "cy", "ada")
		s.must(t, 200, "PATCH", "/api/v1/customers/"+ben, `{"tags":["vip"]}`)
		holds("a tag", tagged, "cy", "ben", "ada")
		s.must(t, 200, "PATCH", "/api/v1/customers/"+ada, `{"tags":[]}`)
		holds("no tag", tagged, "cy", "ben")
		dan := named("dan", `,"tags":["vip"]`)
		holds("a new customer", tagged, "dan", "cy", "ben")

		first := text(s.place(t, order(map[string]any{"customerId": ben})), "id")
		holds("an order of 10", bought)
		s.place(t, order(map[string]any{"customerId": ben}))
		s.place(t, order(map[string]any{"customerId": dan, "items": []any{map[string]any{"sku": "A-1", "quantity": 2, "unitPrice": 10}}}))
		holds("orders of 20", bought, "dan", "ben")
		s.must(t, 200, "PATCH", "/api/v1/orders/"+first+"/status", `{"status":"CANCELLED"}`)
		holds("a cancelled order", bought, "dan")
		s.must(t, 200, "POST", "/api/v1/customers/merge", map[string]any{"primaryId": ben, "secondaryIds": []any{dan}})
		holds("dan is ben", bought, "ben")
		holds("dan is ben, by tags", tagged, "cy", "ben")

		if in, total := list("segmentId=" + tagged + "&limit=1&page=2"); fmt.Sprint(in) != "[ben]" || total != "2" {
			t.Errorf("the second page has %v of %s", in, total)
		}
		if in, total := list("segmentId=" + tagged + "&search=cy"); fmt.Sprint(in) != "[cy]" || total != "1" {
			t.Errorf("a search finds %v of %s", in, total)
		}
		s.must(t, 200, "PATCH", "/api/v1/segments/"+tagged, `{"rules":{"minOrders":1}}`)
		holds("other rules", tagged, "ben")
		s.must(t, 200, "POST", "/api/v1/customers/"+ben+"/erase", nil)
		holds("an erased customer", tagged)
	})
}
