package importer

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"entrepot/internal/base/money"
)

func TestAmounts(t *testing.T) {
	for _, test := range []struct {
		cell     string
		decimal  byte
		want     string // value, "~" when rounded, currency; or the error
		currency string
	}{
		{"50", '.', "50", ""},
		{"49.90", '.', "49.9", ""},
		{".5", '.', "0.5", ""},
		{"0.001", '.', "0.001", ""},
		{"12.340000", '.', "12.34", ""},
		{"12.34567", '.', "12.3457~", ""},
		{"12.34564", '.', "12.3456~", ""},
		{"0.99999", '.', "1~", ""},
		{"Dhs 595", '.', "595", "Dhs"},
		{"Dhs 1,050", '.', "1050", "Dhs"},
		{"69.71 gbp", '.', "69.71", "gbp"},
		{"$1,234,567.89", '.', "1234567.89", "$"},
		{"€ 1.234,56", ',', "1234.56", "€"},
		{"1.234,56 €", ',', "1234.56", "€"},
		{"12,5", ',', "12.5", ""},
		{"1'234.50", '.', "1234.5", ""},
		{"1 234,50", ',', "1234.5", ""},
		{"1\u00a0234,50\u00a0€", ',', "1234.5", "€"},
		{"1\u202f234,50", ',', "1234.5", ""},
		{"1,00,000", '.', "100000", ""},
		{"595,-", ',', "595", ""},
		{"-5", '.', "-5", ""},
		{"\u22125.50", '.', "-5.5", ""},
		{"-€5", '.', "-5", "€"},
		{"€ -5", '.', "-5", "€"},
		{"(5.00)", '.', "-5", ""},
		{"5-", '.', "-5", ""},
		{"+5", '.', "5", ""},
		{"1e2", '.', "100", ""},
		{"1.5E+3", '.', "1500", ""},
		{"12345678901", '.', "12345678901", ""},
		{"Rs. 5", '.', "5", "Rs."},
		{"Rs.5", '.', "5", "Rs."},
		{"€.50", '.', "0.5", "€"},
		{"$.5", '.', "0.5", "$"},
		{".5", ',', errGrouping.Error(), ""},
		{"5.", ',', "5", ""},
		{"0.125", ',', errGrouping.Error(), ""},
		{"1 050,000", ',', "1050", ""},
		{"1 050,000", '.', errGrouping.Error(), ""},
		{"1\u202f050\u00a0000", '.', "1050000", ""},
		{"123456789012", '.', "has more than 11 integer digits", ""},
		{"99999999999999999999999", '.', "has more than 11 integer digits", ""},
		{"12,5", '.', errGrouping.Error(), ""},
		{"1.234,56", '.', errGrouping.Error(), ""},
		{"1,2345", '.', errGrouping.Error(), ""},
		{"1,,000", '.', errGrouping.Error(), ""},
		{"1.000.5", '.', errGrouping.Error(), ""},
		{"12345,678.00", '.', errGrouping.Error(), ""},
		{"free", '.', "is not a number", ""},
		{"12abc34", '.', errGrouping.Error(), ""},
		{"1e2 EUR", '.', "is not a number", ""},
		{"about twelve 12", '.', errCurrency.Error(), ""},
		{"5 or 6", '.', errGrouping.Error(), ""},
		{"EUR 5 net", '.', errCurrency.Error(), ""},
		{"5/6", '.', errGrouping.Error(), ""},
		{"5 #", '.', errCurrency.Error(), ""},
	} {
		got, err := parseAmount([]byte(test.cell), test.decimal)
		text := got.value.String()
		if got.rounded {
			text += "~"
		}
		if err != nil {
			text = err.Error()
		}
		if text != test.want || err == nil && string(got.currency) != test.currency {
			t.Errorf("%q (%c): %s %q, want %s %q", test.cell, test.decimal, text, got.currency, test.want, test.currency)
		}
	}
}

// Every amount that can be stored is read back from every way of writing it.
func TestAmountsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := money.Amount(rapid.Int64Range(0, int64(money.Max)).Draw(t, "amount"))
		decimal := rapid.SampledFrom([]byte{'.', ','}).Draw(t, "decimal")
		group := rapid.SampledFrom([]string{"", "'", " ", "\u00a0", map[byte]string{'.': ",", ',': "."}[decimal]}).Draw(t, "group")
		whole, fraction, _ := strings.Cut(want.String(), ".")
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + group + whole[i:]
		}
		text := rapid.SampledFrom([]string{"%s", " %s ", "€%s", "EUR %s", "%s kr.", "+%s"}).Draw(t, "form")
		text = fmt.Sprintf(text, join(whole, fraction, decimal))
		got, err := parseAmount([]byte(text), decimal)
		if err != nil || got.value != want || got.rounded {
			t.Fatalf("%q: %v, %v, want %v", text, got.value, err, want)
		}
	})
}

func join(whole, fraction string, decimal byte) string {
	if fraction == "" {
		return whole
	}
	return whole + string(decimal) + fraction
}

func FuzzAmount(f *testing.F) {
	for _, seed := range []string{"1,050.00 gbp", "(5)", "595,-", "1e9", "-", "€", "\u2212", ".", "1.", "9999999999999999999"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, cell []byte) {
		for _, decimal := range []byte{'.', ','} {
			if got, err := parseAmount(cell, decimal); err == nil && (got.value > money.Max || got.value < -money.Max) {
				t.Errorf("%q became %v", cell, got.value)
			}
		}
	})
}

func TestQuantities(t *testing.T) {
	for cell, want := range map[string]string{
		"6": "6", "6.0": "6", "-12": "-12", "1,000": "1000", "6.5": "is not a whole number", "six": "is not a number",
		"6 pcs": "is not a number", "99999999999": "is beyond what a quantity may be", "0": "0", "6.00001": "is not a whole number",
	} {
		n, err := parseQuantity([]byte(cell), '.')
		got := fmt.Sprint(n)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", cell, got, want)
		}
	}
}
