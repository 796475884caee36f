package connector

import "entrepot/internal/money"

// Sums reads the amounts of one order, in its currency's minor unit, and remembers whether one of them was no number.
type Sums struct {
	digits int
	err    error
}

// NewSums reads amounts of a currency. Errors: Failure Rejected for one that is not in ISO 4217.
func NewSums(currency string) (*Sums, error) {
	if !money.KnownCurrency(currency) {
		return nil, Failf(Rejected, "the order is in an unknown currency")
	}
	return &Sums{digits: money.Digits(currency)}, nil
}

// Of is an amount that a platform wrote as a decimal, 0 for "". It may be below 0.
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

// Err is a Failure Rejected when an amount was no number, else nil.
func (s *Sums) Err() error { return s.err }
