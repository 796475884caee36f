package ebay

import (
	"cmp"
	"slices"
	"time"

	"entrepot/internal/connector"
)

// refund is money that eBay paid back: of the order as a whole in the summary of its payment, of a line with the line.
type refund struct {
	RefundID, RefundReferenceID, RefundStatus string
	Amount                                    amount
	RefundDate                                time.Time
}

// issued reports whether the money was paid back. Refunds of lines have no status, and a date only then.
func (r refund) issued() bool {
	return r.RefundStatus == "REFUNDED" || r.RefundStatus == "" && !r.RefundDate.IsZero()
}

// id is what the refund is known by.
func (r refund) id() string {
	return cmp.Or(r.RefundID, r.RefundReferenceID, "of "+r.RefundDate.UTC().Format(ebayTime))
}

// refunds are those of the order and of its lines. eBay shows a refund of lines with the lines; if the summary of the payment has it as
// well, by the same id or, without an id of its own, at the same time, it is one refund.
func (o *order) refunds(sum *connector.Sums) []connector.Refund {
	var list []connector.Refund
	unnamed := map[int64]int{} // those of the order without an id of their own, by their time
	for _, r := range o.PaymentSummary.Refunds {
		if !r.issued() {
			continue
		}
		if r.RefundID == "" {
			unnamed[r.RefundDate.UnixMilli()] = len(list)
		}
		list = append(list, connector.Refund{ExternalID: r.id(), Amount: sum.Of(r.Amount.Value), CreatedAt: r.RefundDate})
	}
	ofOrder := len(list)
	for i := range o.LineItems {
		l := &o.LineItems[i]
		for _, r := range l.Refunds {
			if !r.issued() {
				continue
			}
			one := connector.RefundLine{ExternalLine: l.LineItemID, Amount: sum.Of(r.Amount.Value)}
			if one.Amount >= sum.Of(cmp.Or(l.DiscountedLineItemCost.Value, l.LineItemCost.Value)) { // eBay names no quantity
				one.Quantity = l.Quantity
			}
			at := slices.IndexFunc(list, func(f connector.Refund) bool { return f.ExternalID == r.id() })
			if whole, there := unnamed[r.RefundDate.UnixMilli()]; at < 0 && there {
				at = whole
			}
			if at < 0 {
				at = len(list)
				list = append(list, connector.Refund{ExternalID: r.id(), CreatedAt: r.RefundDate})
			}
			if at >= ofOrder {
				list[at].Amount += one.Amount
			}
			list[at].Lines = append(list[at].Lines, one)
		}
	}
	return list
}
