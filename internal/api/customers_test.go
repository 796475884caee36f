package api

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/search"
)

// shop makes a product with plenty of stock and gives what an order of it is.
func (s *server) shop(t *testing.T) func(more map[string]any) map[string]any {
	t.Helper()
	s.must(t, 202, "POST", "/api/v1/sdk/products/bulk-import",
		`{"products":[{"sku":"A-1","name":"Mug","price":10,"stock":{"quantity":1000}}]}`)
	return func(more map[string]any) map[string]any {
		order := map[string]any{"customerName": "Ada Lovelace", "items": []any{map[string]any{"sku": "A-1", "quantity": 1, "unitPrice": 10}}}
		for name, value := range more {
			order[name] = value
		}
		return order
	}
}

// customer makes a customer and gives its id.
func (s *server) customer(t *testing.T, body any) string {
	t.Helper()
	return text(s.must(t, 201, "POST", "/api/v1/customers", body), "data", "id")
}

// place makes an order and reads it.
func (s *server) place(t *testing.T, body any) any {
	t.Helper()
	made := s.must(t, 201, "POST", "/api/v1/orders", body)
	return at(s.must(t, 200, "GET", "/api/v1/orders/"+text(made, "data", "id"), nil), "data")
}

// newest are the names of the events since the last call.
func (s *server) newest(t *testing.T, since *int64) string {
	t.Helper()
	names, next := s.eventsSince(*since)
	*since = next
	return strings.Join(names, " ")
}

// raw is JSON text in a body.
type raw string

func (r raw) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// A record that was merged into another is not listed without includeInactive, whatever becomes of the other one: also when that is
// erased, and the record with it.
func TestErasedSecondariesAreNotListed(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		primary, secondary := s.customer(t, `{"email":"primary@x.example"}`), s.customer(t, `{"email":"secondary@x.example"}`)
		alone, stays := s.customer(t, `{"email":"alone@x.example"}`), s.customer(t, `{"email":"stays@x.example"}`)
		s.must(t, 200, "POST", "/api/v1/customers/merge", map[string]any{"primaryId": primary, "secondaryIds": []string{secondary}})
		s.must(t, 200, "POST", "/api/v1/customers/"+primary+"/erase", nil)
		s.must(t, 200, "POST", "/api/v1/customers/"+alone+"/erase", nil)
		look := func(t *testing.T) {
			for query, want := range map[string][]string{
				"":                                    {stays, alone, primary},
				"includeInactive=true":                {stays, alone, secondary, primary},
				"search=erased-":                      {alone, primary},
				"search=erased-&includeInactive=true": {alone, secondary, primary},
				"email=erased-" + secondary + "@erased.invalid":                      {},
				"email=erased-" + secondary + "@erased.invalid&includeInactive=true": {secondary},
				"email=erased-" + primary + "@erased.invalid":                        {primary},
			} {
				list := s.must(t, 200, "GET", "/api/v1/customers?"+query, nil)
				got := []string{}
				for _, c := range at(list, "data").([]any) {
					got = append(got, text(c, "id"))
				}
				if !slices.Equal(got, want) || number(list, "meta", "total") != fmt.Sprint(len(want)) {
					t.Errorf("%q: %v, total %s, not %v", query, got, number(list, "meta", "total"), want)
				}
			}
			s.sound(t)
		}
		look(t)
		for _, kind := range search.Kinds {
			if err := search.Blocks[kind].FollowTenant(t.Context(), s.DB, s.tenant); err != nil {
				t.Fatal(err)
			}
		}
		look(t)
	})
}
