package ebay

import (
	"cmp"
	"slices"
	"time"

	"entrepot/internal/base/money"
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

// refunds are those of the order and of its lines. eBay shows a refund of lines with the lines; if the summary of the
// payment has it as well, by the same id or, without an id of its own, at the same time, it is one refund.
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
		price := sum.Of(cmp.Or(l.DiscountedLineItemCost.Value, l.LineItemCost.Value))
		var before money.Amount
		oldest := slices.SortedStableFunc(slices.Values(l.Refunds), func(a, b refund) int { return a.RefundDate.Compare(b.RefundDate) })
		for _, r := range oldest {
			if !r.issued() {
				continue
			}
			one := connector.RefundLine{ExternalLine: l.LineItemID, Amount: sum.Of(r.Amount.Value)}
			// eBay names no quantity: it is all of the line, once its whole price is back
			if before < price && before+one.Amount >= price {
				one.Quantity = l.Quantity
			}
			before += one.Amount
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

// takenBack is how many pieces of each line were refunded wholly: they are not to be shipped.
func (o *order) takenBack() (map[string]int64, error) {
	sum, err := connector.NewSums(o.PricingSummary.Total.Currency)
	if err != nil {
		return nil, err
	}
	pieces := map[string]int64{}
	for _, r := range o.refunds(sum) {
		for _, l := range r.Lines {
			pieces[l.ExternalLine] += l.Quantity
		}
	}
	return pieces, sum.Err()
}
