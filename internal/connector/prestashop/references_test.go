package prestashop_test

import (
	"slices"
	"strings"
	"testing"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
)

// References that have the signs of a filter are found nevertheless: the product is made once, also when all that was known of it is lost,
// and no other is taken for it. One that consists of such signs is refused, and the others of the push go on.
func TestReferencesWithSignsOfFilters(t *testing.T) {
	s := newShop(t)
	odd := []string{"A|B", "12,5", "X[1]", "X[1]|X[2]", "50%", "5_0", `back\slash`, "|AB", "AB]", "[AB", "A,B|C", `quo"te'`, "ä|ö", "%AB%"}
	neighbours := []string{"A", "B", "12", "5", "12.4", "X", "1", "500", "510", "50", "backslash", "AB", "C", "X1", "ä", "a|b"}
	var products []connector.Product
	for _, sku := range append(slices.Clone(neighbours), odd...) {
		p := s.shirt()
		p.ID, p.SKU, p.Name, p.Slug, p.Variants, p.Images, p.Quantity = sku, sku, "Thing", "thing", nil, nil, 3
		products = append(products, p)
	}
	ids := map[string]string{}
	push := func() {
		t.Helper()
		for _, r := range connectortest.Must(s.session.Upsert(t.Context(), products))(t) {
			if r.State != connector.Live || ids[r.SKU] != "" && ids[r.SKU] != r.IDs.Product {
				t.Errorf("%q: %+v, was %s", r.SKU, r, ids[r.SKU])
			}
			ids[r.SKU] = r.IDs.Product
		}
	}
	push()
	push()
	for i := range products { // each alone: a filter of one value is read in another way than one of several
		products[i].Price += 10000
		one := products[i]
		for _, r := range connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{one}))(t) {
			if r.State != connector.Live || r.IDs.Product != ids[r.SKU] {
				t.Errorf("%q alone: %+v, was %s", r.SKU, r, ids[r.SKU])
			}
		}
	}
	seen := map[string]bool{}
	for _, id := range ids {
		seen[id] = true
	}
	if items, doubled := s.Items(); len(seen) != len(products) || len(items) != len(products) || len(doubled) != 0 {
		t.Errorf("%d products of %d, %d in the shop, twice: %v", len(seen), len(products), len(items), doubled)
	}
	signs := products[0]
	signs.ID, signs.SKU = "signs", "[|]%"
	results := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{signs, products[1]}))(t)
	if results[0].State != connector.Failed || results[0].Again || !strings.Contains(results[0].Error, "signs of its filters") ||
		results[1].State != connector.Live {
		t.Errorf("%+v", results)
	}
}

// A product or combination that got another reference in the shop is the same still: it gets ours again, and no second one is made.
func TestProductsThatGotAnotherReferenceInTheShop(t *testing.T) {
	s := newShop(t)
	cup, top := mug(), s.shirt()
	first := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{cup, top}))(t)
	cup.Known, top.Known, top.Variants[0].Known, top.Variants[1].Known = first[0].IDs, first[1].IDs, first[2].IDs, first[3].IDs
	for _, sku := range []string{"MUG", "SHIRT", "SHIRT-M"} {
		s.Set(sku, "reference", "THEIR-"+sku)
	}
	for i, r := range connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{cup, top}))(t) {
		if r.State != connector.Live || r.IDs.Product != first[i].IDs.Product || r.IDs.Variant != first[i].IDs.Variant {
			t.Errorf("%+v, was %+v", r, first[i])
		}
	}
	if s.Count("products") != 2 || s.Count("combinations") != 2 || s.Stock("SHIRT-M") != 6 {
		t.Errorf("%d products, %d combinations, %d of SHIRT-M", s.Count("products"), s.Count("combinations"), s.Stock("SHIRT-M"))
	}
}

// Products and combinations have EAN or UPC, weight and cost; the weight of a combination is what it adds to its product's. See
// connectortest.Trade.
func TestTrade(t *testing.T) {
	s := newShop(t)
	connectortest.Trade(t, s.session)
	for sku, want := range map[string]string{"CUP": "4006381333931  0.35 4.1", "TEE": "  0.2 ", "TEE-S": " 036000291452 -0.05 9", "TEE-M": "  0 "} {
		var got []string
		for _, field := range []string{"ean13", "upc", "weight", "wholesale_price"} {
			got = append(got, s.Field(sku, field, ""))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, not %q", sku, got, want)
		}
	}
}
