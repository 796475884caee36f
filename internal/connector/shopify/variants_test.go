package shopify_test

import (
	"strings"
	"testing"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
)

// known gives products the shop's ids of their last push.
func known(results []connector.Result, products ...*connector.Product) {
	ids := map[string]connector.IDs{}
	for _, r := range results {
		ids[r.SKU] = r.IDs
	}
	for _, p := range products {
		p.Known, p.Settled = ids[p.SKU], true
		for i := range p.Variants {
			p.Variants[i].Known = ids[p.Variants[i].SKU]
		}
	}
}

// Variants that a merchant has added in the shop stay, and so does what he decided about sales without stock. Those that the product here
// has no longer go, and one with the values of a new one becomes it.
func TestMerchantsVariantsStay(t *testing.T) {
	s := newShop(t)
	top := shirt()
	known(connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{top}))(t), &top)
	s.AddVariant("SHIRT-S", "THEIRS-XL", "XL")
	s.AddVariant("SHIRT-S", "THEIRS-L", "l")
	top.Dropped = []connector.Item{{SKU: "SHIRT-M", IDs: top.Variants[1].Known}}
	top.Variants = append(top.Variants[:1], connector.Variant{SKU: "SHIRT-L", Price: 220000, Quantity: 3,
		Attributes: []connector.Attribute{{Name: "Size", Value: "L"}}})
	for range 2 {
		known(connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{top}))(t), &top)
		for sku, want := range map[string]string{"SHIRT-S": "Size: S, DENY", "SHIRT-M": "", "THEIRS-XL": "Size: XL, CONTINUE", "THEIRS-L": "",
			"SHIRT-L": "Size: L, CONTINUE"} {
			if got := s.Options(sku); got != want {
				t.Errorf("%s: %q, want %q", sku, got, want)
			}
		}
	}
	if v, _ := s.Variant("THEIRS-XL"); v.Price != "99" {
		t.Errorf("the merchant's own price: %+v", v)
	}
	top.Variants[0].Attributes = append(top.Variants[0].Attributes, connector.Attribute{Name: "Colour", Value: "red"})
	top.Variants[1].Attributes = append(top.Variants[1].Attributes, connector.Attribute{Name: "Colour", Value: "red"})
	results := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{top}))(t)
	if results[0].State != connector.Failed || !strings.Contains(results[0].Error, "THEIRS-XL") || s.Options("THEIRS-XL") == "" {
		t.Errorf("variants that differ in something else: %+v", results)
	}
}

// A product without variants to which the merchant gave some keeps its place among them.
func TestMerchantGivesAProductVariants(t *testing.T) {
	s := newShop(t)
	cup := mug()
	results := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{cup}))(t)
	if results[0].URL == "" {
		t.Errorf("nobody knows where buyers see it: %+v", results)
	}
	known(results, &cup)
	s.AddVariant("MUG", "THEIRS", "Large")
	results = connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{cup}))(t)
	if results[0].State != connector.Live || s.Options("MUG") != "Title: Default Title, DENY" ||
		s.Options("THEIRS") != "Title: Large, CONTINUE" {
		t.Errorf("%+v: %q, %q", results, s.Options("MUG"), s.Options("THEIRS"))
	}
}

// SKUs are found whatever quotes they have in them.
func TestSKUsWithQuotes(t *testing.T) {
	s := newShop(t)
	for i, sku := range []string{"PLAIN", `5"`, "it's", `it's 5"`, `back\slash`} {
		first, again := mug(), mug()
		first.SKU, again.SKU = sku, sku
		first.ID, first.Slug, again.ID, again.Slug = sku+"-1", "a", sku+"-2", "b"
		connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{first}))(t)
		results := connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{again}))(t)
		if results[0].State != connector.Live || s.Products() != i+1 {
			t.Errorf("%s: %d products, %+v", sku, s.Products(), results)
		}
	}
}

// What the merchant wrote about a product in the shop stays as long as nothing is written here.
func TestDescriptions(t *testing.T) {
	s := newShop(t)
	connectortest.Descriptions(t, s.session, shirt(), func() string { return s.Description("SHIRT-S") })
}

// See connectortest.TradeNumbers.
func TestTradeNumbersAreNothingToChoose(t *testing.T) {
	s := newShop(t)
	connectortest.TradeNumbers(t, s.session)
	if got := s.Options("SHIRT-S"); got != "Size: S, DENY" {
		t.Error(got)
	}
}

// Variants have a barcode, and their inventory items cost, weight and origin. See connectortest.Trade.
func TestTrade(t *testing.T) {
	s := newShop(t)
	connectortest.Trade(t, s.session)
	for sku, want := range map[string][2]string{
		"CUP":   {"4006381333931", `{"cost":"4.1","countryCodeOfOrigin":"PT","measurement":{"weight":{"unit":"KILOGRAMS","value":0.35}},"sku":"CUP","tracked":true}`},
		"TEE-S": {"036000291452", `{"cost":"9","measurement":{"weight":{"unit":"KILOGRAMS","value":0.15}},"sku":"TEE-S","tracked":true}`},
		"TEE-M": {"", `{"measurement":{"weight":{"unit":"KILOGRAMS","value":0.2}},"sku":"TEE-M","tracked":true}`},
	} {
		barcode, item := s.Trade(sku)
		if got := [2]string{barcode, item}; got != want {
			t.Errorf("%s: %q, not %q", sku, got, want)
		}
	}
}
