package platforms

import (
	"fmt"
	"slices"
	"testing"

	prestashop "entrepot/internal/connector/prestashop/fakeshop"
	"entrepot/internal/connector/woocommerce/fakeshop"
)

// chain lists the orders of an external id, the oldest first.
func (s *service) chain(external string) (list []document) {
	s.Helper()
	found := s.call("GET", "/api/v1/orders?limit=100", nil, 200)
	for i := range found.List("data") {
		if found.Text("data", i, "externalId") == external {
			list = append(list, s.call("GET", "/api/v1/orders/"+found.Text("data", i, "id"), nil, 200))
		}
	}
	slices.Reverse(list)
	return list
}

// reopened says how the orders of an external id are not a chain of these statuses, each of which reopens the one before.
func (s *service) reopened(external string, statuses ...string) string {
	s.Helper()
	list, previous := s.chain(external), ""
	if len(list) != len(statuses) {
		return fmt.Sprintf("%d orders of %s, want %v", len(list), external, statuses)
	}
	for i, o := range list {
		by := ""
		if i+1 < len(list) {
			by = list[i+1].Text("data", "id")
		}
		if o.Text("data", "status") != statuses[i] || o.Text("data", "reopens") != previous || o.Text("data", "reopenedBy") != by {
			return fmt.Sprintf("%d. of %s: %v, want %s", i+1, external, o.At("data"), statuses[i])
		}
		if issues := o.List("data", "issues"); len(issues) > 0 {
			return fmt.Sprint(issues)
		}
		previous = o.Text("data", "id")
	}
	return ""
}

// Orders that a shop takes up again after it cancelled them are new ones here: a declined card that is paid, an unpaid order that is paid
// late, one that comes back from the bin. Stock agrees with the shop, and what is done to the new one goes to the shop.
func TestWooOrdersAreReopened(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		shop := newWooShop(t, fakeshop.Habits{Duplicate: true})
		channel := s.connect(shop, nil)
		s.catalog(channel, 2)
		s.await("products", func() string {
			counts, first := s.states(channel)
			return unless(counts["published"] == 2, counts, first)
		})
		declined := shop.Place(fakeshop.Wish{SKUs: map[string]int64{"MUG-000": 2}, Status: "failed"})
		late := shop.Place(fakeshop.Wish{SKUs: map[string]int64{"MUG-000": 1}, Status: "on-hold"})
		binned := shop.Place(fakeshop.Wish{SKUs: map[string]int64{"MUG-001-S": 1}})
		check := func(what string, chains map[int64][]string) {
			t.Helper()
			s.await(what, func() string {
				for id, statuses := range chains {
					if wrong := s.reopened(fmt.Sprint(id), statuses...); wrong != "" {
						return wrong
					}
				}
				return ""
			})
			s.await("the stock of "+what, func() string { return s.equalStock(shop) })
		}
		check("first versions", map[int64][]string{declined: {"CANCELLED"}, late: {"PENDING"}, binned: {"PROCESSING"}})
		shop.Move(late, "cancelled")
		shop.Trash(binned)
		check("cancellations", map[int64][]string{declined: {"CANCELLED"}, late: {"CANCELLED"}, binned: {"CANCELLED"}})
		shop.Move(declined, "processing")
		shop.Move(late, "processing")
		shop.Restore(binned, "processing")
		again := []string{"CANCELLED", "PROCESSING"}
		check("payments", map[int64][]string{declined: again, late: again, binned: again})
		if free := s.available()["MUG-000"]; free != 47 {
			t.Errorf("%d are available, want 47", free)
		}
		shop.Move(late, "failed")
		check("the next cancellation", map[int64][]string{late: {"CANCELLED", "CANCELLED"}})
		shop.Move(late, "completed")
		check("paid and sent", map[int64][]string{late: {"CANCELLED", "CANCELLED", "SHIPPED"}})
		newest := s.chain(fmt.Sprint(declined))[1].Text("data", "id")
		s.call("POST", "/api/v1/orders/"+newest+"/shipments", map[string]any{"carrier": "DHL", "trackingNumber": "JD1", "items": []any{
			map[string]any{"orderItemId": s.chain(fmt.Sprint(declined))[1].Text("data", "items", 0, "id"), "quantity": 2}}}, 201)
		s.await("what was sent here is completed there", func() string {
			return unless(shop.Orders()[declined].Status == "completed", shop.Orders()[declined])
		})
		check("sent here", map[int64][]string{declined: {"CANCELLED", "SHIPPED"}})
	})
}

// In PrestaShop a payment error (8) or a cancellation (6) that is followed by a payment (2) is one, too.
func TestPrestaShopOrdersAreReopened(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		shop := prestashop.New()
		channel := s.attach("PRESTASHOP", shop, map[string]any{"url": "https://shop.example", "webserviceKey": prestashop.Key})
		s.catalog(channel, 1)
		s.await("products", func() string {
			counts, first := s.states(channel)
			return unless(counts["published"] == 1, counts, first)
		})
		place := func() string {
			return shop.Buy("ada@shop.example", false, prestashop.Bought{SKU: "MUG-000", Quantity: 2})
		}
		declined, late := place(), place()
		check := func(what string, statuses ...string) {
			t.Helper()
			s.call("POST", "/api/v1/channels/"+channel+"/sync", map[string]any{"type": "order_pull"}, 202)
			s.await(what, func() string { return s.reopened(declined, statuses...) + s.reopened(late, statuses...) })
		}
		check("first versions", "PENDING")
		shop.Move(declined, "8")
		shop.Move(late, "6")
		check("cancellations", "CANCELLED")
		shop.Move(declined, "2")
		shop.Move(late, "2")
		check("payments", "CANCELLED", "PROCESSING")
		if free := s.available()["MUG-000"]; free != 46 {
			t.Errorf("%d are available, want 46", free)
		}
		s.await("stock", func() string { return unless(shop.Stock("MUG-000") == 46, shop.Stock("MUG-000")) })
	})
}
