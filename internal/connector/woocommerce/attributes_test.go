package woocommerce_test

import (
	"fmt"
	"slices"
	"testing"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
)

// What a merchant has added to a product in the shop stays: pictures, attributes of the whole shop, and variations, which can be chosen
// still. Pictures and attributes that the product has no longer go.
func TestWhatTheMerchantAddedStays(t *testing.T) {
	s := newShop(t)
	s.AddProduct("MUG", "Theirs", "5", 1)
	s.AddImage("MUG", "https://theirs.example/mug.png")
	s.AddAttribute("MUG", "Brand", "Acme", false)
	mug := connector.Product{ID: "1", SKU: "MUG", Name: "Mug", Slug: "mug", OnSale: true, Price: 90000, Currency: "EUR", Quantity: 3,
		Attributes: []connector.Attribute{{Name: "Glaze", Value: "blue"}, {Name: "brand", Value: "Acme & Co"}},
		Images:     []connector.Image{{ID: "a", URL: "https://ours.example/a.png"}, {ID: "b", URL: "https://ours.example/b.png"}}}
	small := connector.Variant{SKU: "SHIRT-S", Price: 90000, Quantity: 1, Attributes: []connector.Attribute{{Name: "Size", Value: "S"}}}
	medium := connector.Variant{SKU: "SHIRT-M", Price: 90000, Quantity: 1, Attributes: []connector.Attribute{{Name: "Size", Value: "M"}}}
	s.AddProduct("SHIRT", "Shirt", "", 0)
	s.AddAttribute("SHIRT", "Size", "S", true)
	shirt := connector.Product{ID: "2", SKU: "SHIRT", Name: "Shirt", Slug: "shirt", OnSale: true, Price: 90000, Currency: "EUR",
		Variants: []connector.Variant{small, medium}}
	results := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug, shirt}))(t)
	images := map[string]string{}
	ids := map[string]connector.IDs{}
	for _, r := range results {
		if ids[r.SKU] = r.IDs; r.State != connector.Live {
			t.Fatalf("%+v", r)
		}
		if r.SKU == "MUG" {
			images = r.Images
		}
	}
	holds := func(sku string, want ...string) {
		t.Helper()
		if got := s.Attributes(sku); !slices.Equal(got, want) {
			t.Errorf("%s has %q, want %q", sku, got, want)
		}
	}
	holds("MUG", "*Brand: Acme & Co", "Glaze: blue")
	holds("SHIRT", "*Size: M|S")
	holds("SHIRT-M", "*Size: M")
	if shown, _ := s.Images("MUG"); !slices.Equal(shown, []string{"https://ours.example/a.png", "https://ours.example/b.png",
		"https://theirs.example/mug.png"}) {
		t.Errorf("pictures %v", shown)
	}
	s.AddVariation("SHIRT", "THEIRS-TOO", "2XL") // one of both is on the second page, whatever comes first
	for i := range 120 {
		s.AddVariation("SHIRT", fmt.Sprintf("THEIRS-%d", i), "XL")
	}
	s.AddVariation("SHIRT", "THEIRS", "3XL")
	s.AddAttribute("MUG", "Origin", "Ghent", false)
	mug.Known, shirt.Known, mug.Settled, shirt.Settled = ids["MUG"], ids["SHIRT"], true, true
	mug.Images, mug.DroppedImages = []connector.Image{{ID: "a", URL: "https://ours.example/a.png", Known: images["a"]}}, []string{images["b"]}
	mug.Attributes = mug.Attributes[1:]
	small.Known = ids["SHIRT-S"]
	shirt.Variants, shirt.Dropped = []connector.Variant{small}, []connector.Item{{SKU: "SHIRT-M", IDs: ids["SHIRT-M"]}}
	connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug, shirt}))(t)
	holds("MUG", "*Brand: Acme & Co", "*Origin: Ghent")
	holds("SHIRT", "*Size: 2XL|3XL|S|XL")
	holds("THEIRS", "*Size: 3XL")
	items, _ := s.Items()
	if _, there := items["SHIRT-M"]; there {
		t.Error("a variation that is none any more is there")
	}
	if shown, taken := s.Images("MUG"); taken != 3 || !slices.Equal(shown, []string{"https://ours.example/a.png",
		"https://theirs.example/mug.png"}) {
		t.Errorf("pictures %v, %d fetched", shown, taken)
	}
}

// Attributes of the product alone and categories that its merchant has added stay beside those that are pushed; what was pushed and is none
// of the product's any more goes.
func TestAttributesAndCategoriesOfTheMerchantStay(t *testing.T) {
	s := newShop(t)
	s.AddProduct("MUG", "Theirs", "5", 1)
	s.AddOwnAttribute("MUG", "Wash & care", "by hand")
	s.AddToCategory("MUG", 7)
	mug := connector.Product{ID: "1", SKU: "MUG", Name: "Mug", Slug: "mug", OnSale: true, Price: 90000, Currency: "EUR", Quantity: 3,
		Attributes: []connector.Attribute{{Name: "Glaze", Value: "blue"}},
		Categories: []connector.Category{{ID: "c1", Name: "Mugs", Slug: "mugs"}, {ID: "c2", Name: "Gifts", Slug: "gifts"}}}
	push := func(attributes []string, categories int) (own []int64) {
		t.Helper()
		result := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug}))(t)[0]
		if result.State != connector.Live {
			t.Fatalf("%+v", result)
		}
		mug.Known, mug.Settled = result.IDs, true
		if got := s.Attributes("MUG"); !slices.Equal(got, attributes) {
			t.Errorf("attributes %q, want %q", got, attributes)
		}
		if own = s.Categories("MUG"); len(own) != categories || !slices.Contains(own, 7) {
			t.Errorf("categories %v, want %d", own, categories)
		}
		return own
	}
	push([]string{"Glaze: blue", "Wash & care: by hand"}, 3)
	s.AddOwnAttribute("MUG", "Origin", "Ghent")
	s.AddToCategory("MUG", 8)
	mug.Attributes, mug.Categories = []connector.Attribute{{Name: "Size", Value: "L"}}, mug.Categories[:1]
	push([]string{"Origin: Ghent", "Size: L", "Wash & care: by hand"}, 3)
	mug.Attributes, mug.Categories = nil, nil
	if last := push([]string{"Origin: Ghent", "Wash & care: by hand"}, 2); !slices.Equal(last, []int64{7, 8}) {
		t.Errorf("categories %v", last)
	}
}
