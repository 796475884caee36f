package platforms

import (
	"fmt"
	"testing"

	"entrepot/internal/connector/woocommerce/fakeshop"
)

// A channel that is pointed at another shop writes nothing by the ids of the first one, which are those of other products there: products
// are found by their SKUs, and webhooks are registered.
func TestAChannelIsPointedAtAnotherShop(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		first, second := newWooShop(t, fakeshop.Habits{}), newWooShop(t, fakeshop.Habits{})
		for i := range 40 {
			second.AddProduct(fmt.Sprint("OTHER-", i), "Something else", "5", 5)
		}
		second.AddProduct("MUG", "Their mug", "3", 1)
		channel := s.connect(first, nil)
		s.call("POST", "/api/v1/products", map[string]any{"sku": "MUG", "name": "Mug", "price": 7.9, "stock": map[string]any{"quantity": 7}}, 201)
		s.call("POST", "/api/v1/channels/"+channel+"/publications", map[string]any{"skus": []any{"MUG"}}, 200)
		shows := func(shop *wooShop, quantity int64) {
			t.Helper()
			s.await("the mug", func() string {
				items, _ := shop.Items()
				mug := items["MUG"]
				return unless(mug.Quantity == quantity && mug.Regular == "7.90" && mug.Name == "Mug", mug, s.jobs(channel))
			})
		}
		shows(first, 7)
		s.call("PATCH", "/api/v1/channels/"+channel, map[string]any{"credentials": map[string]any{"url": second.url}}, 200)
		s.call("PATCH", "/api/v1/sdk/inventory/bulk-update", map[string]any{"updates": []any{map[string]any{"sku": "MUG", "quantity": 3}}}, 200)
		shows(second, 3)
		s.await("webhooks", func() string { return unless(len(second.Hooks()) == 5, second.Hooks(), s.jobs(channel)) })
		items, doubled := second.Items()
		for i := range 40 {
			if other := items[fmt.Sprint("OTHER-", i)]; other.Quantity != 5 || other.Regular != "5" || other.Name != "Something else" {
				t.Errorf("another product of the shop: %+v", other)
			}
		}
		if len(items) != 41 || len(doubled) != 0 {
			t.Errorf("%d products, %v twice", len(items), doubled)
		}
	})
}

// A new secret for notifications reaches the shop at once: with the old one, all of them would be refused until the daily check.
func TestANewSecretOfNotificationsReachesTheShop(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		shop := newWooShop(t, fakeshop.Habits{})
		channel := s.connect(shop, map[string]any{"pullEvery": 3600})
		s.call("PATCH", "/api/v1/channels/"+channel,
			map[string]any{"credentials": map[string]any{"webhookSecret": "another0secret0of0the0notifications"}}, 200)
		s.await("the shop's webhooks", func() string {
			calls := shop.Calls()
			return unless(calls["PUT webhooks/N"] == 5, calls, s.jobs(channel))
		})
		shop.AddProduct("MUG", "Mug", "5", 9)
		order := shop.Place(fakeshop.Wish{SKUs: map[string]int64{"MUG": 1}})
		s.await("the order of a notification", func() string { return unless(s.here(channel)[order] != nil, s.jobs(channel)) })
	})
}
