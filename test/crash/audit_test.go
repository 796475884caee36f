package crash

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"testing"
	"time"

	"entrepot/test/blackbox/harness"
)

// findings count what the audit found wrong; all must stay 0.
type findings struct {
	lost, doubled, half, missing, replays, other int
	t                                            *testing.T // where they are reported; nil only counts
}

func (f *findings) add(counter *int, format string, args ...any) {
	*counter++
	if f.t != nil && *counter <= 5 {
		f.t.Errorf(format, args...)
	}
}

// audit compares the store, as the API shows it, with the journals; what says what the service went through.
func audit(t *testing.T, what string, server *harness.Server, account *harness.Account, inbox *harness.Inbox, workers []*worker) {
	f := &findings{t: t}
	orders := allOrders(t, account.Key)
	events, err := account.Log("")
	if err != nil {
		t.Fatal(err)
	}
	auditJournals(f, account.Key, workers, orders)
	auditOrders(f, account.Key, orders, events)
	auditStock(f, account.Key, orders)
	auditDeliveries(f, inbox, events)
	if out, err := server.Command("verify"); err != nil {
		f.add(&f.half, "verify: %v\n%s", err, out)
	}
	requests, repeated := 0, 0
	for _, w := range workers {
		requests += len(w.journal)
		for _, e := range w.journal {
			if e.asked > 1 {
				repeated++
			}
		}
	}
	t.Logf("%s, seed %d: %s, %d requests (%d sent again), %d orders, %d events, %d deliveries: lost %d, doubled %d, "+
		"half %d, missing events %d, replays that differ %d, other %d",
		server.Engine, *seed, what, requests, repeated, len(orders), len(events), len(inbox.Deliveries()), f.lost, f.doubled, f.half, f.missing,
		f.replays, f.other)
}

// allOrders reads every order whole, by id.
func allOrders(t *testing.T, client harness.Client) map[string]harness.Answer {
	t.Helper()
	orders := map[string]harness.Answer{}
	cursor := ""
	for {
		path := "/api/v1/orders?limit=100&sort=createdAt:asc"
		if cursor != "" {
			path += "&cursor=" + cursor
		}
		page, err := client.Call(http.MethodGet, path, nil)
		if err != nil || page.Status != http.StatusOK {
			t.Fatalf("listing orders: %v %s", err, page)
		}
		for i := range page.List("data") {
			id := page.Text("data", i, "id")
			whole, err := client.Call(http.MethodGet, "/api/v1/orders/"+id, nil)
			if err != nil || whole.Status != http.StatusOK {
				t.Fatalf("an order of the list cannot be read: %v %s", err, whole)
			}
			orders[id] = whole
		}
		if cursor = page.Text("meta", "nextCursor"); cursor == "" || len(page.List("data")) == 0 {
			return orders
		}
	}
}

// auditJournals: what was answered is there, once, and its key gives the same bytes again.
func auditJournals(f *findings, client harness.Client, workers []*worker, orders map[string]harness.Answer) {
	references := map[string]int{}
	for _, order := range orders {
		references[order.Text("data", "externalReference")]++
	}
	for _, w := range workers {
		for _, e := range w.journal {
			if e.status >= 500 || e.status == 0 {
				f.add(&f.other, "%s %s under key %s was answered with %d: %s", e.method, e.path, e.key, e.status, harness.Short(e.answer))
				continue
			}
			if e.status/100 != 2 {
				continue
			}
			again, err := client.Do(harness.Request{Method: e.method, Path: e.path, Body: e.body, Header: http.Header{"Idempotency-Key": {e.key}}})
			if err != nil || again.Status != e.status || !bytes.Equal(again.Body, e.answer) || again.Header.Get("Idempotent-Replay") != "true" {
				f.add(&f.replays, "key %s (%s %s) first gave %d %s\n  and now %v %s", e.key, e.method, e.path, e.status, harness.Short(e.answer), err,
					again)
			}
			switch e.kind {
			case "order":
				if _, there := orders[e.orderID]; !there {
					f.add(&f.lost, "order %s was answered with 201 and is gone", e.orderID)
				}
			case "move":
				if !contains(orders[e.orderID].List("data", "statusHistory"), map[string]any{"status": e.to, "note": e.key}) {
					f.add(&f.lost, "order %s: the move to %s (note %s) was answered with 200 and is not in the history: %s", e.orderID, e.to, e.key,
						orders[e.orderID])
				}
			case "ship":
				if !contains(orders[e.orderID].List("data", "shipments"), map[string]any{"trackingNumber": e.key}) {
					f.add(&f.lost, "order %s: shipment %s was answered with 201 and is gone", e.orderID, e.key)
				}
			case "customer":
				found, err := client.Call(http.MethodGet, "/api/v1/customers?tag="+e.key, nil)
				if n := len(found.List("data")); err != nil || n != 1 {
					f.add(&f.lost, "customer %s was answered with 201 and is there %d times: %v", e.key, n, err)
				}
			}
		}
		for id, status := range w.status {
			if now := orders[id].Text("data", "status"); now != status {
				f.add(&f.lost, "order %s was last answered with status %s and is %s", id, status, now)
			}
		}
	}
	for reference, n := range references {
		if n > 1 {
			f.add(&f.doubled, "reference %s stands on %d orders", reference, n)
		}
	}
	made := 0
	for _, w := range workers {
		for _, e := range w.journal {
			if e.kind == "order" && e.status == http.StatusCreated {
				made++
			}
		}
	}
	if made != len(orders) {
		f.add(&f.doubled, "%d orders were answered with 201, the store has %d", made, len(orders))
	}
}

// auditOrders checks that each order is complete and has exactly the events its history requires.
func auditOrders(f *findings, client harness.Client, orders map[string]harness.Answer, events []harness.Event) {
	type counts map[string]int
	seen := map[string]counts{}
	for _, event := range events {
		id, _ := harness.At(event.Data, "id").(string)
		if event.Kind == "order.shipment_created" {
			id, _ = harness.At(event.Data, "orderId").(string)
		}
		if seen[id] == nil {
			seen[id] = counts{}
		}
		seen[id][event.Kind]++
	}
	for id, order := range orders {
		want := counts{"order.received": 1}
		history := order.List("data", "statusHistory")
		for i, step := range history {
			if i == 0 {
				continue
			}
			want["order.status_changed"]++
			switch harness.At(step, "status") {
			case "SHIPPED":
				want["order.shipped"] = 1
			case "DELIVERED":
				want["order.delivered"]++
			case "CANCELLED":
				want["order.cancelled"]++
			case "RETURNED":
				want["order.returned"]++
			}
			if harness.At(step, "previousStatus") != harness.At(history[i-1], "status") {
				f.add(&f.half, "order %s: its history has a gap: %s", id, order)
			}
		}
		want["order.shipment_created"] = len(order.List("data", "shipments"))
		for _, kind := range []string{"order.received", "order.status_changed", "order.shipped", "order.delivered", "order.cancelled",
			"order.returned", "order.shipment_created"} {
			switch got := seen[id][kind]; {
			case got < want[kind]:
				f.add(&f.missing, "order %s: %d events %s, want %d", id, got, kind, want[kind])
			case got > want[kind]:
				f.add(&f.doubled, "order %s: %d events %s, want %d", id, got, kind, want[kind])
			}
		}
		parcels, subtotal := map[string]int64{}, new(big.Rat)
		for i := range order.List("data", "shipments") {
			for j := range order.List("data", "shipments", i, "items") {
				parcels[order.Text("data", "shipments", i, "items", j, "orderItemId")] += order.Count("data", "shipments", i, "items", j, "quantity")
			}
		}
		for i := range order.List("data", "items") {
			if shipped := order.Count("data", "items", i, "shippedQuantity"); shipped != parcels[order.Text("data", "items", i, "id")] ||
				shipped > order.Count("data", "items", i, "quantity") {
				f.add(&f.half, "order %s: shipped quantity and parcels differ: %s", id, order)
			}
			subtotal.Add(subtotal, amount(order.At("data", "items", i, "lineTotal")))
		}
		if subtotal.Cmp(amount(order.At("data", "total"))) != 0 || order.Count("data", "itemCount") != int64(len(order.List("data", "items"))) {
			f.add(&f.half, "order %s: its lines do not add up: %s", id, order)
		}
		if order.Text("data", "customerId") == "" {
			f.add(&f.half, "order %s has an e-mail and no customer", id)
		}
	}
}

// auditStock checks that on-hand is the ledger's sum, and reserved is what open orders hold.
func auditStock(f *findings, client harness.Client, orders map[string]harness.Answer) {
	owed := map[string]int64{}
	for _, order := range orders {
		switch order.Text("data", "status") {
		case "CANCELLED", "RETURNED", "DELIVERED", "SHIPPED":
			continue
		}
		for i := range order.List("data", "items") {
			owed[order.Text("data", "items", i, "sku")] += order.Count("data", "items", i, "quantity") - order.Count("data", "items", i,
				"shippedQuantity")
		}
	}
	for n := range skus {
		level, err := client.Call(http.MethodGet, "/api/v1/inventory?sku="+sku(n), nil)
		if err != nil || len(level.List("data")) != 1 {
			f.add(&f.other, "the level of %s: %v %s", sku(n), err, level)
			continue
		}
		var sum int64
		for page := 1; ; page++ {
			rows, err := client.Call(http.MethodGet, fmt.Sprintf("/api/v1/inventory/%s/ledger?limit=100&page=%d", sku(n), page), nil)
			if err != nil || rows.Status != http.StatusOK {
				f.add(&f.other, "the ledger of %s: %v %s", sku(n), err, rows)
				break
			}
			for i := range rows.List("data") {
				sum += rows.Count("data", i, "delta")
			}
			if len(rows.List("data")) < 100 {
				break
			}
		}
		if got := level.Count("data", 0, "quantity"); got != sum {
			f.add(&f.half, "%s: on-hand %d, the ledger sums to %d", sku(n), got, sum)
		}
		if got := level.Count("data", 0, "reserved"); got != owed[sku(n)] {
			f.add(&f.half, "%s: reserved %d, open orders owe %d", sku(n), got, owed[sku(n)])
		}
	}
}

// auditDeliveries: every event of the log arrives, correctly signed, none under two ids, and nothing else arrives.
func auditDeliveries(f *findings, inbox *harness.Inbox, events []harness.Event) {
	missing := 0
	_ = harness.Eventually(5*time.Minute, func() error {
		came := map[string]bool{}
		for _, delivery := range inbox.Deliveries() {
			came[delivery.EventID()] = true
		}
		missing = 0
		for _, event := range events {
			if !came[event.ID] {
				missing++
			}
		}
		if missing > 0 {
			return fmt.Errorf("%d missing", missing)
		}
		return nil
	})
	if missing > 0 {
		f.add(&f.missing, "%d of %d events in the log were never delivered", missing, len(events))
	}
	there := map[string]bool{}
	for _, event := range events {
		there[event.ID] = true
	}
	for _, delivery := range inbox.Deliveries() {
		if !there[delivery.EventID()] {
			f.add(&f.other, "%s %s was delivered and is not in the log", delivery.Kind(), delivery.EventID())
		}
		for _, fault := range inbox.Check(delivery) {
			f.add(&f.other, "a delivery of %s: %s", delivery.Kind(), fault)
		}
	}
}

// auditOrder expects what an ordered endpoint got: of each event the first delivery comes after those of earlier events of its resource. It
// returns how many came again after a later one.
func auditOrder(t *testing.T, account *harness.Account, inbox *harness.Inbox) (late int) {
	t.Helper()
	log, err := account.Log("")
	if err != nil {
		t.Fatal(err)
	}
	var came []string
	if err := harness.Eventually(5*time.Minute, func() error {
		came = nil
		for _, d := range inbox.Deliveries() {
			came = append(came, d.EventID())
		}
		for _, event := range log {
			if !slices.Contains(came, event.ID) {
				return fmt.Errorf("%s %s did not come", event.Kind, event.ID)
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	place, of := map[string]int{}, map[string]string{}
	for i, event := range log {
		place[event.ID], of[event.ID] = i, event.Resource()
	}
	newest, seen := map[string]int{}, map[string]bool{}
	for _, event := range came {
		at, resource := place[event], of[event]
		switch {
		case at >= newest[resource]:
			newest[resource] = at
		case seen[event]:
			late++
		default:
			t.Errorf("%s of %s came after a later one", event, resource)
		}
		seen[event] = true
	}
	return late
}

func contains(list []any, want map[string]any) bool {
	for _, element := range list {
		if len(harness.MatchValue(want, element, harness.Vars{})) == 0 {
			return true
		}
	}
	return false
}

func amount(value any) *big.Rat {
	number, _ := value.(json.Number)
	rat, ok := new(big.Rat).SetString(string(number))
	if !ok {
		return new(big.Rat)
	}
	return rat
}
