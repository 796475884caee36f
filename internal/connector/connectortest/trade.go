package connectortest

import (
	"testing"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
)

// Trade pushes CUP, a product with all that trade needs to know, and TEE with two variants: TEE-S with a GTIN and a weight
// of its own, TEE-M with the product's weight.
func Trade(t *testing.T, session connector.Session) {
	t.Helper()
	amount := func(n money.Amount) *money.Amount { return &n }
	cup := connector.Product{ID: "019a-cup-0001", SKU: "CUP", Name: "Cup", Slug: "cup", OnSale: true, Price: 120000, Currency: "EUR", Quantity: 4,
		Terms: map[string]string{"taxclass": "reduced-rate"},
		Trade: connector.Trade{GTIN: "4006381333931", Weight: amount(3500), Cost: amount(41000), TaxClass: "reduced-rate", Origin: "PT"}}
	tee := connector.Product{ID: "019a-tee-0001", SKU: "TEE", Name: "Tee", Slug: "tee", OnSale: true, Price: 200000, Currency: "EUR",
		Trade: connector.Trade{Weight: amount(2000)}, Variants: []connector.Variant{
			{SKU: "TEE-S", Price: 200000, Quantity: 1, Attributes: []connector.Attribute{{Name: "Size", Value: "S"}},
				Trade: connector.Trade{GTIN: "036000291452", Weight: amount(1500), Cost: amount(90000)}},
			{SKU: "TEE-M", Price: 200000, Quantity: 1, Attributes: []connector.Attribute{{Name: "Size", Value: "M"}},
				Trade: connector.Trade{Weight: amount(2000)}}}}
	for range 2 { // the second push changes what the first one made
		for _, r := range Must(session.Upsert(t.Context(), []connector.Product{cup, tee}))(t) {
			if r.State != connector.Live {
				t.Errorf("%+v", r)
			}
		}
	}
}
