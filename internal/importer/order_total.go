package importer

import (
	"bytes"

	"entrepot/internal/base/money"
)

// amountOf is the amount of a field of the whole order; given is false for one that is blank or no amount.
func (o *order) amountOf(field int) (value money.Amount, given bool) {
	if len(o.head[field]) == 0 {
		return 0, false
	}
	amount, err := parseAmount(o.head[field], o.decimals[field])
	return amount.value, err == nil
}

// checkTotal decides by the total that the file has for an order whether its taxes come on top of the prices or are
// inside, and how much of the discount is of the lines and not of the shipping. The total of interface §1 has to give
// the file's: an order for which it cannot is refused, because one with another total would be wrong in every
// account. Without a total the amounts are taken as they are.
func (o *order) checkTotal(rows []*orderRow, faults []Fault) []Fault {
	total, given := o.amountOf(headTotal)
	if !given {
		return faults
	}
	digits := money.Digits(o.currency())
	var lines, lineDiscounts money.Amount
	for _, r := range rows {
		lines += r.worth().Round(digits)
		lineDiscounts += r.discount
	}
	discount, _ := o.amountOf(headDiscount)
	discount = max(discount, -discount)
	shipping, _ := o.amountOf(headShipping)
	tax, _ := o.amountOf(headTax)
	duties, _ := o.amountOf(headDuties)
	discounts := []money.Amount{max(discount, lineDiscounts)} // the first that fits
	if subtotal, given := o.amountOf(headSubtotal); given {
		if ofLines := lines - subtotal; ofLines < 0 || ofLines > max(discount, lineDiscounts) {
			return o.refuse(rows, "subtotal", "total_differs", faults, "the lines of %v less a discount of %v do not give the subtotal of %v", lines,
				discounts[0], subtotal)
		} else if ofLines != discounts[0] { // the rest of the discount is of the shipping, which may be given with or without it
			discounts = []money.Amount{ofLines, discounts[0]}
		}
	}
	for _, off := range discounts {
		for _, onTop := range []money.Amount{tax, 0} {
			if lines-off+shipping+duties+onTop != total || off > lines {
				continue
			}
			o.fitted, o.discount, o.tax = true, off, onTop+duties
			if o.includedTax = tax - onTop; o.includedTax > 0 {
				faults = append(faults, rows[0].note(o.reference, "taxAmount", "tax_included",
					"the prices include the tax of %v: the order has no tax on top, and its paymentMetadata.includedTax names it", tax))
			}
			return faults
		}
	}
	return o.refuse(rows, "total", "total_differs", faults, "lines of %v, a discount of %v, shipping of %v and taxes of %v, inside the "+
		"prices or on top, do not give the total of %v", lines, discounts[0], shipping, tax+duties, total)
}

// refuse refuses all rows of an order.
func (o *order) refuse(rows []*orderRow, field, code string, faults []Fault, format string, arguments ...any) []Fault {
	faults = withoutNotes(faults)
	for _, r := range rows {
		faults = append(faults, r.refused(o.reference, field, code, format, arguments...))
	}
	return faults
}

// statusAfterRefund is the status of an order that was cancelled or paid back wholly: what was shipped is RETURNED,
// the rest CANCELLED.
func (o *order) statusAfterRefund(status string) string {
	total, _ := o.amountOf(headTotal)
	wholly := o.refunded > 0 && total > 0 && o.refunded >= total
	switch shipped := status == "SHIPPED" || status == "DELIVERED"; {
	case bytes.ContainsAny(o.head[headCancelled], "123456789"): // a date, and not 0000-00-00
		return "CANCELLED"
	case wholly && shipped:
		return "RETURNED"
	case wholly && status != "RETURNED":
		return "CANCELLED"
	}
	return status
}

// findRefund sets what was paid back: the amount that the file has, or the total of an order whose payment is called
// refunded.
func (o *order) findRefund() {
	o.refunded, _ = o.amountOf(headRefunded)
	if total, _ := o.amountOf(headTotal); o.refunded == 0 && bytes.EqualFold(o.head[headPayment], []byte("refunded")) {
		o.refunded = total
	}
	o.refunded = max(o.refunded, -o.refunded) // some systems write what left the till below zero
}
