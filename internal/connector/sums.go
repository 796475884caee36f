package connector

import "entrepot/internal/money"

// Sums parses the amounts of one order, in its currency's minor unit, and remembers whether one of them was invalid.
type Sums struct {
	digits int
	err    error
}

// NewSums parses amounts of a currency. Errors: Failure Rejected for a currency that is not in ISO 4217.
func NewSums(currency string) (*Sums, error) {
	if !money.KnownCurrency(currency) {
		return nil, Failf(Rejected, "the order is in an unknown currency")
	}
	return &Sums{digits: money.Digits(currency)}, nil
}

// Of is an amount that a platform wrote as a decimal, 0 for "". It may be negative.
func (s *Sums) Of(text string) money.Amount {
	if text == "" {
		return 0
	}
	v, err := money.Parse(text)
	if err != nil && s.err == nil {
		s.err = Failf(Rejected, "the order has an amount that is no number")
	}
	return v.Round(s.digits)
}

// Err is a Failure Rejected if an amount was invalid, else nil.
func (s *Sums) Err() error { return s.err }
