package woocommerce_test

import (
	"testing"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
)

// A product that is adopted stays of its kind: as a plain one, a subscription or bundle would lose all that makes it one.
func TestAdoptedProductsKeepTheirKind(t *testing.T) {
	s := newShop(t)
	for sku, kind := range map[string]string{"BOX": "bundle", "PLAN": "subscription", "SET": "grouped", "TIERS": "variable-subscription"} {
		s.AddProduct(sku, "Theirs", "5", 1)
		s.Specialise(sku, kind)
	}
	product := func(sku string) connector.Product {
		return connector.Product{ID: sku, SKU: sku, Name: "Ours", Slug: "ours", OnSale: true, Price: 90000, Currency: "EUR", Quantity: 3}
	}
	tiers, set := product("TIERS"), product("SET")
	for _, p := range []*connector.Product{&tiers, &set} {
		p.Variants = []connector.Variant{{SKU: p.SKU + "-1", Price: 90000, Quantity: 1,
			Attributes: []connector.Attribute{{Name: "Size", Value: "S"}}}}
	}
	all := []connector.Product{product("BOX"), product("PLAN"), tiers, set, product("NEW")}
	for _, r := range connectortest.Must(s.session.Upsert(t.Context(), all))(t) {
		if failed := r.SKU == "SET"; (r.State == connector.Failed) != failed {
			t.Errorf("%+v", r)
		}
	}
	items, _ := s.Items()
	for sku, kind := range map[string]string{"BOX": "bundle", "PLAN": "subscription", "SET": "grouped", "TIERS": "variable-subscription",
		"TIERS-1": "variation", "NEW": "simple"} {
		if items[sku].Kind != kind {
			t.Errorf("%s is %+v, not %s", sku, items[sku], kind)
		}
	}
	if items["BOX"].Name != "Ours" || items["BOX"].Regular != "9.00" || items["SET"].Name != "Theirs" {
		t.Errorf("%+v, %+v", items["BOX"], items["SET"])
	}
}
