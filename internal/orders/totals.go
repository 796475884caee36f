package orders

import (
	"entrepot/internal/apperr"
	"entrepot/internal/money"
)

// Totals is what an order costs (interface §2, "Money").
type Totals struct {
	Subtotal       money.Amount // Σ line totals
	ShippingAmount money.Amount
	DiscountAmount money.Amount
	TaxAmount      *money.Amount // nil: no tax given and no rate
	TaxRate        *money.Amount // percent; nil: none
	Total          money.Amount  // subtotal − discount + shipping + tax
}

// Price computes line totals, subtotal, tax and total. Line totals and tax are rounded half away from zero to the
// currency's minor unit, once each. With tax nil, the tax follows from the rate, or is nil without one. Errors:
// Invalid for a discount above the subtotal and for amounts beyond 11 integer digits.
func (o *Order) Price(tax *money.Amount) error {
	decimals := money.Digits(o.Currency)
	t := &o.Totals
	t.Subtotal = 0
	for i := range o.Lines {
		l := &o.Lines[i]
		product, ok := l.UnitPrice.Times(l.Quantity)
		l.Total = product.Round(decimals)
		t.Subtotal += l.Total
		if !ok || t.Subtotal > money.Max {
			return apperr.At("items", "the total must have at most 11 integer digits")
		}
	}
	if t.DiscountAmount > t.Subtotal {
		return apperr.At("discountAmount", "must not be above the subtotal of %s", t.Subtotal)
	}
	t.TaxAmount = tax
	if tax == nil && t.TaxRate != nil {
		computed := (t.Subtotal - t.DiscountAmount).Percent(*t.TaxRate, decimals)
		t.TaxAmount = &computed
	}
	t.Total = t.Subtotal - t.DiscountAmount + t.ShippingAmount
	if t.TaxAmount != nil {
		t.Total += *t.TaxAmount
	}
	if t.Total.Round(decimals) > money.Max { // as totalAmount shows it
		return apperr.At("items", "the total must have at most 11 integer digits")
	}
	return nil
}

// AddsUp reports whether a platform's amounts are consistent: the line totals sum up to the subtotal, and the total is
// the subtotal less discount plus shipping and tax.
func (o *Order) AddsUp() bool {
	var lines money.Amount
	for _, l := range o.Lines {
		lines += l.Total
	}
	return lines == o.Subtotal && o.Total == o.Subtotal-o.DiscountAmount+o.ShippingAmount+o.Tax()
}

// Tax is the tax amount, 0 if there is none.
func (t Totals) Tax() money.Amount {
	if t.TaxAmount == nil {
		return 0
	}
	return *t.TaxAmount
}
