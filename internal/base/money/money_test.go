package money

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Amount
		err  error
	}{
		{"0", 0, nil}, {"49.90", 499000, nil}, {"1e2", 1000000, nil}, {"2.0", 20000, nil}, {"1.2300e1", 123000, nil},
		{"0.0001", 1, nil}, {"0.00010", 1, nil}, {"0.00001", 0, ErrDecimals}, {"-3", -30000, nil}, {"00012", 120000, nil},
		{"99999999999.9999", Max, nil}, {"100000000000", 0, ErrTooBig}, {"1e400", 0, ErrTooBig}, {"1e-400", 0, nil},
		{"0e999999999999", 0, nil}, {"", 0, ErrNotDecimal}, {".5", 0, ErrNotDecimal}, {"5.", 0, ErrNotDecimal},
		{"NaN", 0, ErrNotDecimal}, {"1,5", 0, ErrNotDecimal}, {" 1", 0, ErrNotDecimal}, {"+1", 0, ErrNotDecimal}, {"1e", 0, ErrNotDecimal},
	} {
		got, err := Parse(c.in)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("Parse(%q) = %d, %v; want %d, %v", c.in, got, err, c.want, c.err)
		}
	}
}

// Noise of binary floats is no more decimals; what is farther than 1e-9 from four decimals is.
func TestParseTakesFloatNoise(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Amount
		err  error
	}{
		{"19.989999999999998", 199900, nil}, {"0.30000000000000004", 3000, nil}, {"-8.100000000000001", -81000, nil},
		{"1.234500001", 12345, nil}, {"1.2345000011", 0, ErrDecimals}, {"1.234499999", 12345, nil}, {"1.2344999989", 0, ErrDecimals},
		{"0.000000001", 0, nil}, {"0.0000000011", 0, ErrDecimals}, {"9.9999999999", 100000, nil}, {"1e-9", 0, nil}, {"2e-9", 0, ErrDecimals},
		{"-0.000000000001", 0, nil}, {"1998999999999999.8e-14", 199900, nil}, {"99999999999.99999999999", 0, ErrTooBig},
		{"99999999999.9999000001", Max, nil}, {"0.00005", 0, ErrDecimals}, {"0.99995", 0, ErrDecimals},
	} {
		if got, err := Parse(c.in); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("Parse(%q) = %d, %v; want %d, %v", c.in, got, err, c.want, c.err)
		}
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		a        Amount
		currency string
		want     string
	}{
		{499000, "EUR", "49.90"}, {49900000, "JPY", "4990"}, {49900, "KWD", "4.990"}, {50, "EUR", "0.01"}, {-50, "EUR", "-0.01"},
		{49, "EUR", "0.00"}, {5000, "JPY", "1"}, {Max, "EUR", "100000000000.00"}, {-15000, "EUR", "-1.50"},
		{199900, "COP", "19.99"}, {199900, "RSD", "19.99"}, {199900, "IQD", "19.990"}, {199900, "CLP", "20"}, {199999, "CLF", "19.9999"},
		{199900, "DEM", "19.99"}, {199900, "ITL", "20"},
	} {
		if got := c.a.Text(c.currency); got != c.want {
			t.Errorf("%d.Text(%s) = %s, want %s", c.a, c.currency, got, c.want)
		}
	}
}

// Every code of ISO 4217 is known, once, withdrawn ones too, and nothing else.
func TestKnownCurrency(t *testing.T) {
	seen := map[string]bool{}
	for digits, codes := range minorDigits {
		for _, code := range strings.Fields(codes) {
			if seen[code] || !KnownCurrency(code) || Digits(code) != digits {
				t.Errorf("%s: twice %v, known %v, %d digits, not %d", code, seen[code], KnownCurrency(code), Digits(code), digits)
			}
			seen[code] = true
		}
	}
	for _, code := range []string{"MRU", "VES", "SLE", "XCG", "ZWG", "DEM", "HRK", "XXX"} {
		if !KnownCurrency(code) {
			t.Errorf("%s is not known", code)
		}
	}
	for _, code := range []string{"", "EU", "eur", "EURO", "ABC", "ZZZ", "E R", "123"} {
		if KnownCurrency(code) {
			t.Errorf("%q is known", code)
		}
	}
}

// What is written is read back as the same amount.
func TestWrittenIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Amount(rapid.Int64Range(-int64(Max), int64(Max)).Draw(t, "amount"))
		if got, err := Parse(a.String()); err != nil || got != a {
			t.Fatalf("%d written as %s is read as %d, %v", a, a, got, err)
		}
	})
}

// Percent agrees with exact rationals rounded half away from zero.
func TestPercentIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Int64Range(-1e13, 1e13).Draw(t, "amount")
		rate := rapid.Int64Range(0, 1_000_000).Draw(t, "rate")
		decimals := rapid.IntRange(0, 4).Draw(t, "decimals")
		step := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(4-decimals)), nil)
		divisor := new(big.Int).Mul(big.NewInt(1_000_000), step)
		n := new(big.Int).Abs(new(big.Int).Mul(big.NewInt(a), big.NewInt(rate)))
		n.Add(n, new(big.Int).Div(divisor, big.NewInt(2))).Div(n, divisor).Mul(n, step)
		want := n.Int64()
		if a < 0 {
			want = -want
		}
		if got := Amount(a).Percent(Amount(rate), decimals); int64(got) != want {
			t.Fatalf("%d %% of %d = %d, want %d", rate, a, got, want)
		}
	})
}

func TestTimesRefusesOverflow(t *testing.T) {
	if _, ok := Max.Times(2); ok {
		t.Error("Max × 2 was taken")
	}
	if p, ok := Amount(12345).Times(3); !ok || p != 37035 {
		t.Errorf("1.2345 × 3 = %v, %v", p, ok)
	}
}
