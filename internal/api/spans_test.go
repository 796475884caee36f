package api

import (
	"fmt"
	"testing"

	"entrepot/internal/connector"
)

// The widest spans that a caller may name leave out nothing, and narrow ones what lies beside them, in the lists that find records by ids
// of about their age.
func TestSpansOfJobsAndEntries(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.must(t, 200, "PATCH", "/api/v1/account", item{"name": "Corner shop"})
		s.must(t, 202, "POST", "/api/v1/sdk/products/bulk-import", item{"products": []item{{"sku": "P", "name": "Pot", "price": 5}}})
		for _, list := range []string{"/api/v1/audit-log", "/api/v1/jobs"} {
			all := len(at(s.must(t, 200, "GET", list, nil), "data").([]any))
			if all == 0 {
				t.Errorf("%s is empty", list)
			}
			for span, want := range map[string]int{"from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z": all, "from=1970-01-01": all,
				"to=9999-12-31": all, "to=1970-01-02": 0, "from=9999-12-31": 0} {
				if got := len(at(s.must(t, 200, "GET", list+"?"+span, nil), "data").([]any)); got != want {
					t.Errorf("%s?%s: %d of %d", list, span, got, want)
				}
			}
		}
	})
}

// The pages of a channel's publications have each of them once, whichever end is nearer.
func TestPagesOfAChannelsPublications(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		var err error
		if s.Commerce.Connectors, err = connector.NewSet(); err != nil {
			t.Fatal(err)
		}
		channel := text(s.must(t, 201, "POST", "/api/v1/channels", item{"name": "Shop", "platform": "CUSTOM"}), "data", "channel", "id")
		const all = 7
		var skus []string
		for i := range all {
			skus = append(skus, fmt.Sprint("P", i))
			s.must(t, 201, "POST", "/api/v1/products", item{"sku": skus[i], "name": skus[i], "price": 5})
		}
		s.must(t, 200, "POST", "/api/v1/channels/"+channel+"/publications", item{"skus": skus})
		seen := map[string]bool{}
		for page := 1; page <= 5; page++ {
			list := s.must(t, 200, "GET", fmt.Sprintf("/api/v1/channels/%s/publications?limit=2&page=%d", channel, page), nil)
			rows := at(list, "data").([]any)
			if number(list, "meta", "total") != fmt.Sprint(all) || len(rows) != max(0, min(2, all-2*(page-1))) {
				t.Errorf("page %d: %v", page, list)
			}
			for i := range rows {
				sku := text(list, "data", i, "sku")
				if seen[sku] {
					t.Errorf("%s twice", sku)
				}
				seen[sku] = true
			}
		}
		if len(seen) != all {
			t.Errorf("%v", seen)
		}
	})
}
