package platforms

import (
	"fmt"
	"testing"

	"entrepot/internal/connector/woocommerce/fakeshop"
)

// Orders of a shop that rounds only the sum of its lines have its total to the cent, and add up; so do those with a line that was raised.
func TestWooAmountsAddUp(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		for _, habits := range []fakeshop.Habits{{}, {RoundSums: true}} {
			shop := newWooShop(t, habits)
			channel := s.connect(shop, nil)
			skus := map[string]int64{}
			for i := range 9 {
				sku := fmt.Sprint("CENT-", i)
				shop.AddProduct(sku, sku, fmt.Sprintf("%d.%02d", 8+i, 37+i*7), 100)
				skus[sku] = int64(i%3 + 1)
			}
			placed := []int64{shop.Place(fakeshop.Wish{SKUs: skus}), shop.Place(fakeshop.Wish{SKUs: skus, Discount: 7, Shipping: 333, Fee: 99}),
				shop.Place(fakeshop.Wish{SKUs: skus, Discount: 10})}
			shop.Raise(placed[2], 99_99)
			s.call("POST", "/api/v1/channels/"+channel+"/sync", map[string]any{"type": "order_pull"}, 202)
			for _, id := range placed {
				s.await("the order", func() string {
					var o document
					for _, one := range s.chain(fmt.Sprint(id)) {
						if one.Text("data", "channelId") == channel {
							o = one
						}
					}
					if o == nil {
						return "not there"
					}
					discount, _ := o.At("data", "discountAmount").(float64)
					for i := range o.List("data", "issues") {
						if o.Text("data", "issues", i, "code") == "amounts_differ" {
							return fmt.Sprint(o.At("data", "issues"))
						}
					}
					return unless(o.Text("data", "totalAmount") == shop.Orders()[id].Total && discount >= 0, o.Text("data", "totalAmount"), discount,
						shop.Orders()[id])
				})
			}
		}
	})
}
