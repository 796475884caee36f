package woocommerce

import (
	"context"
	"html"
	"net/http"
	"net/url"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
)

// ownRefund is the key beside a refund under which the service keeps its own id of it.
const ownRefund = "_entrepot_refund"

// refunds reads the refunds of an order.
func (s *session) refunds(ctx context.Context, order, currency string) (out []connector.Refund, err error) {
	var list []struct {
		ID      flexible      `json:"id"`
		Amount  flexible      `json:"amount"`
		Reason  flexible      `json:"reason"`
		Created flexible      `json:"date_created_gmt"`
		Lines   several[line] `json:"line_items"`
		Meta    several[meta] `json:"meta_data"`
	}
	if _, err := s.get(ctx, "/orders/"+order+"/refunds", url.Values{"per_page": {"100"}, "dp": {decimals}}, &list); err != nil {
		return nil, err
	}
	for _, r := range list {
		sum := connector.Sums{Digits: money.Digits(currency)}
		refund := connector.Refund{
			ExternalID: string(r.ID),
			Amount:     sum.Of(string(r.Amount)),
			Reason:     html.UnescapeString(string(r.Reason)),
			CreatedAt:  moment(string(r.Created)),
		}
		for _, m := range r.Meta {
			if m.Key == ownRefund {
				refund.Ours = string(m.Value)
			}
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

// PushRefund records a refund, unless it is there. The shop moves no money for it and puts nothing into its stock,
// which pushes of stock show; one that completes the order's total has it set the status "refunded".
func (s *session) PushRefund(ctx context.Context, order connector.OrderRef, refund connector.Refund) (string, error) {
	there, err := s.refunds(ctx, order.ExternalID, order.Currency)
	if isCode(err, noRoute) { // a gateway lets only the order through, or nothing is there at all
		if _, err = s.get(ctx, "/orders/"+order.ExternalID, url.Values{"_fields": {"id"}}, nil); err == nil {
			err = connector.Failf(connector.Cannot, "something before the shop keeps its refunds back")
		}
	}
	if err != nil {
		return "", err
	}
	for _, known := range there {
		if known.Ours == refund.Ours {
			return known.ExternalID, nil
		}
	}
	lines := []map[string]any{}
	for _, l := range refund.Lines {
		lines = append(lines, map[string]any{"id": flexible(l.ExternalLine).number(), "quantity": l.Quantity, "refund_total": l.Amount.String()})
	}
	var made struct {
		ID flexible `json:"id"`
	}
	_, err = s.call(ctx, http.MethodPost, "/wc/v3/orders/"+order.ExternalID+"/refunds", nil,
		map[string]any{"amount": refund.Amount.String(), "reason": refund.Reason, "api_refund": false, "api_restock": false, "line_items": lines,
			"meta_data": []map[string]any{{"key": ownRefund, "value": refund.Ours}}}, &made)
	if err == nil && made.ID == "" {
		err = connector.Failf(connector.Temporary, "the shop does not say which refund it has recorded")
	}
	return string(made.ID), err
}

// restocked is how many refunded units of each line the shop has put back into its stock; nil for none.
func (in shopOrder) restocked() (units map[string]int64) {
	for _, l := range in.Lines {
		for _, m := range l.Meta {
			if n := whole(m.Value); m.Key == "_restock_refunded_items" && n > 0 {
				if units == nil {
					units = map[string]int64{}
				}
				units[string(l.ID)] = n
			}
		}
	}
	return units
}
