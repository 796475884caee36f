package model

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"entrepot/internal/db/dbtest"
	"entrepot/test/blackbox/harness"
)

var (
	steps   = flag.Int("steps", 150, "steps per client, on each engine")
	clients = flag.Int("clients", 4, "how many clients play at once")
	erased  = flag.Int("erased", 70, "orders of a customer who is erased beside the clients; 0: nobody is")
	seed    = flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the clients' choices")
)

func TestMain(m *testing.M) {
	harness.Patient = true
	code := m.Run()
	harness.Cleanup()
	dbtest.Stop()
	os.Exit(code)
}

// TestModel plays random steps and compares everything with the model.
func TestModel(t *testing.T) {
	t.Logf("seed %d, %d clients, %d steps each", *seed, *clients, *steps)
	harness.Each(t, func(t *testing.T, engine harness.Engine) {
		server := harness.Start(t, engine, harness.Options{})
		account := server.FirstAccount(t)
		var players []*player
		products := []any{map[string]any{"sku": erasedSKU, "name": "Erased", "price": 1, "stock": map[string]any{"quantity": *erased}},
			map[string]any{"sku": sharedSKU, "name": "Shared", "price": 1, "stock": map[string]any{"quantity": 100}}}
		for n := range *clients {
			p := newPlayer(t, n, account.Key, *seed)
			players = append(players, p)
			for sku, stock := range p.levels {
				products = append(products, map[string]any{"sku": sku, "name": sku, "price": 1, "stock": map[string]any{"quantity": stock.OnHand}})
			}
		}
		answer, err := account.Key.Call(http.MethodPost, "/api/v1/sdk/products/bulk-import?wait=true", map[string]any{"products": products})
		if err != nil || answer.Status != http.StatusOK || len(answer.List("errors")) > 0 {
			t.Fatalf("preparing products: %v %s", err, answer)
		}
		gone := make(chan string, 1)
		t.Run("play", func(t *testing.T) {
			if *erased > 0 {
				t.Run("erase", func(t *testing.T) {
					t.Parallel()
					gone <- erase(t, account.Key)
				})
			}
			for _, p := range players {
				t.Run(p.sku(0)[:2], func(t *testing.T) {
					t.Parallel()
					p.t = t
					for range *steps {
						p.play()
					}
				})
			}
		})
		if *erased > 0 && !t.Failed() {
			t.Log(<-gone)
		}
		if !t.Failed() {
			settle(t, account, players)
			if out, err := server.Command("verify"); err != nil {
				t.Errorf("verify: %v\n%s", err, out)
			}
		}
	})
}

const erasedSKU = "ERASED"

// erase makes a customer with many orders and erases it beside what the clients do.
func erase(t *testing.T, key harness.Client) (said string) {
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for n := w; n < *erased; n += 8 {
				answer, err := key.Call(http.MethodPost, "/api/v1/orders", map[string]any{"customerName": "Beside Them", "notes": "by the door",
					"customerEmail": "beside@model.example", "items": []any{map[string]any{"sku": erasedSKU, "quantity": 1, "unitPrice": 1}}})
				if err != nil || answer.Status != http.StatusCreated {
					t.Errorf("an order: %v %s", err, answer)
				}
			}
		})
	}
	all.Wait()
	list, err := key.Call(http.MethodGet, "/api/v1/customers?email=beside@model.example", nil)
	if err != nil {
		t.Fatal(err)
	}
	customer := list.Text("data", 0, "id")
	begun := time.Now()
	answer, err := key.Call(http.MethodPost, "/api/v1/customers/"+customer+"/erase", nil)
	if err != nil || answer.Status != http.StatusOK || answer.Count("data", "orders") != int64(*erased) {
		t.Fatalf("the erasure: %v %s", err, answer)
	}
	took := time.Since(begun)
	page, err := key.Call(http.MethodGet, "/api/v1/orders?limit=100&customerId="+customer, nil)
	if err != nil || len(page.List("data")) != min(*erased, 100) {
		t.Fatalf("the orders: %v %s", err, page)
	}
	for _, o := range page.List("data") {
		if name, _ := harness.At(o, "customerName").(string); name != "" {
			t.Errorf("an order of %q", name)
		}
	}
	return fmt.Sprintf("beside them a customer with %d orders was erased in %s", *erased, took.Round(time.Millisecond))
}

// settle compares what all clients share once they have stopped: the shared SKU and the event log.
func settle(t *testing.T, account *harness.Account, players []*player) {
	var onHand, reserved int64 = 100, 0
	want := map[string]map[string]int{}
	orders, played, replays := 0, 0, 0
	for _, p := range players {
		onHand += p.shared[sharedSKU].OnHand
		reserved += p.shared[sharedSKU].Reserved
		for _, o := range p.orders {
			want[o.ID] = o.Events
			orders++
		}
		played, replays = played+p.step, replays+p.replays
	}
	level, err := account.Key.Call(http.MethodGet, "/api/v1/inventory?sku="+sharedSKU, nil)
	if err != nil || level.Count("data", 0, "quantity") != onHand || level.Count("data", 0, "reserved") != reserved {
		t.Errorf("the shared SKU: want %d on hand and %d reserved: %v %s", onHand, reserved, err, level)
	}
	events, err := account.Log("")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]map[string]int{}
	for _, event := range events {
		id, _ := harness.At(event.Data, "id").(string)
		if event.Kind == "order.shipment_created" {
			id, _ = harness.At(event.Data, "orderId").(string)
		}
		if got[id] == nil {
			got[id] = map[string]int{}
		}
		got[id][event.Kind]++
	}
	for id, kinds := range want {
		for _, kind := range []string{"order.received", "order.status_changed", "order.shipped", "order.delivered", "order.cancelled",
			"order.returned", "order.shipment_created", "order.updated"} {
			if got[id][kind] != kinds[kind] {
				t.Errorf("order %s: %d events %s, the model has %d", id, got[id][kind], kind, kinds[kind])
			}
		}
	}
	t.Logf("%d steps, %d orders, %d events, %d requests repeated: all as the model has it", played, orders, len(events), replays)
}
