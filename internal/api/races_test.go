package api

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// deadlocks is how many deadlocks the store's server has broken so far; an embedded store has none.
func (s *server) deadlocks() (n int64) {
	s.t.Helper()
	if s.config.URL == "" {
		return 0
	}
	err := s.DB.Read(s.t.Context(), db.Across, func(tx *db.Tx) error {
		return tx.Row("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()", nil, &n)
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// together runs several things at the same moment, in turns on this node and another, and waits for all.
func (s *server) together(things ...func(s *server)) {
	nodes := []*server{s, s.twin()}
	var start, done sync.WaitGroup
	start.Add(1)
	for i, thing := range things {
		done.Go(func() {
			start.Wait()
			thing(nodes[i%2])
		})
	}
	start.Done()
	done.Wait()
}

// answered fails the test for an answer that is none of the statuses.
func (s *server) answered(t *testing.T, c call, statuses ...int) reply {
	got := s.do(c)
	if !slices.Contains(statuses, got.status) {
		t.Errorf("%s %s: %d %s", c.method, c.path, got.status, short(got.body))
	}
	return got
}

// Orders that come while their channel goes are refused or go with it: nothing of them is left (interface §1).
func TestChannelGoesWhileOrdersCome(t *testing.T) {
	dbtest.Long(t, "a race is repeated")
	const rounds, clients, orders = 4, 4, 10
	engines(t, func(t *testing.T, s *server) {
		set, err := connector.NewSet()
		if err != nil {
			t.Fatal(err)
		}
		s.Commerce.Connectors = set
		for i := range 4 {
			s.must(t, 201, "POST", "/api/v1/products",
				map[string]any{"sku": fmt.Sprint("P-", i), "name": "P", "price": 1, "stock": map[string]any{"quantity": 1000}})
		}
		product := text(s.must(t, 200, "GET", "/api/v1/products?sku=P-1", nil), "data", 0, "id")
		before := s.deadlocks()
		for round := range rounds {
			channel := text(s.must(t, 201, "POST", "/api/v1/channels", map[string]any{"name": "Shop", "platform": "CUSTOM"}), "data", "channel",
				"id")
			var made atomic.Int64
			half := make(chan struct{})
			var once sync.Once
			var things []func(s *server)
			for client := range clients {
				things = append(things, func(s *server) {
					for n := range orders {
						body := map[string]any{"customerName": "Ada", "customerEmail": fmt.Sprintf("c%d@example.com", n%3),
							"items": []any{map[string]any{"sku": fmt.Sprint("P-", (client+n)%4), "quantity": 2, "unitPrice": 5}}}
						wanted := []int{201}
						if client%2 == 0 {
							body["channelId"], wanted = channel, []int{201, 404}
						}
						got := s.answered(t, call{method: "POST", path: "/api/v1/orders", body: body}, wanted...)
						if made.Add(1) == clients*orders/3 {
							once.Do(func() { close(half) })
						}
						if got.status != 201 {
							continue
						}
						path := "/api/v1/orders/" + text(got.json(t), "data", "id")
						switch n % 3 {
						case 0:
							s.answered(t, call{method: "PATCH", path: path + "/status",
								body: map[string]any{"status": []string{"CANCELLED", "PROCESSING"}[n%2]}}, 200, 404)
						case 1:
							s.answered(t, call{method: "PUT", path: path + "/items",
								body: map[string]any{"items": []any{map[string]any{"sku": "P-0", "quantity": 1, "unitPrice": 7}}}}, 200, 404)
						}
					}
				})
			}
			things = append(things, func(s *server) {
				<-half
				s.answered(t, call{method: "DELETE", path: "/api/v1/channels/" + channel}, 200)
			}, func(s *server) {
				for range 5 {
					s.answered(t, call{method: "POST", path: "/api/v1/channels/" + channel + "/publications",
						body: map[string]any{"productIds": []string{product}}}, 200, 404)
					s.answered(t, call{method: "POST", path: "/api/v1/sdk/products/bulk-import",
						body: map[string]any{"options": map[string]any{"channelId": channel},
							"products": []any{map[string]any{"sku": "P-2", "name": fmt.Sprint("P ", round), "price": 2}}}}, 202, 404)
				}
			})
			s.together(things...)
			s.sound(t)
			if got := number(s.must(t, 200, "GET", "/api/v1/orders?channelId="+channel, nil), "meta", "total"); got != "0" {
				t.Errorf("%s orders are in a channel that is gone", got)
			}
		}
		if n := s.deadlocks() - before; n != 0 {
			t.Errorf("%d deadlocks", n)
		}
	})
}

// Of orders that take a level below its threshold at the same moment, one says so; once it is up again, the next crossing says it
// once more (interface §6.1).
func TestLowStockIsEmittedOnce(t *testing.T) {
	const clients, rounds = 16, 3
	engines(t, func(t *testing.T, s *server) {
		s.must(t, 201, "POST", "/api/v1/products", map[string]any{"sku": "A", "name": "A", "price": 1, "stock": map[string]any{"quantity": 20}})
		s.must(t, 200, "PATCH", "/api/v1/inventory/thresholds", map[string]any{"updates": []any{map[string]any{"sku": "A", "threshold": 10}}})
		order := func(s *server) {
			s.answered(t, call{method: "POST", path: "/api/v1/orders",
				body: map[string]any{"customerName": "Ada", "items": []any{map[string]any{"sku": "A", "quantity": 1, "unitPrice": 5}}}}, 201)
		}
		order(s) // 19 are available
		_, from := s.eventsSince(0)
		for round := range rounds {
			s.together(slices.Repeat([]func(*server){order}, clients)...)
			var names []string
			names, from = s.eventsSince(from)
			low := 0
			for _, name := range names {
				if name == "stock.low" {
					low++
				}
			}
			if low != 1 {
				t.Errorf("round %d: stock.low %d times for one crossing", round, low)
			}
			s.must(t, 201, "POST", "/api/v1/inventory/movements", map[string]any{"sku": "A", "type": "receive", "quantity": clients})
			if names, from = s.eventsSince(from); slices.Contains(names, "stock.low") {
				t.Errorf("stock that came in emitted %v", names)
			}
		}
		s.sound(t)
	})
}

// A product that goes while its stock is set leaves no level in lists and feeds but tombstones.
func TestStockOfADeletedProduct(t *testing.T) {
	const rounds, clients = 6, 4
	engines(t, func(t *testing.T, s *server) {
		before := s.deadlocks()
		for round := range rounds {
			sku := fmt.Sprint("GONE-", round)
			path := "/api/v1/products/" + text(s.must(t, 201, "POST", "/api/v1/products",
				map[string]any{"sku": sku, "name": "A", "price": 1, "stock": map[string]any{"quantity": 5}}), "data", "id")
			things := []func(s *server){func(s *server) { s.answered(t, call{method: "DELETE", path: path}, 200) }}
			for client := range clients {
				things = append(things, func(s *server) {
					for n := range 4 {
						s.answered(t, call{method: "PATCH", path: "/api/v1/sdk/inventory/bulk-update", body: map[string]any{"updates": []any{
							map[string]any{"sku": sku, "warehouseCode": fmt.Sprintf("W%d-%d", client, n), "quantity": n + 1},
							map[string]any{"sku": sku, "quantity": 10*client + n}}}}, 200)
					}
				})
			}
			s.together(things...)
			if list := s.must(t, 200, "GET", "/api/v1/inventory?sku="+sku, nil); number(list, "meta", "total") != "0" {
				t.Errorf("a deleted product has stock: %v", at(list, "data"))
			}
		}
		if feed := s.must(t, 200, "GET", "/api/v1/sdk/inventory/changes", nil); number(feed, "meta", "count") != "0" {
			t.Errorf("the inventory feed has stock of deleted products: %v", at(feed, "data"))
		}
		s.sound(t)
		if n := s.deadlocks() - before; n != 0 {
			t.Errorf("%d deadlocks", n)
		}
	})
}

// Bulk updates of stock get through beside orders of the same SKUs.
func TestBulkStockBesideOrders(t *testing.T) {
	dbtest.Long(t, "orders are placed beside bulk requests")
	const skus, clients, updates = 300, 8, 3
	engines(t, func(t *testing.T, s *server) {
		var products, figures []any
		for i := range skus {
			products = append(products, map[string]any{"sku": fmt.Sprint("B-", i), "name": "B", "price": 1})
		}
		s.must(t, 202, "POST", "/api/v1/sdk/products/bulk-import", map[string]any{"products": products})
		var running atomic.Bool
		running.Store(true)
		var things []func(s *server)
		for client := range clients {
			things = append(things, func(s *server) {
				for n := client; running.Load(); n += clients {
					s.answered(t, call{method: "POST", path: "/api/v1/orders", body: map[string]any{"customerName": "Ada",
						"items": []any{map[string]any{"sku": fmt.Sprint("B-", n%skus), "quantity": 1, "unitPrice": 5}}}}, 201)
				}
			})
		}
		things = append(things, func(s *server) {
			defer running.Store(false)
			for n := range updates {
				figures = figures[:0]
				for i := range skus {
					figures = append(figures, map[string]any{"sku": fmt.Sprint("B-", i), "quantity": 1000 + n})
				}
				s.answered(t, call{method: "PATCH", path: "/api/v1/sdk/inventory/bulk-update", body: map[string]any{"updates": figures}}, 200)
			}
		})
		before := s.deadlocks()
		s.together(things...)
		if n := s.deadlocks() - before; n != 0 {
			t.Errorf("%d deadlocks", n)
		}
		s.sound(t)
	})
}
