package platforms

import (
	"testing"

	prestashop "entrepot/internal/connector/prestashop/fakeshop"
	"entrepot/internal/connector/woocommerce/fakeshop"
)

// A product says by attributes which tax it has and how it is sent; buyers do not see them as properties. Without them it has the shop's
// usual tax, which an order of it shows.
func TestTermsOfProducts(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		woo, presta := newWooShop(t, fakeshop.Habits{}), prestashop.New()
		presta.AddTaxRules("FR reduced rate (5.5%)", true)
		presta.AddProduct("OWN", "1")
		channels := []string{s.connect(woo, map[string]any{"shippingClass": "bulky"}),
			s.attach("PRESTASHOP", presta, map[string]any{"url": "https://shop.example", "webserviceKey": prestashop.Key})}
		s.call("POST", "/api/v1/sdk/products/bulk-import?wait=true", map[string]any{"products": []map[string]any{
			{"sku": "MUG", "name": "Mug", "price": 10},
			{"sku": "BOOK", "name": "Book", "price": 10, "attributes": map[string]any{"taxRulesGroup": "FR reduced rate (5.5%)",
				"taxClass": "reduced-rate", "shippingClass": "letter", "Cover": "soft"}}}}, 200)
		for _, channel := range channels {
			s.call("POST", "/api/v1/channels/"+channel+"/publications", map[string]any{"skus": []string{"MUG", "BOOK"}}, 200)
			s.await("products", func() string {
				counts, first := s.states(channel)
				return unless(counts["published"] == 2, counts, first)
			})
		}
		items, _ := woo.Items()
		if book, mug := items["BOOK"], items["MUG"]; book.Tax != "reduced-rate" || book.Ships != "letter" || mug.Tax != "" || mug.Ships != "bulky" {
			t.Errorf("%+v, %+v", book, mug)
		}
		if shown := woo.Attributes("BOOK"); len(shown) != 1 {
			t.Errorf("buyers see %v", shown)
		}
		for sku, group := range map[string]string{"MUG": "1", "BOOK": "2"} {
			if got := presta.Field(sku, "id_tax_rules_group", ""); got != group {
				t.Errorf("%s has the tax rules group %s, not %s", sku, got, group)
			}
		}
		if total := presta.Total(presta.Buy("ada@example.com", true, prestashop.Bought{SKU: "MUG", Quantity: 1})); total != "18.00" {
			t.Errorf("an order of 10 and 5 for shipping costs %s with tax", total)
		}
	})
}
