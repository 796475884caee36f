package shopify

import (
	"context"

	"entrepot/internal/connector"
)

// PushCancel cancels the order in the shop and gives its stock back. Money moves only when the channel's setting
// refundOnCancel says so.
func (s *session) PushCancel(ctx context.Context, order connector.OrderRef, reason string) error {
	at, err := s.shipping(ctx, order.ExternalID)
	if err != nil || at.CancelledAt != nil {
		return err
	}
	delete(s.ahead, order.ExternalID)
	var a struct {
		OrderCancel struct{ OrderCancelUserErrors userErrors }
	}
	v := vars{"id": order.ExternalID, "reason": "OTHER", "note": connector.Cut(reason, 255), "refund": nil}
	if s.link.Channel.Value("refundOnCancel") == "true" {
		v["refund"] = vars{"originalPaymentMethodsRefund": true}
	}
	if _, err := s.call(ctx, mutateCancel, v, &a); err != nil {
		return err
	}
	return a.OrderCancel.OrderCancelUserErrors.err()
}
