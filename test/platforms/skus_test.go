package platforms

import (
	"testing"

	"entrepot/internal/connector"
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
