package shopify

import (
	"time"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
)

type refund struct {
	ID, Note         string
	CreatedAt        *time.Time
	TotalRefundedSet amount
	RefundLineItems  struct{ Nodes []refundedLine }
}

type refundedLine struct {
	Quantity                 int64
	RestockType              string // RETURN for units that had left; CANCEL, NO_RESTOCK
	Restocked                bool
	LineItem                 struct{ ID string }
	SubtotalSet, TotalTaxSet amount
}

// refunded is what the buyer paid for what a refund has of a line.
func (o *order) refunded(sum sums, l refundedLine) money.Amount {
	if o.TaxesIncluded {
		return sum.of(l.SubtotalSet)
	}
	return sum.of(l.SubtotalSet) + sum.of(l.TotalTaxSet)
}

func (o *order) appendRefund(list []connector.Refund, sum sums, r refund) []connector.Refund {
	out := connector.Refund{ExternalID: r.ID, Amount: sum.of(r.TotalRefundedSet), Reason: r.Note}
	if r.CreatedAt != nil {
		out.CreatedAt = *r.CreatedAt
	}
	for _, n := range r.RefundLineItems.Nodes {
		out.Lines = append(out.Lines, connector.RefundLine{ExternalLine: n.LineItem.ID, Quantity: n.Quantity,
			Amount: o.refunded(sum, n)})
	}
	if out.Amount == 0 && len(out.Lines) == 0 {
		return list
	}
	return append(list, out)
}

// appendReturn adds what a refund says to have come back after it had left.
func appendReturn(list []connector.Return, r refund) []connector.Return {
	out := connector.Return{ExternalID: r.ID, Refund: r.ID, Reason: r.Note}
	if r.CreatedAt != nil {
		out.CreatedAt = *r.CreatedAt
	}
	for _, n := range r.RefundLineItems.Nodes {
		if n.RestockType == "RETURN" {
			out.Lines = append(out.Lines, connector.ReturnLine{ExternalLine: n.LineItem.ID, Quantity: n.Quantity, Restocked: n.Restocked})
		}
	}
	if len(out.Lines) == 0 {
		return list
	}
	return append(list, out)
}
