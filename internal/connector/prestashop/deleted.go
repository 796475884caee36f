package prestashop

import (
	"context"
	"slices"
)

// Vanished returns those of some orders that the shop no longer has: modules and the web service delete some.
func (s *session) Vanished(ctx context.Context, externalIDs []string) (gone []string, err error) {
	there, err := s.inChunks(ctx, "orders", "order", "id", externalIDs, func() query { return display("id") })
	if err != nil {
		return nil, err
	}
	for _, id := range externalIDs {
		if !slices.ContainsFunc(there, func(n *node) bool { return n.get("id") == id }) {
			gone = append(gone, id)
		}
	}
	return gone, nil
}
