package money_test

import (
	"cmp"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"entrepot/internal/base/money"
)

// A total is what whole numbers of any length say.
func TestTotalsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total, want := money.Total{}, new(big.Int)
		for range rapid.IntRange(1, 20).Draw(t, "terms") {
			n, zeros := rapid.Int64Range(0, 100_000_000_000_000_000).Draw(t, "n"), rapid.IntRange(0, 18).Draw(t, "zeros")
			total = total.Plus(money.TotalOf(n, zeros))
			want.Add(want, new(big.Int).Mul(big.NewInt(n), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(zeros)), nil)))
		}
		text := new(big.Rat).SetFrac(want, big.NewInt(money.Scale)).FloatString(4)
		if text = strings.TrimRight(strings.TrimRight(text, "0"), "."); total.String() != text && !(text == "" && total.String() == "0") {
			t.Fatalf("%s, want %s", total, text)
		}
	})
}

// Totals compare as the numbers they are.
func TestTotalsCompare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64Range(0, 1000).Draw(t, "a"), rapid.Int64Range(0, 1000).Draw(t, "b")
		zeros := rapid.IntRange(0, 18).Draw(t, "zeros")
		if got := money.TotalOf(a, zeros).Compare(money.TotalOf(b, zeros)); got != cmp.Compare(a, b) {
			t.Fatalf("%d and %d with %d zeros: %d", a, b, zeros, got)
		}
	})
}

// A mean is what fractions say, rounded half away from zero.
func TestMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.Int64Range(0, 1_000_000_000_000_000_000).Draw(t, "units")
		n, decimals := rapid.Int64Range(1, 50).Draw(t, "n"), rapid.IntRange(0, 4).Draw(t, "decimals")
		mean := new(big.Rat).SetFrac(big.NewInt(units), big.NewInt(n*money.Scale)).FloatString(decimals)
		if strings.Contains(mean, ".") {
			mean = strings.TrimRight(strings.TrimRight(mean, "0"), ".")
		}
		if got := money.TotalOf(units, 0).Mean(n, decimals).String(); got != mean {
			t.Fatalf("%d / %d to %d decimals: %s, want %s", units, n, decimals, got, mean)
		}
	})
}
