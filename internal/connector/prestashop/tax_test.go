package prestashop_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/prestashop"
)

// taxed pushes a product and gives its tax rules group in the shop, or why it was refused.
func (s *shop) taxed(t *testing.T, p connector.Product) (group string, result connector.Result) {
	t.Helper()
	s.session = s.Open(prestashop.New())
	result = connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{p}))(t)[0]
	if result.State != connector.Live {
		return result.Error, result
	}
	return s.Field(p.SKU, "id_tax_rules_group", ""), result
}

// New products have the tax that most of the shop's products have, unless the channel or the product names another: without a tax rules
// group they would be sold without tax.
func TestNewProductsHaveTax(t *testing.T) {
	s := newShop(t)
	reduced, gone := s.AddTaxRules("FR reduced rate (5.5%)", true), s.AddTaxRules("Old rate", false)
	made := 0
	next := func(name, value string) connector.Product {
		made++
		p := connector.Product{ID: fmt.Sprint("p", made), SKU: fmt.Sprint("TAX-", made), Name: "Mug", OnSale: true, Price: 79000, Currency: "EUR"}
		if name != "" {
			p.Terms = map[string]string{connector.Letters(name): value}
		}
		return p
	}
	if got, result := s.taxed(t, next("", "")); result.State != connector.Failed || !strings.Contains(got, "FR reduced rate (5.5%) (2)") {
		t.Errorf("without a product to go by: %q %+v", got, result)
	}
	for i, tax := range []string{"0", "0", "0", "1", reduced, reduced, gone, gone, gone, "77", "77", "77"} {
		s.AddProduct(fmt.Sprint("OWN-", i), tax)
	}
	says := func(what string) {
		t.Helper()
		s.session = s.Open(prestashop.New())
		found := connectortest.Must(s.session.Test(t.Context()))(t)
		if !strings.Contains(strings.Join(found.Notes, " "), what) {
			t.Errorf("the test says %q, not %q", found.Notes, what)
		}
	}
	says("new products get the tax rules group FR reduced rate (5.5%) (2), which most products of the shop have")
	for _, c := range []struct{ setting, name, value, want string }{
		{"", "", "", reduced}, {"1", "", "", "1"}, {"fr standard RATE (20%)", "", "", "1"}, {"0", "", "", "0"},
		{"1", "taxRulesGroup", reduced, reduced}, {"", "Tax rules group", "FR standard rate (20%)", "1"}, {"", "taxRulesGroup", " ", reduced},
	} {
		s.Settings["taxRulesGroup"] = c.setting
		if got, _ := s.taxed(t, next(c.name, c.value)); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	says("new products get the tax rules group FR reduced")
	for _, wrong := range []string{"7", gone, "VAT", "-1"} {
		s.Settings["taxRulesGroup"] = wrong
		if got, result := s.taxed(t, next("", "")); result.State != connector.Failed || result.Again || !strings.Contains(got, "no tax rules group "+wrong) {
			t.Errorf("%s: %q %+v", wrong, got, result)
		}
		says("products cannot be published: the shop has no tax rules group " + wrong)
	}
	s.Settings["taxRulesGroup"] = "0"
	says("sold without tax")
}

// What a product of the shop has stays, unless the channel or the product names a group.
func TestTaxOfProductsInTheShopStays(t *testing.T) {
	s := newShop(t)
	s.AddProduct("MUG", "0")
	p := mug()
	got, result := s.taxed(t, p)
	if got != "0" {
		t.Errorf("adopted: %s", got)
	}
	p.Known = result.IDs
	if got, _ := s.taxed(t, p); got != "0" {
		t.Errorf("changed: %s", got)
	}
	s.Settings["taxRulesGroup"] = "1"
	if got, _ := s.taxed(t, p); got != "1" {
		t.Errorf("named: %s", got)
	}
}

// A key that may not read tax rules groups knows those of the shop's products by their ids.
func TestTaxWithoutNames(t *testing.T) {
	s := newShop(t)
	s.Rights = map[string][]string{}
	for _, name := range []string{"products", "combinations", "stock_availables", "configurations", "languages"} {
		s.Rights[name] = []string{"GET", "POST", "PUT"}
	}
	if got, _ := s.taxed(t, many(1)[0]); got != "0" {
		t.Errorf("nothing to go by: %s", got)
	}
	s.AddProduct("OWN", "3")
	s.Pass(24 * time.Hour)
	if got, _ := s.taxed(t, many(2)[1]); got != "3" {
		t.Errorf("of the shop's products: %s", got)
	}
}
