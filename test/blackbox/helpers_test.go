package blackbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"entrepot/test/blackbox/harness"
)

// encode is a value as JSON; the values here always can be.
func encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// tally runs f n times at once and counts the statuses.
func (c *testCase) tally(n int, f func(i int) harness.Answer) map[int]int {
	var mu sync.Mutex
	statuses := map[int]int{}
	atOnce(n, func(i int) {
		answer := f(i)
		mu.Lock()
		defer mu.Unlock()
		statuses[answer.Status]++
	})
	return statuses
}

// kinds counts the events of the log behind an event; kinds not named may be there in any number.
func (c *testCase) kinds(after string, want map[string]int) {
	c.Helper()
	events, err := c.account.Log(after)
	if err != nil {
		c.Fatal(err)
	}
	got := map[string]int{}
	for _, event := range events {
		got[event.Kind]++
	}
	for kind, n := range want {
		if got[kind] != n {
			c.Errorf("%d events %s, want %d (all: %v)", got[kind], kind, n, got)
		}
	}
}

// sound checks what is true of every order whatever happened to it: its sums, its shipped quantities, its history.
func (c *testCase) sound(read harness.Answer) {
	c.Helper()
	shipped, ordered := int64(0), int64(0)
	parcels := map[string]int64{}
	for i := range read.List("data", "shipments") {
		for j := range read.List("data", "shipments", i, "items") {
			parcels[read.Text("data", "shipments", i, "items", j, "orderItemId")] += read.Count("data", "shipments", i, "items", j, "quantity")
		}
	}
	for i := range read.List("data", "items") {
		line := read.Text("data", "items", i, "id")
		n, of := read.Count("data", "items", i, "shippedQuantity"), read.Count("data", "items", i, "quantity")
		if n < 0 || n > of || n != parcels[line] {
			c.Errorf("line %s: shipped %d of %d, parcels hold %d: %s", line, n, of, parcels[line], read)
		}
		shipped, ordered = shipped+n, ordered+of
	}
	status := read.Text("data", "status")
	history := read.List("data", "statusHistory")
	if len(history) == 0 || harness.At(history[len(history)-1], "status") != status {
		c.Errorf("the history does not end in the status: %s", read)
	}
	for i := 1; i < len(history); i++ {
		if harness.At(history[i], "previousStatus") != harness.At(history[i-1], "status") {
			c.Errorf("the history has a gap at %d: %s", i, read)
		}
	}
	if status == "SHIPPED" && shipped != ordered || (status == "PENDING" || status == "PROCESSING") && shipped != 0 {
		c.Errorf("status %s with %d of %d shipped: %s", status, shipped, ordered, read)
	}
}

// ledgerSums checks that the sum of a SKU's ledger is its on-hand figure in every warehouse.
func (c *testCase) ledgerSums(sku string) {
	c.Helper()
	sums := map[string]int64{}
	for page := 1; ; page++ {
		answer := c.must(c.call(http.MethodGet, fmt.Sprintf("/api/v1/inventory/%s/ledger?limit=100&page=%d", sku, page), nil), 200)
		rows := answer.List("data")
		for i := range rows {
			sums[answer.Text("data", i, "warehouseCode")] += answer.Count("data", i, "delta")
		}
		if len(rows) < 100 {
			break
		}
	}
	levels := c.must(c.call(http.MethodGet, "/api/v1/inventory?limit=100&sku="+sku, nil), 200)
	for i := range levels.List("data") {
		code := levels.Text("data", i, "warehouseCode")
		if got := levels.Count("data", i, "quantity"); got != sums[code] {
			c.Errorf("%s in %s: on-hand %d, the ledger sums to %d", sku, code, got, sums[code])
		}
	}
}

// errStillThere is what a wait for disappearance gets while something is still there.
var errStillThere = errors.New("still there")
