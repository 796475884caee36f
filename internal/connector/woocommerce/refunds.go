package woocommerce

import (
	"context"
	"html"
	"net/url"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
)

// refunds reads the refunds of an order.
func (s *session) refunds(ctx context.Context, o *connector.Order) (out []connector.Refund, err error) {
	var list []struct {
		ID      flexible      `json:"id"`
		Amount  flexible      `json:"amount"`
		Reason  flexible      `json:"reason"`
		Created flexible      `json:"date_created_gmt"`
		Lines   several[line] `json:"line_items"`
	}
	if _, err := s.get(ctx, "/orders/"+o.ExternalID+"/refunds", url.Values{"per_page": {"100"}, "dp": {decimals}}, &list); err != nil {
		return nil, err
	}
	for _, r := range list {
		sum := connector.Sums{Digits: money.Digits(o.Currency)}
		refund := connector.Refund{
			ExternalID: string(r.ID),
			Amount:     sum.Of(string(r.Amount)),
			Reason:     html.UnescapeString(string(r.Reason)),
			CreatedAt:  moment(string(r.Created)),
		}
		for _, l := range r.Lines {
			if of := l.refundOf(); of != "" {
				refund.Lines = append(refund.Lines, connector.RefundLine{ExternalLine: of, Quantity: -whole(l.Quantity),
					Amount: -sum.Of(string(l.Total)) - sum.Of(string(l.TotalTax))})
			}
		}
		if sum.Err() == nil {
			out = append(out, refund)
		}
	}
	return out, nil
}

// refundOf is the id of the line that a line of a refund is of, "" for none.
func (l line) refundOf() string {
	for _, m := range l.Meta {
		if m.Key == "_refunded_item_id" {
			return string(m.Value)
		}
	}
	return ""
}
