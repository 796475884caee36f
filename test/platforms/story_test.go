package platforms

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"entrepot/internal/connector/woocommerce/fakeshop"
	"entrepot/internal/dbtest"
)

var long = flag.Bool("long", false, "500 products and 200 orders instead of a tenth")

// The whole story with a shop of every bad habit: products out, waves of stock and prices, orders in and their states back, edits, refunds,
// cancellations, an outage, and the service stopped in between. In the end nothing is lost, nothing doubled, and stock is equal.
func TestWooStory(t *testing.T) {
	dbtest.Long(t, "a shop lives through a whole story")
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		products, orders := 50, 20
		if *long {
			products, orders = 500, 200
		}
		shop := newWooShop(
			t,
			fakeshop.Habits{
				FailAfterWrite: 19,
				LoseAnswer:     23,
				Warn:           7,
				TooMany:        31,
				Duplicate:      true,
				Reorder:        true,
				Drop:           5,
				BatchMost:      50,
			},
		)
		began := time.Now()
		channel := s.connect(shop, nil)
		s.catalog(channel, products)
		s.restart()
		s.awaitFor("products", 8*time.Minute, func() string {
			counts, first := s.states(channel)
			return unless(counts["published"] == products, counts, first, s.jobs(channel))
		})
		t.Logf("%d products: %d calls in %s", products, shop.Calls()[""], time.Since(began).Round(time.Second))
		s.awaitFor("stock of all", 3*time.Minute, func() string { return s.equalStock(shop) })

		began = time.Now()
		calls := shop.Calls()[""]
		var levels, prices []map[string]any
		for i := range products {
			sku := fmt.Sprintf("MUG-%03d", i)
			if i%2 == 1 {
				sku += "-M"
			}
			levels = append(levels, map[string]any{"sku": sku, "quantity": 20 + i%7})
			prices = append(prices, map[string]any{"sku": sku, "price": fmt.Sprintf("%d.50", 10+i%5)})
		}
		s.call("PATCH", "/api/v1/sdk/inventory/bulk-update", map[string]any{"updates": levels}, 200)
		s.call("PATCH", "/api/v1/sdk/prices/bulk-update", map[string]any{"updates": prices}, 200)
		s.awaitFor("a wave of stock and prices", 4*time.Minute, func() string {
			items, _ := shop.Items()
			for _, p := range prices {
				if items[p["sku"].(string)].Regular != p["price"] {
					return fmt.Sprintf("%+v, want %v", items[p["sku"].(string)], p)
				}
			}
			return s.equalStock(shop)
		})
		t.Logf("a wave over %d SKUs: %d calls in %s", len(levels), shop.Calls()[""]-calls, time.Since(began).Round(time.Second))

		began, calls = time.Now(), shop.Calls()[""]
		placed := s.ordersArrive(shop, channel, orders, products)
		t.Logf("%d orders: %d calls in %s", orders, shop.Calls()[""]-calls, time.Since(began).Round(time.Second))
		s.shipBack(shop, channel, placed)
		s.outage(shop, channel, products)
		s.awaitFor("stock in the end", 4*time.Minute, func() string { return s.equalStock(shop) })
		if _, doubled := shop.Items(); len(doubled) > 0 {
			t.Errorf("SKUs stand twice in the shop: %v", doubled)
		}
		for id, o := range shop.Orders() {
			seen := map[string]bool{}
			for _, n := range o.Notes {
				if seen[n] {
					t.Errorf("order %d: the buyer got twice %q", id, n)
				}
				seen[n] = true
			}
		}
	})
}

// restart stops the service and starts it on its store and address.
func (s *service) restart() {
	s.Helper()
	if s.again != nil {
		s.again()
		return
	}
	s.stop()
	s.start()
}

// interrupt does what a test does to the service while it has work.
func (s *service) interrupt() {
	if s.between != nil {
		s.between()
	}
}

// here is the channel's orders by the shop's number.
func (s *service) here(channel string) map[int64]document {
	s.Helper()
	found := map[int64]document{}
	for page := 1; ; page++ {
		got := s.call("GET", fmt.Sprintf("/api/v1/orders?limit=100&page=%d&sort=createdAt:asc&channelId=%s", page, channel), nil, 200)
		for i := range got.list("data") {
			var number int64
			_, _ = fmt.Sscan(got.text("data", i, "externalId"), &number)
			if found[number] != nil {
				s.Errorf("order %d of the shop is here twice", number)
			}
			found[number], _ = got.at("data", i).(map[string]any)
		}
		if len(got.list("data")) < 100 {
			return found
		}
	}
}

// ordersArrive places orders of all kinds, stops the service in the middle, and waits until all are here with the shop's amounts and
// states.
func (s *service) ordersArrive(shop *wooShop, channel string, count, products int) (placed []int64) {
	s.Helper()
	want := map[int64]string{}
	for i := range count {
		wish := fakeshop.Wish{
			SKUs:     map[string]int64{fmt.Sprintf("MUG-%03d", i*2%products): int64(1 + i%3)},
			Shipping: int64(i%3) * 412,
			Email:    fmt.Sprintf("buyer%d@shop.example", i%7),
		}
		want[0] = "PROCESSING"
		status := "PROCESSING"
		switch i % 6 {
		case 1:
			wish.Status, status = "pending", "PENDING"
		case 2:
			wish.Discount, wish.Fee = 10, 250
		case 3:
			wish.Unknown = 2
		case 4:
			wish.Status, status = "on-hold", "PENDING"
		}
		id := shop.Place(wish)
		switch i % 10 {
		case 7:
			shop.Move(id, "cancelled")
			status = "CANCELLED"
		case 8:
			shop.Trash(id)
			status = "CANCELLED"
		case 9:
			shop.Move(id, "refunded")
			status = "CANCELLED"
		}
		placed = append(placed, id)
		want[id] = status
		if i == count/2 {
			s.restart()
		}
	}
	delete(want, 0)
	s.interrupt()
	s.awaitFor("orders", 5*time.Minute, func() string {
		here, there := s.here(channel), shop.Orders()
		for id, status := range want {
			o := here[id]
			switch {
			case o == nil:
				return fmt.Sprintf("%d of %d are here, not %d; %s", len(here), count, id, s.jobs(channel))
			case o.text("status") != status:
				return fmt.Sprintf("order %d is %s, want %s (%s there)", id, o.text("status"), status, there[id].Status)
			case o.text("totalAmount") != there[id].Total:
				return fmt.Sprintf("order %d costs %s here and %s there", id, o.text("totalAmount"), there[id].Total)
			}
		}
		return unless(len(here) == count, len(here), " orders here, want ", count)
	})
	return placed
}

// shipBack ships, delivers and cancels orders here, and waits until the shop says so, once.
func (s *service) shipBack(shop *wooShop, channel string, placed []int64) {
	s.Helper()
	want := map[int64]string{}
	tracking := map[int64]string{}
	here := s.here(channel)
	for i, id := range placed {
		if here[id].text("status") != "PROCESSING" {
			continue
		}
		order := here[id].text("id")
		switch i % 4 {
		case 0:
			tracking[id] = fmt.Sprintf("TRK-%d", id)
			s.call("PATCH", "/api/v1/orders/"+order+"/status", map[string]any{"status": "SHIPPED", "trackingNumber": tracking[id]}, 200)
			want[id] = "completed"
		case 2:
			s.call("PATCH", "/api/v1/orders/"+order+"/status", map[string]any{"status": "CANCELLED"}, 200)
			want[id] = "cancelled"
		case 3:
			line := s.call("GET", "/api/v1/orders/"+order, nil, 200).text("data", "items", 0, "id")
			tracking[id] = fmt.Sprintf("PART-%d", id)
			s.call("POST", "/api/v1/orders/"+order+"/shipments", map[string]any{"carrier": "DHL", "trackingNumber": tracking[id],
				"items": []map[string]any{{"orderItemId": line, "quantity": 1}}}, 201)
		}
	}
	s.interrupt()
	s.awaitFor("states in the shop", 4*time.Minute, func() string {
		there := shop.Orders()
		for id, status := range want {
			if there[id].Status != status {
				return fmt.Sprintf(
					"order %d is %s there, want %s; here %v; %s",
					id,
					there[id].Status,
					status,
					s.here(channel)[id]["channelSync"],
					s.jobs(channel),
				)
			}
		}
		for id, number := range tracking {
			if n := strings.Count(strings.Join(there[id].Notes, "\n"), number); n != 1 {
				return fmt.Sprintf("the buyer of %d got %s %d times: %v", id, number, n, there[id].Notes)
			}
		}
		for id := range tracking {
			if state := s.here(channel)[id].text("channelSync", "status"); state != "synced" {
				return fmt.Sprintf("order %d is %s", id, state)
			}
		}
		return ""
	})
}

// outage takes the shop away while stock changes here and an order is shipped; both reach it when it is back. It is reported once.
func (s *service) outage(shop *wooShop, channel string, products int) {
	s.Helper()
	shop.Down(502)
	s.call(
		"PATCH",
		"/api/v1/sdk/inventory/bulk-update",
		map[string]any{"updates": []map[string]any{{"sku": "MUG-000", "quantity": 77}}},
		200,
	)
	s.awaitFor("the outage is seen", 2*time.Minute, func() string {
		failed := s.events("channel.sync_failed")
		return unless(failed > 0, "no channel.sync_failed: ", s.jobs(channel))
	})
	shop.Down(0)
	id := shop.Place(fakeshop.Wish{SKUs: map[string]int64{"MUG-000": 1}, Email: "late@shop.example"})
	s.awaitFor("all is well again", 6*time.Minute, func() string { return unless(s.here(channel)[id] != nil, s.jobs(channel)) })
	_ = products
}

// events counts an account's events of a kind.
func (s *service) events(kind string) (n int) {
	s.Helper()
	after := ""
	for {
		path := "/api/v1/developer/events?limit=100"
		if after != "" {
			path += "&after=" + after
		}
		got := s.call("GET", path, nil, 200)
		for i := range got.list("data") {
			after = got.text("data", i, "id")
			if got.text("data", i, "event") == kind {
				n++
			}
		}
		if len(got.list("data")) < 100 {
			return n
		}
	}
}
