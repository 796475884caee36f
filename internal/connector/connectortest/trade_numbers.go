package connectortest

import (
	"testing"

	"entrepot/internal/connector"
)

// TradeNumbers pushes a product whose two variants, of the sizes S and M, also have trade numbers: buyers choose a
// variant by what it is, not by its number, which other platforms need.
func TradeNumbers(t *testing.T, session connector.Session) {
	t.Helper()
	form := func(sku, size, number string) connector.Variant {
		return connector.Variant{SKU: sku, Price: 200000, Quantity: 4,
			Attributes: []connector.Attribute{{Name: "EAN", Value: number}, {Name: "Size", Value: size}}}
	}
	p := connector.Product{ID: "019a-shirt-0001", SKU: "SHIRT", Name: "Shirt", Slug: "shirt", OnSale: true, Price: 200000, Currency: "EUR",
		Variants: []connector.Variant{form("SHIRT-S", "S", "4006381333931"), form("SHIRT-M", "M", "4006381333948")}}
	for _, r := range Must(session.Upsert(t.Context(), []connector.Product{p}))(t) {
		if r.State != connector.Live {
			t.Errorf("%+v", r)
		}
	}
}
