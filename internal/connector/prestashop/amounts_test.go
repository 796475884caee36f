package prestashop_test

import (
	"testing"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/prestashop/fakeshop"
)

// Amounts of six places are rounded once, to the currency's digits.
func TestAmountsAreRoundedOnce(t *testing.T) {
	s := newShop(t)
	connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug()}))(t)
	id := s.Buy("a@example.com", true, fakeshop.Bought{SKU: "MUG", Quantity: 1})
	for told, want := range map[string]string{"12.344960": "12.34", "12.344999": "12.34", "12.345000": "12.35", "12.3449999": "12.34",
		"0.004999": "0", "1e2": "0", "12": "12", "-0.004999": "0"} {
		s.Write(id, "total_shipping_tax_excl", told)
		o := connectortest.Must(s.session.PullOrder(t.Context(), id))(t)
		if got := o.Shipping.String(); got != want {
			t.Errorf("%s is %s, want %s", told, got, want)
		}
	}
}

// Amounts that the shop rounded apart add up all the same; a larger difference stays.
func TestAmountsThatWereRoundedApart(t *testing.T) {
	s := newShop(t)
	connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug()}))(t)
	id := s.Buy("a@example.com", true, fakeshop.Bought{SKU: "MUG", Quantity: 1})
	for field, told := range map[string]string{"total_products": "10.006000", "total_shipping_tax_excl": "4.166000",
		"total_discounts_tax_excl": "0",
		"total_wrapping_tax_excl":  "0", "total_paid_tax_excl": "14.172000", "total_paid_tax_incl": "17.010000"} {
		s.Write(id, field, told)
	}
	differs := func() money.Amount {
		o := connectortest.Must(s.session.PullOrder(t.Context(), id))(t)
		rest := o.Total - o.Tax - o.Shipping + o.Discount
		for _, l := range o.Lines {
			rest -= l.Amount
		}
		return rest
	}
	s.WriteLine(id, "total_price_tax_excl", "10.006000")
	if rest := differs(); rest != 0 {
		t.Errorf("%s are missing", rest)
	}
	s.Write(id, "total_paid_tax_incl", "18.010000")
	s.Write(id, "total_discounts_tax_excl", "1")
	if rest := differs(); rest != 9_900 {
		t.Errorf("%s are missing, want 0.99", rest)
	}
}
