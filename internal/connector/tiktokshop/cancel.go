package tiktokshop

import (
	"cmp"
	"context"
	"net/url"

	"entrepot/internal/connector"
	"entrepot/internal/orders"
)

// PushCancel cancels the whole order: it grants the buyer's request as far as that goes, and cancels the rest for the
// seller. A cancellation that waits for TikTok's decision is not repeated.
func (s *session) PushCancel(ctx context.Context, ref connector.OrderRef, _ string) error {
	o, err := s.beforeWrite(ctx, ref.ExternalID)
	if err != nil || statuses[o.Status] == orders.Cancelled {
		return err
	}
	found, err := s.reversals(ctx, cancellationsPath, fields{"order_ids": []string{ref.ExternalID}})
	if err != nil {
		return err
	}
	gone := 0
	for _, r := range found {
		switch {
		case r.asked():
			delete(s.ahead, ref.ExternalID)
			if err := s.write(ctx, o, "/return_refund/202309/cancellations/"+url.PathEscape(string(r.CancelID))+"/approve", fields{}); err != nil {
				return err
			}
		case r.open():
			return nil
		case !r.done():
			continue
		}
		gone += len(r.Cancelled)
	}
	if gone >= len(o.Pieces) {
		return nil
	}
	reason := "seller_cancel_reason_out_of_stock"
	if o.Status == "UNPAID" {
		reason = "seller_cancel_unpaid_reason_out_of_stock"
	}
	delete(s.ahead, ref.ExternalID)
	return s.write(ctx, o, "/return_refund/202309/cancellations",
		fields{"order_id": ref.ExternalID, "cancel_reason": cmp.Or(s.link.Channel.Value("cancelReason"), reason)})
}
