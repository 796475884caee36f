package prestashop

import (
	"context"

	"entrepot/internal/connector"
	"entrepot/internal/orders"
)

// PushCancel cancels the order, which gives its stock back in the shop. The shop keeps no reason.
func (s *session) PushCancel(ctx context.Context, order connector.OrderRef, _ string) error {
	return s.PushStatus(ctx, order, orders.Cancelled)
}
