package tiktokshop

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"entrepot/internal/connector"
)

// Sources of refunds: what was cancelled before it was shipped, and what was returned or refunded afterwards.
const (
	cancellationsPath = "/return_refund/202309/cancellations/search"
	returnsPath       = "/return_refund/202309/returns/search"
)

// reversal is one cancellation or return.
type reversal struct {
	CancelID     connector.ID   `json:"cancel_id"`
	ReturnID     connector.ID   `json:"return_id"`
	Order        connector.ID   `json:"order_id"`
	CancelStatus string         `json:"cancel_status"`
	Role         string         `json:"role"` // who asked for it: BUYER, SELLER or SYSTEM
	ReturnStatus string         `json:"return_status"`
	ReturnType   string         `json:"return_type"` // RETURN_AND_REFUND, REFUND without the goods, REPLACEMENT
	CancelReason string         `json:"cancel_reason_text"`
	ReturnReason string         `json:"return_reason_text"`
	Amount       refundAmount   `json:"refund_amount"`
	Partial      partialRefund  `json:"partial_refund"`
	Cancelled    []reversalLine `json:"cancel_line_items"`
	Returned     []reversalLine `json:"return_line_items"`
	Created      int64          `json:"create_time"`
	Updated      int64          `json:"update_time"`
}

type reversalLine struct {
	Piece  connector.ID `json:"order_line_item_id"`
	Amount refundAmount `json:"refund_amount"`
}

type refundAmount struct {
	Total decimal `json:"refund_total"`
}

// partialRefund is a part of the price that the seller gave back and the buyer accepted, keeping the goods. It
// replaces the other amount.
type partialRefund struct {
	Amount decimal `json:"amount"`
}

func (r *reversal) id() string { return connector.First(r.CancelID, r.ReturnID) }

// done reports whether the request was granted: the refund is on its way or complete. A replacement is no refund,
// unless it ended with one.
func (r *reversal) done() bool {
	status := cmp.Or(r.CancelStatus, r.ReturnStatus)
	if strings.HasPrefix(status, "REPLACEMENT_") || strings.HasPrefix(status, "EXCHANGE_") {
		return strings.HasSuffix(status, "_REQUEST_REFUND_SUCCESS")
	}
	return strings.HasSuffix(status, "_REQUEST_SUCCESS") || strings.HasSuffix(status, "_REQUEST_COMPLETE")
}

// open reports whether it may still be granted.
func (r *reversal) open() bool {
	return strings.HasSuffix(cmp.Or(r.CancelStatus, r.ReturnStatus), "_PENDING")
}

// asked reports whether it is a buyer's request for a cancellation that waits for the seller's answer.
func (r *reversal) asked() bool { return r.open() && r.CancelID != "" && r.Role == "BUYER" }

// reversals lists cancellations or returns, all pages of them: none for an app without their scope, which gets the
// orders all the same (Test says so).
func (s *session) reversals(ctx context.Context, path string, filter fields) (list []reversal, err error) {
	query := url.Values{"page_size": {"50"}, "sort_field": {"update_time"}, "sort_order": {"ASC"}}
	for {
		var out struct {
			Next          string     `json:"next_page_token"`
			Cancellations []reversal `json:"cancellations"`
			Returns       []reversal `json:"return_orders"`
		}
		r := request{method: http.MethodPost, path: path, query: query, body: filter}
		if _, err := s.call(connector.Repeatable(ctx), r, &out); connector.Is(err, connector.Forbidden, connector.Missing) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		list = append(append(list, out.Cancellations...), out.Returns...)
		if out.Next == "" || len(out.Cancellations)+len(out.Returns) == 0 {
			return list, nil
		}
		query.Set("page_token", out.Next)
	}
}

// addRefunds adds the refunds of orders, and what their buyers ask for; raw are the same orders as TikTok gives them.
func (s *session) addRefunds(ctx context.Context, raw []order, list []connector.Order) error {
	given, orders := map[string]*order{}, map[string]*connector.Order{}
	for i := range raw {
		given[string(raw[i].ID)] = &raw[i]
	}
	var ids []string
	for i := range list {
		if id := list[i].ExternalID; orders[id] == nil {
			ids, orders[id] = append(ids, id), &list[i]
		}
	}
	found, err := s.reversalsOf(ctx, ids)
	if err != nil {
		return err
	}
	for i := range found {
		id := string(found[i].Order)
		if orders[id] == nil {
			continue
		}
		if err := found[i].addTo(orders[id], given[id]); err != nil {
			return err
		}
	}
	return nil
}

// reversalsOf lists the cancellations of orders, and then the returns.
func (s *session) reversalsOf(ctx context.Context, orders []string) (list []reversal, err error) {
	for _, path := range []string{cancellationsPath, returnsPath} {
		for piece := range slices.Chunk(orders, 50) {
			found, err := s.reversals(ctx, path, fields{"order_ids": piece})
			if err != nil {
				return nil, err
			}
			list = append(list, found...)
		}
	}
	return list, nil
}

// addTo adds the reversal to its order, which counts as changed at its time: TikTok does not change the order's.
func (r *reversal) addTo(out *connector.Order, o *order) error {
	if r.asked() {
		out.ToBeCancelled(true)
	}
	if at := moment(r.Updated); at.After(out.UpdatedAt) && (r.done() || r.CancelID != "") {
		out.UpdatedAt = at
	}
	if !r.done() {
		return nil
	}
	return addRefund(out, o, r)
}

// addRefund adds the refund of a cancellation or return.
func addRefund(out *connector.Order, o *order, r *reversal) error {
	sum, err := connector.NewSums(out.Currency)
	if err != nil {
		return err
	}
	refund := connector.Refund{ExternalID: r.id(), Amount: sum.Of(string(r.Amount.Total)), CreatedAt: moment(r.Created),
		Reason: cmp.Or(r.CancelReason, r.ReturnReason)}
	partial := r.Amount.Total == "" && r.Partial.Amount != ""
	if partial {
		refund.Amount = sum.Of(string(r.Partial.Amount))
	}
	for _, b := range o.bundles() {
		if partial { // of the order: its pieces stay with the buyer
			break
		}
		line := connector.RefundLine{ExternalLine: b.id}
		for _, l := range append(slices.Clone(r.Cancelled), r.Returned...) {
			if slices.ContainsFunc(b.pieces, func(p piece) bool { return p.ID == l.Piece }) {
				line.Quantity++
				line.Amount += sum.Of(string(l.Amount.Total))
			}
		}
		if line.Quantity > 0 {
			refund.Lines = append(refund.Lines, line)
		}
	}
	if sum.Err() == nil && (refund.Amount > 0 || len(refund.Lines) > 0) {
		out.Refunds = append(out.Refunds, refund)
		r.addReturn(out, refund)
	}
	return nil
}

// addReturn adds what came back with a refund: TikTok pays for goods to be returned once the seller has them. It does
// not say whether they can be sold again.
func (r *reversal) addReturn(out *connector.Order, refund connector.Refund) {
	if r.ReturnID == "" || r.ReturnType != "RETURN_AND_REFUND" || len(refund.Lines) == 0 {
		return
	}
	back := connector.Return{ExternalID: refund.ExternalID, Refund: refund.ExternalID, Reason: refund.Reason, CreatedAt: refund.CreatedAt}
	for _, l := range refund.Lines {
		back.Lines = append(back.Lines, connector.ReturnLine{ExternalLine: l.ExternalLine, Quantity: l.Quantity})
	}
	out.Returns = append(out.Returns, back)
}
