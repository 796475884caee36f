package woocommerce

import (
	"context"

	"entrepot/internal/connector"
)

// PushCancel cancels an order; the shop takes back the stock by itself.
func (s *session) PushCancel(ctx context.Context, order connector.OrderRef, _ string) error {
	return s.move(ctx, order, "cancelled", "cancelled", "failed", "refunded", "trash")
}
