package platforms

import (
	"fmt"
	"testing"
	"time"

	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/connectortest/story"
)

// What a channel shows follows its rules (interface §4.5.7): of stock what is available in its warehouses less its buffer and never less
// than nothing, of prices its factor times ours, rounded half away from zero to the cent; at the publication, in every later wave, and of
// variants too. With stock "off" the platform keeps its own numbers, and prices go on.
func TestRulesOfChannels(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		for _, shop := range dealt(t, s.store.Engine()) {
			shop.Faults = nil
			t.Run(shop.Platform, func(t *testing.T) { s.keepsRules(t, shop) })
		}
	}, timed)
}

func (s *service) keepsRules(t *testing.T, shop story.Shop) {
	c := s.connectShop(t, shop, map[string]any{"pullEvery": 300, "priceFactor": "1.15", "stockBuffer": 2,
		"warehouses": []string{"north", "south"}})
	mug, small, large := "MUG-"+c.Platform, "S-"+c.Platform, "L-"+c.Platform
	levels := func(of map[string][3]int) {
		t.Helper()
		var updates []any
		for sku, n := range of {
			for i, warehouse := range []string{"north", "south", "west"} {
				updates = append(updates, map[string]any{"sku": sku, "warehouseCode": warehouse, "quantity": n[i]})
			}
		}
		s.call("PATCH", "/api/v1/sdk/inventory/bulk-update", map[string]any{"updates": updates}, 200)
	}
	prices := func(of map[string]string) {
		t.Helper()
		var updates []any
		for sku, price := range of {
			updates = append(updates, map[string]any{"sku": sku, "price": price})
		}
		s.call("PATCH", "/api/v1/sdk/prices/bulk-update", map[string]any{"updates": updates}, 200)
	}
	shows := func(what string, want map[string]string) {
		t.Helper()
		c.passUntil(t, what, func() string {
			there, _ := c.Stands()
			for sku, shown := range want {
				if got := fmt.Sprint(there[sku].Quantity, " at ", there[sku].Price); got != shown || !there[sku].OnSale {
					return fmt.Sprint(sku, ": ", got, ", want ", shown, ": ", there)
				}
			}
			return ""
		})
	}
	picture := []any{map[string]any{"url": connectortest.Pictures(t) + "/front.png"}}
	for _, p := range []map[string]any{{"sku": mug, "name": "Mug " + c.Platform, "price": 9.9, "images": picture,
		"attributes": map[string]any{"EAN": story.EAN(1)}},
		{"sku": "SHIRT-" + c.Platform, "name": "Shirt " + c.Platform, "price": 20, "images": picture, "variants": []any{
			map[string]any{"sku": small, "name": "S", "attributes": map[string]any{"Size": "S", "EAN": story.EAN(2)}},
			map[string]any{"sku": large, "name": "L", "price": 21.3, "attributes": map[string]any{"Size": "L", "EAN": story.EAN(3)}}}}} {
		s.call("POST", "/api/v1/products", p, 201)
	}
	levels(map[string][3]int{mug: {4, 5, 100}, small: {1, 1, 100}, large: {3, 0, 0}})
	s.call("POST", "/api/v1/channels/"+c.id+"/publications", map[string]any{"skus": []string{mug, "SHIRT-" + c.Platform}}, 200)
	// 9.90 × 1.15 = 11.385, 21.30 × 1.15 = 24.495
	shows("published", map[string]string{mug: "7 at 11.39", small: "0 at 23.00", large: "1 at 24.50"})
	levels(map[string][3]int{mug: {1, 0, 100}, small: {6, 0, 0}, large: {0, 40, 0}})
	prices(map[string]string{mug: "10.30", large: "0.01"}) // 11.845, 0.0115
	shows("a wave", map[string]string{mug: "0 at 11.85", small: "4 at 23.00", large: "38 at 0.01"})

	// Sold in the shop more than there is: what is available is below 0 here, and the shop shows nothing.
	c.Buy(story.Wish{Email: "ada@shop.example", Lines: []story.Line{{SKU: small, Quantity: 9, Cents: 2300}}})
	shows("oversold", map[string]string{small: "0 at 23.00"})
	c.passUntil(t, "reserved", func() string { n := s.available()[small]; return unless(n == -3, n) })
	shows("oversold and known", map[string]string{small: "0 at 23.00"})

	// The rules themselves change, and nothing else.
	s.call("PATCH", "/api/v1/channels/"+c.id, map[string]any{"settings": map[string]any{"pullEvery": 300, "priceFactor": "2",
		"stockBuffer": 10, "warehouses": []string{"north", "south"}}}, 200)
	shows("other rules", map[string]string{mug: "0 at 20.60", large: "30 at 0.02"})

	before, _ := c.Stands()
	s.call("PATCH", "/api/v1/channels/"+c.id, map[string]any{"settings": map[string]any{"pullEvery": 300, "stock": "off",
		"priceFactor": "2"}}, 200)
	levels(map[string][3]int{mug: {70, 0, 0}, large: {70, 0, 0}})
	prices(map[string]string{mug: "10.31", large: "21"})
	kept := map[string]string{mug: fmt.Sprint(before[mug].Quantity, " at 20.62"), large: fmt.Sprint(before[large].Quantity, " at 42.00")}
	shows("stock off", kept)
	for began := s.Now(); s.Now().Sub(began) < 20*time.Minute; {
		s.Pass(time.Minute)
	}
	shows("stock off, later", kept)
}
