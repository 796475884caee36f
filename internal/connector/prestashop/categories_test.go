package prestashop_test

import (
	"slices"
	"testing"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
)

// Categories that a merchant has put a product in stay beside those that are pushed, and so does a main one among them; one that
// the product is in no longer here goes.
func TestCategoriesOfTheMerchantStay(t *testing.T) {
	s := newShop(t)
	p := mug()
	p.Categories = []connector.Category{{ID: "c1", Name: "Mugs", Slug: "mugs"}, {ID: "c2", Name: "Gifts", Slug: "gifts"}}
	push := func(want ...string) []string {
		t.Helper()
		result := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{p}))(t)[0]
		if result.State != connector.Live {
			t.Fatalf("%+v", result)
		}
		p.Known, p.Settled = result.IDs, true
		got := s.Categories(p.SKU)
		if want != nil && !slices.Equal(got, want) {
			t.Errorf("categories %v, want %v", got, want)
		}
		return got
	}
	own := push()
	s.Categories(p.SKU, "77")
	push("77", own[0], own[1])
	p.Categories = p.Categories[:1]
	push("77", own[0])
	p.Categories = nil
	if last := push(); slices.Contains(last, own[0]) || last[0] != "77" {
		t.Errorf("categories %v", last)
	}
}
