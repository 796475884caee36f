package platforms

import (
	"fmt"
	"maps"
	"testing"

	amazonshop "entrepot/internal/connector/amazon/fakeshop"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/connectortest/story"
	prestashop "entrepot/internal/connector/prestashop/fakeshop"
	shopifyshop "entrepot/internal/connector/shopify/fakeshop"
	wooshop "entrepot/internal/connector/woocommerce/fakeshop"
)

// reducedAt is what a shop shows as the price of a SKU, and before it the price that is crossed out, if any.
func reducedAt(shop story.Shop, sku string) string {
	price, before := "", ""
	switch inner := shop.Handler.(type) {
	case *wooshop.Shop:
		items, _ := inner.Items()
		if price = items[sku].Regular; items[sku].Sale != "" {
			price, before = items[sku].Sale, items[sku].Regular
		}
	case *prestashop.Shop:
		price, before = inner.Reduced(sku)
	case *shopifyshop.Shop:
		shown, _ := inner.Variant(sku)
		price, before = shown.Price, shown.Before
	case *amazonshop.Account:
		price, _, _ = inner.Offer(sku)
		before = inner.ListPrice(sku)
	default:
		there, _ := shop.Stands()
		price = there[sku].Price
	}
	if price = twoPlaces(price); before != "" && twoPlaces(before) != price {
		return twoPlaces(before) + " " + price
	}
	return price
}

// A compareAtPrice above the price is the price before a reduction, where the platform knows reductions: set, changed, removed
// and below the price, with the channel's factor, for products, variants, and variants that have none of their own. eBay and
// TikTok Shop show the price.
func TestReducedPrices(t *testing.T) {
	each(t, func(t *testing.T, s *service, shop story.Shop) {
		settings := map[string]any{"pullEvery": 3600, "priceFactor": "1.2"}
		if shop.Platform == "AMAZON" {
			settings["listing"], settings["productType"], settings["variationTheme"], settings["brand"] = "full", "MUG", "SIZE", "Mugs"
		}
		c := s.connectShop(t, shop, settings)
		one, parent := "ONE-"+shop.Platform, "ALL-"+shop.Platform
		own, inherits := parent+"-OWN", parent+"-INHERITS"
		size := func(value, ean string) map[string]any { return map[string]any{"Size": value, "EAN": ean} }
		images := []any{map[string]any{"url": connectortest.Pictures(t) + "/front.png"}}
		c.publish(t, map[string]any{"sku": one, "name": "Mug " + one, "price": 10, "compareAtPrice": 12.5, "images": images,
			"stock": map[string]any{"quantity": 9}, "attributes": map[string]any{"EAN": "4006381333931"}}, one)
		c.publish(t, map[string]any{"sku": parent, "name": "Mug " + parent, "price": 10, "compareAtPrice": 15, "images": images,
			"variants": []any{
				map[string]any{"sku": own, "price": 20, "compareAtPrice": 30, "stock": 9, "attributes": size("L", "4006381333948")},
				map[string]any{"sku": inherits, "price": 12, "stock": 9, "attributes": size("S", "4006381333955")}}}, own, inherits)
		shows := func(what string, want map[string]string) {
			t.Helper()
			if shop.Platform == "EBAY" || shop.Platform == "TIKTOK_SHOP" {
				for sku, text := range want {
					var parts [2]string
					if n, _ := fmt.Sscan(text, &parts[0], &parts[1]); n == 2 {
						want[sku] = parts[1]
					}
				}
			}
			have := func() map[string]string {
				got := map[string]string{}
				for sku := range want {
					got[sku] = reducedAt(shop, sku)
				}
				return got
			}
			c.passUntil(t, what, func() string { return unless(maps.Equal(have(), want), have(), " want ", want) })
			c.settle(t)
			if got := have(); !maps.Equal(got, want) {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
		}
		set := func(sku string, price string, before any) {
			s.call("PATCH", "/api/v1/sdk/prices/bulk-update",
				map[string]any{"updates": []any{map[string]any{"sku": sku, "price": price, "compareAtPrice": before}}}, 200)
		}
		shows("set", map[string]string{one: "15.00 12.00", own: "36.00 24.00", inherits: "18.00 14.40"})
		set(one, "10", "20")
		set(own, "20", "25")
		shows("changed", map[string]string{one: "24.00 12.00", own: "30.00 24.00", inherits: "18.00 14.40"})
		set(parent, "10", "13")
		shows("of the product", map[string]string{own: "30.00 24.00", inherits: "15.60 14.40"})
		set(one, "10", nil)
		set(own, "20", "19")
		set(parent, "10", nil)
		shows("removed, or below the price", map[string]string{one: "12.00", own: "24.00", inherits: "14.40"})
		set(one, "10", "10")
		set(own, "18", "19")
		shows("the same, or above the price again", map[string]string{one: "12.00", own: "22.80 21.60", inherits: "14.40"})
		id := s.call("GET", "/api/v1/products?sku="+one, nil, 200).Text("data", 0, "id")
		s.call("PATCH", "/api/v1/products/"+id, map[string]any{"name": "Large mug " + one, "compareAtPrice": 11}, 200)
		shows("with another name", map[string]string{one: "13.20 12.00"})
	})
}
