package connector_test

import (
	"testing"

	"entrepot/internal/connector"
	"entrepot/internal/money"
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
