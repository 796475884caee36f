package platforms

import (
	"fmt"
	"testing"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest/story"
	wooshop "entrepot/internal/connector/woocommerce/fakeshop"
)

// A SKU with commas is found again: its product is pushed a second time, and its stock is read.
func TestSKUsWithCommas(t *testing.T) {
	for _, shop := range threeShops() {
		shop.Faults = nil
		t.Run(shop.Platform, func(t *testing.T) {
			o := open(t, shop, shop.Handler)
			p := o.mug(t)
			p.SKU = "MUG,BLUE,0.5L"
			other := o.mug(t)
			other.ID, other.SKU, other.Name, other.Slug = "p2", "JUG", "Jug", "jug"
			for range 2 {
				o.put(t, []connector.Product{other, p})
			}
			sold := o.put(t, []connector.Product{p})
			if shown, err := o.ReadStock(t.Context(), sold); err != nil || shown[p.SKU] != p.Quantity {
				t.Errorf("%v, %v", shown, err)
			}
			if _, doubled := shop.Stands(); len(doubled) > 0 {
				t.Errorf("twice: %v", doubled)
			}
		})
	}
}

// A product of the shop that has no SKU, but whose variations have those of a product here, is that product.
func TestProductsWithSKUsOfVariationsAlone(t *testing.T) {
	shop := wooshop.New("ck_test", "cs_test")
	o := open(t, story.Shop{Platform: "WOOCOMMERCE", Credentials: map[string]any{"consumerKey": "ck_test", "consumerSecret": "cs_test"}}, shop)
	before := o.publish(t)
	shop.Unname("SHIRT")
	after := o.publish(t)
	if fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("%v is %v now", before, after)
	}
	if items, doubled := shop.Items(); len(doubled) > 0 || items["SHIRT"].Status != "publish" {
		t.Errorf("%v, twice %v", items, doubled)
	}
}
