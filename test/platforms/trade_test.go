package platforms

import (
	"strings"
	"testing"

	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/connectortest/story"
	prestashop "entrepot/internal/connector/prestashop/fakeshop"
	shopifyshop "entrepot/internal/connector/shopify/fakeshop"
	tiktokshop "entrepot/internal/connector/tiktokshop/fakeshop"
	wooshop "entrepot/internal/connector/woocommerce/fakeshop"
)

// A product's GTIN, weight and cost are in the shops that take them, and a change of one of them is pushed. Every platform takes the
// product.
func TestTradeIsPushed(t *testing.T) {
	each(t, func(t *testing.T, s *service, shop story.Shop) {
		c := s.connectShop(t, shop, map[string]any{"pullEvery": 3600}) // Amazon lists what its catalog has under the GTIN
		sku := "CUP-" + shop.Platform
		product := map[string]any{"sku": sku, "name": "Cup " + sku, "price": 10, "stock": map[string]any{"quantity": 9},
			"gtin": "4006381333931", "weight": 0.35, "cost": 4.1, "taxClass": "reduced-rate", "countryOfOrigin": "PT",
			"images": []any{map[string]any{"url": connectortest.Pictures(t) + "/front.png"}}}
		shown := func() string {
			switch inner := shop.Handler.(type) {
			case *wooshop.Shop:
				gtin, weight, tax := inner.Trade(sku)
				return gtin + " " + weight + " " + tax
			case *prestashop.Shop:
				return inner.Field(sku, "ean13", "") + " " + inner.Field(sku, "weight", "") + " " + inner.Field(sku, "wholesale_price", "")
			case *shopifyshop.Shop:
				barcode, item := inner.Trade(sku)
				return barcode + " " + item
			case *tiktokshop.Shop:
				code, kind, _ := inner.Number(sku)
				return kind + " " + code
			}
			return ""
		}
		c.publish(t, product, sku)
		first := map[string]string{"WOOCOMMERCE": "4006381333931 350 reduced-rate", "PRESTASHOP": "4006381333931 0.35 4.1",
			"SHOPIFY": `4006381333931 {"cost":"4.1","countryCodeOfOrigin":"PT"`, "TIKTOK_SHOP": "EAN 4006381333931"}[shop.Platform]
		if got := shown(); !strings.Contains(got, first) {
			t.Errorf("%s: %s, not %s", shop.Platform, got, first)
		}
		at := "/api/v1/products/" + c.call("GET", "/api/v1/products?sku="+sku, nil, 200).Text("data", 0, "id")
		c.call("PATCH", at, map[string]any{"weight": 0.4}, 200)
		then := map[string]string{"WOOCOMMERCE": " 400 ", "PRESTASHOP": " 0.4 ", "SHOPIFY": `"value":0.4}`}[shop.Platform]
		c.passUntil(t, "the new weight", func() string {
			if got := shown(); !strings.Contains(got, then) {
				return got
			}
			return ""
		})
	})
}
