package connector

import (
	"errors"
	"math/bits"
	"strings"

	"entrepot/internal/base/money"
)

// Sums parses the amounts of one order, and remembers whether one of them was invalid.
type Sums struct {
	Digits int // decimals of the currency's minor unit, to which amounts are rounded
	finer  bool
	err    error
}

// NewSums parses amounts of a currency. Errors: Failure Rejected for a currency that is not in ISO 4217.
func NewSums(currency string) (*Sums, error) {
	if !money.KnownCurrency(currency) {
		return nil, Failf(Rejected, "the order is in an unknown currency")
	}
	return &Sums{Digits: money.Digits(currency)}, nil
}

// Of is an amount that a platform wrote as a decimal, 0 for "". It may be negative.
func (s *Sums) Of(text string) money.Amount {
	if text == "" {
		return 0
	}
	v, err := rounded(text, s.Digits)
	if err != nil && s.err == nil {
		s.err = Failf(Rejected, "the order has the amount %q, which is no number", Line(text))
	}
	_, decimals, _ := strings.Cut(text, ".")
	s.finer = s.finer || len(strings.TrimRight(decimals, "0")) > s.Digits
	return v
}

// Finer reports whether an amount had more decimals than the currency.
func (s *Sums) Finer() bool { return s.finer }

// Spread divides a total over amounts in proportion to them. The shares add up to the total; all are 0 if it or the
// amounts are not above 0.
func (s *Sums) Spread(total money.Amount, over []money.Amount) []money.Amount {
	shares := make([]money.Amount, len(over))
	var all money.Amount
	for _, a := range over {
		all += max(a, 0)
	}
	if total <= 0 || all <= 0 {
		return shares
	}
	var seen, given money.Amount
	for i, a := range over {
		seen += max(a, 0)
		high, low := bits.Mul64(uint64(total), uint64(seen))
		upTo, _ := bits.Div64(high, low, uint64(all)) // seen is at most all
		next := total
		if seen < all {
			next = money.Amount(upTo).Round(s.Digits)
		}
		shares[i], given = next-given, next
	}
	return shares
}

// rounded parses a decimal of any number of places and rounds it, half away from zero, to at most four. Errors: those
// of money.Parse.
func rounded(text string, decimals int) (money.Amount, error) {
	v, err := money.Parse(text)
	at := strings.IndexByte(text, '.')
	if !errors.Is(err, money.ErrDecimals) || at < 0 || strings.Trim(text[at+1:], "0123456789") != "" {
		return v.Round(decimals), err
	}
	if v, err = money.Parse(text[:at+5]); err != nil { // four places: they decide unless all are wanted
		return 0, err
	}
	if decimals < 4 || text[at+5] < '5' {
		return v.Round(decimals), nil
	}
	if strings.HasPrefix(text, "-") {
		return v - 1, nil
	}
	return v + 1, nil
}

// Err is a Failure Rejected if an amount was invalid, else nil.
func (s *Sums) Err() error { return s.err }
