package orders

import (
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/money"
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

// Price rounds the given amounts to the currency's minor unit, half away from zero, and adds them up (AddUp), so that
// the total has no more decimals than the currency.
func (o *Order) Price(tax *money.Amount) error {
	decimals := money.Digits(o.Currency)
	o.ShippingAmount, o.DiscountAmount = o.ShippingAmount.Round(decimals), o.DiscountAmount.Round(decimals)
	if tax != nil {
		rounded := tax.Round(decimals)
		tax = &rounded
	}
	return o.AddUp(tax)
}

// AddUp computes line totals, subtotal, tax and total. A line that has a total keeps it: the total of a platform's line
// may differ from what the rounded unit price gives. Line totals and tax are rounded half away from zero to the
// currency's minor unit, once each. With tax nil, the tax follows from the rate, or is nil without one. Errors: Invalid
// for a discount above the subtotal and for amounts beyond 11 integer digits.
func (o *Order) AddUp(tax *money.Amount) error {
	decimals := money.Digits(o.Currency)
	t := &o.Totals
	t.Subtotal = 0
	for i := range o.Lines {
		l := &o.Lines[i]
		ok := true
		if l.Total == 0 {
			var product money.Amount
			product, ok = l.UnitPrice.Times(l.Quantity)
			l.Total = product.Round(decimals)
		}
		t.Subtotal += l.Total
		if !ok || t.Subtotal > money.Max {
			return apperr.At("items", "the total must have at most 11 integer digits")
		}
	}
	if t.DiscountAmount > t.Subtotal {
		return apperr.At("discountAmount", "must not be above the subtotal of %s", t.Subtotal)
	}
	if t.TaxAmount = tax; tax == nil {
		t.TaxAmount = o.taxByRate()
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

// taxByRate returns the tax that follows from the rate, nil without a rate.
func (o *Order) taxByRate() *money.Amount {
	if o.TaxRate == nil {
		return nil
	}
	tax := (o.Subtotal - o.DiscountAmount).Percent(*o.TaxRate, money.Digits(o.Currency))
	return &tax
}

// GivenTax returns the tax unless it follows from the rate; an edit must repeat a given tax to keep it. nil: the tax
// follows from the rate, or there is none.
func (o *Order) GivenTax() *money.Amount {
	if byRate := o.taxByRate(); o.TaxAmount != nil && byRate != nil && *byRate == *o.TaxAmount {
		return nil
	}
	return o.TaxAmount
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

// Tax returns the tax amount, 0 if there is none.
func (t Totals) Tax() money.Amount {
	if t.TaxAmount == nil {
		return 0
	}
	return *t.TaxAmount
}
