package tiktokshop_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/tiktokshop/fakeshop"
)

// ceramics is a category that demands much.
var ceramics = fakeshop.Category{Dimensions: true, Attributes: []fakeshop.Attribute{
	{ID: "100", Name: "Material", Required: true, Values: map[string]string{"Ceramic": "1", "Glass": "2"}},
	{ID: "101", Name: "Capacity", Required: true, Free: true},
	{ID: "102", Name: "Kind of glass", Required: true, Values: map[string]string{"Crystal": "3"}, When: [2]string{"100", "2"}},
	{ID: "103", Name: "Pattern", Values: map[string]string{"Dots": "4"}},
}}

// What a category demands and a product lacks is named, all of it, before anything of the product is sent; a value that TikTok knows is
// given by its id, whatever its case.
func TestDemandsOfACategory(t *testing.T) {
	with := func(attributes ...connector.Attribute) []connector.Attribute { return attributes }
	material := func(value string) connector.Attribute { return connector.Attribute{Name: "material", Value: value} }
	capacity := connector.Attribute{Name: "Capacity", Value: "0.3 l"}
	size := map[string]string{"packageSize": "30x20x10"}
	for name, c := range map[string]struct {
		demands    fakeshop.Category
		settings   map[string]string
		attributes []connector.Attribute
		lacks      []string // none: it is made
		not        string   // no part of the reason
	}{
		"nothing is there": {ceramics, nil, nil, []string{`"Material"`, "Ceramic, Glass", `"Capacity"`, "packageSize"}, "Kind of glass"},
		"a value that is not known": {ceramics, size, with(material("Paper"), capacity), []string{`"Material"`, "Ceramic, Glass", `"Paper"`},
			"Capacity"},
		"what another value demands": {ceramics, size, with(material("Glass"), capacity), []string{`"Kind of glass"`, "Crystal"}, "Material"},
		"all is there":               {ceramics, size, with(material("CERAMIC"), capacity), nil, ""},
		"an optional value that is not known": {ceramics, size, with(material("ceramic"), capacity,
			connector.Attribute{Name: "Pattern", Value: "Stripes"}), nil, ""},
		"a size chart":  {fakeshop.Category{SizeChart: true}, nil, nil, []string{"size chart", "Seller Center"}, ""},
		"a certificate": {fakeshop.Category{Certificate: "Food contact"}, nil, nil, []string{`"Food contact"`, "Seller Center"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t, c.settings)
			s.Audit, s.Demands = time.Hour, c.demands
			mug := s.mug()
			mug.Attributes = c.attributes
			got := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug}))(t)[0]
			if len(c.lacks) == 0 {
				if got.State != connector.Waiting {
					t.Errorf("%+v", got)
				}
				if shown := fmt.Sprint(s.Content("MUG")["product_attributes"]); !strings.Contains(shown, "id:1") || strings.Contains(shown, "103") {
					t.Errorf("the shop has %s", shown)
				}
				return
			}
			if got.State != connector.Failed || got.Again || c.not != "" && strings.Contains(got.Error, c.not) {
				t.Errorf("%+v", got)
			}
			for _, part := range c.lacks {
				if !strings.Contains(got.Error, part) {
					t.Errorf("the reason says nothing of %s: %s", part, got.Error)
				}
			}
			if items, _ := s.Items(); len(items) != 0 || s.Pictures() != 0 || s.Calls("POST /product/202309/products") != 0 {
				t.Errorf("sent: %v, %d pictures", items, s.Pictures())
			}
		})
	}
}

// A change leaves what the merchant has entered in Seller Center and the product here does not have.
func TestWhatIsEnteredThereStays(t *testing.T) {
	s := newShop(t, map[string]string{"packageSize": "30x20x10"})
	s.AddProduct("a mug", "MUG")
	s.Enter("MUG", map[string]any{"size_chart": map[string]any{"template": map[string]any{"id": "9"}},
		"certifications": []any{map[string]any{"id": "1"}}, "brand": map[string]any{"id": "77"},
		"product_attributes": []any{map[string]any{"id": "100", "values": []any{map[string]any{"id": "2", "name": "Glass"}}},
			map[string]any{"id": "101", "values": []any{map[string]any{"name": "0.3 l"}}}}})
	s.Demands = ceramics
	s.Demands.SizeChart, s.Demands.Certificate = true, "Food contact"
	mug := s.mug()
	mug.Attributes = []connector.Attribute{{Name: "Kind of glass", Value: "Crystal"}}
	if got := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug}))(t)[0]; got.State == connector.Failed {
		t.Fatalf("%+v", got)
	}
	shown := fmt.Sprint(s.Content("MUG"))
	for _, part := range []string{"id:9", "id:77", "id:2", "0.3 l", "id:3", "certifications"} {
		if !strings.Contains(shown, part) {
			t.Errorf("without %s: %s", part, shown)
		}
	}
}

// A brand is found by the whole of its name; a product whose brand TikTok does not know is listed without one. The setting brandId counts
// before it.
func TestBrands(t *testing.T) {
	for name, c := range map[string]struct {
		settings map[string]string
		brand    string
		want     any
	}{
		"known": {nil, "acme", "5001"}, "the beginning of another": {nil, "Ac", nil}, "unknown": {nil, "Nobody", nil},
		"of the setting": {map[string]string{"brandId": "7"}, "Acme", "7"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t, c.settings)
			s.Brands = map[string]string{"Acme": "5001", "Acme Home": "5002"}
			mug, other := s.mug(), s.mug()
			other.ID, other.SKU = "p3", "CUP"
			mug.Attributes = []connector.Attribute{{Name: "brand", Value: c.brand}}
			other.Attributes = mug.Attributes
			connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug, other}))(t)
			brand, _ := s.Content("CUP")["brand"].(map[string]any)
			if brand["id"] != c.want {
				t.Errorf("the brand is %v, want %v", brand, c.want)
			}
			if n := s.Calls("/brands"); n > 1 {
				t.Errorf("it was looked for %d times", n)
			}
		})
	}
}
