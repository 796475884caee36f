package connector_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
)

// Amounts are read to the minor unit of their currency; one that is no number makes the order unreadable, and no amount is 0.
func TestSums(t *testing.T) {
	for _, c := range []struct {
		currency, text string
		want           money.Amount
		good           bool
	}{
		{"EUR", "12.34", 123400, true}, {"EUR", "-0.5", -5000, true}, {"EUR", "", 0, true}, {"EUR", "0.005", 100, true},
		{"JPY", "1200", 12000000, true}, {"EUR", "twelve", 0, false}, {"EUR", "--1", 0, false},
		{"EUR", "12.344999", 123400, true}, {"EUR", "-12.345000001", -123500, true}, {"JPY", "0.49999", 0, true},
		{"KWD", "1.00049999", 10000, true},
		{"CLF", "1.00004999", 10000, true}, {"CLF", "-1.00005", -10001, true}, {"EUR", "1.23456x", 0, false}, {"EUR", ".123456", 0, false},
	} {
		sums, err := connector.NewSums(c.currency)
		if err != nil {
			t.Fatal(err)
		}
		if got := sums.Of(c.text); got != c.want && c.good || (sums.Err() == nil) != c.good {
			t.Errorf("%s %q: %d, %v", c.currency, c.text, got, sums.Err())
		}
	}
	if _, err := connector.NewSums("XXQ"); !connector.Is(err, connector.Rejected) {
		t.Errorf("an unknown currency: %v", err)
	}
}

// The shares of a total add up to it, whatever the sizes; nobody pays more than a minor unit beside his part.
func TestSpread(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		sums, err := connector.NewSums([]string{"EUR", "JPY", "KWD"}[r.IntN(3)])
		if err != nil {
			t.Fatal(err)
		}
		over := make([]money.Amount, 1+r.IntN(8))
		var all, given money.Amount
		for i := range over {
			over[i] = money.Amount(r.Int64N(int64(money.Max)/8)) / money.Scale * money.Scale
			all += over[i]
		}
		total := money.Amount(r.Int64N(int64(all)+1)) / money.Scale * money.Scale
		for i, share := range sums.Spread(total, over) {
			given += share
			exact := float64(total) * float64(over[i]) / float64(max(all, 1))
			if share < 0 || math.Abs(float64(share)-exact) > money.Scale+exact*1e-9 {
				t.Fatalf("%v of %v over %v: %v, not %v", share, total, over, share, exact)
			}
		}
		if all > 0 && given != total {
			t.Fatalf("%v of %v over %v", given, total, over)
		}
	}
	sums, _ := connector.NewSums("EUR")
	for _, c := range []struct{ total, over money.Amount }{{0, 1}, {-5, 1}, {5, 0}} {
		if shares := sums.Spread(c.total, []money.Amount{c.over}); len(shares) != 1 || shares[0] != 0 {
			t.Errorf("%v over %v: %v", c.total, c.over, shares)
		}
	}
}
