package woocommerce

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// orderGone is the code of an order that the shop does not have.
const orderGone = "woocommerce_rest_shop_order_invalid_id"

// Vanished gives those of some orders that the shop does not have any more, in its lists, in its bin, or by themselves.
func (s *session) Vanished(ctx context.Context, externalIDs []string) (gone []string, err error) {
	for left := range slices.Chunk(externalIDs, pageOf) {
		for _, status := range []string{"any", "trash"} {
			there, err := list[struct {
				ID flexible `json:"id"`
			}](ctx, s, "/orders", url.Values{"include": {strings.Join(left, ",")}, "status": {status}, "_fields": {"id"}})
			if err != nil {
				return nil, err
			}
			found := map[string]bool{}
			for _, o := range there {
				found[string(o.ID)] = true
			}
			if left = slices.DeleteFunc(slices.Clone(left), func(id string) bool { return found[id] }); len(left) == 0 {
				break
			}
		}
		for _, id := range left {
			if _, err := strconv.ParseInt(id, 10, 64); err != nil {
				continue
			}
			_, err := s.get(ctx, "/orders/"+id, url.Values{"_fields": {"id"}}, &struct{}{})
			if err != nil && !isCode(err, orderGone) {
				return nil, err
			}
			if err != nil {
				gone = append(gone, id)
			}
		}
	}
	return gone, nil
}
