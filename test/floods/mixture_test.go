package floods

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/test/blackbox/harness"
)

// mostOfMixture is what the process may take while 64 clients do whatever takes memory, in MB (interface §10, memory-budget).
const mostOfMixture = 300

// answerTime is how long a request surely may take before the service closes its connection.
const answerTime = 2 * time.Minute

// Any mixture of clients: stock updates as large as they may be, imports of whole products, feeds from the beginning, pages of a hundred
// orders with their lines, of two accounts. The process stays small, nobody gets anything but an answer or a 503, and no kind of work is
// left without answers.
func TestMixture(t *testing.T) {
	floodOn(t, []harness.Engine{harness.SQLite, harness.Postgres}, harness.Options{}, mostOfMixture, func(t *testing.T, s *harness.Server) {
		accounts := []harness.Client{s.FirstAccount(t).Key, s.Other(t).Key}
		for _, key := range accounts {
			for first := 0; first < 5000; first += 1000 {
				expect(t, key, http.MethodPost, "/api/v1/sdk/products/bulk-import?wait=true", wholeProducts("S", first), http.StatusOK)
			}
			for n := range 120 {
				expect(t, key, http.MethodPost, "/api/v1/orders", orderOf(20, n), http.StatusCreated)
			}
		}
		t.Logf("peak %d MB with products and orders made", memory(t, s.PID(), "VmHWM"))
		var served [2][4]atomic.Int64 // of each account and kind of work
		var overdue atomic.Int64      // requests that a starved machine did not answer within the time that the service lets an answer take
		statuses := atOnce(64, func(i int) (worst int) {
			for round := range scale(2, 25) {
				var got int
				began := time.Now()
				switch key := accounts[i/4%2]; i % 4 {
				case 0:
					got = status(key.Call(http.MethodPatch, "/api/v1/sdk/inventory/bulk-update", levels(5000, 7*i+round)))
				case 1:
					got = status(key.Call(http.MethodPost, "/api/v1/sdk/products/bulk-import?wait=true", wholeProducts(fmt.Sprint("N", i%8), 1000*round)))
				case 2:
					got = walkFeed(key, []string{"products", "inventory"}[round%2])
				case 3:
					got = status(key.Call(http.MethodGet, "/api/v1/orders?limit=100", nil))
				}
				if got == 0 && time.Since(began) >= answerTime {
					overdue.Add(1)
					got = http.StatusServiceUnavailable
				}
				worst = max(worst, got)
				if got == http.StatusOK {
					served[i/4%2][i%4].Add(1)
				}
				if got == 0 {
					return got
				}
			}
			return worst
		})
		t.Logf("statuses %v, %d requests overdue; %d MB are the process's own now, %d the store's file", statuses, overdue.Load(),
			memory(t, s.PID(), "RssAnon"), memory(t, s.PID(), "RssFile"))
		for got := range statuses {
			if got != http.StatusOK && got != http.StatusServiceUnavailable {
				t.Errorf("statuses %v, want 200, or 503 beyond what there is room for", statuses)
			}
		}
		for account := range served {
			for kind := range served[account] {
				if served[account][kind].Load() == 0 && overdue.Load() == 0 {
					t.Errorf("account %d: none of its 8 clients of kind %d was served once", account, kind)
				}
			}
		}
	})
}

func expect(t *testing.T, key harness.Client, method, path, body string, want int) {
	t.Helper()
	if answer, err := key.Call(method, path, body); err != nil || answer.Status != want {
		t.Fatalf("%v %s", err, answer)
	}
}

// wholeProducts is an import of a thousand products with everything that a product may have.
func wholeProducts(prefix string, first int) string {
	var list strings.Builder
	for i := first; i < first+1000; i++ {
		fmt.Fprintf(&list, `,{"sku":"%[1]s-%[2]d","name":"Product %[2]d","price":%[2]d.5,"compareAtPrice":%[2]d.9,"description":"%[3]s",`+
			`"images":[{"url":"https://images.example/%[1]s/%[2]d.jpg","position":1}],"stock":{"quantity":%[2]d},`+
			`"variants":[{"sku":"%[1]s-%[2]d-A","name":"A","price":1,"stock":3},{"sku":"%[1]s-%[2]d-B","name":"B","price":2,"stock":4}]}`,
			prefix, i, strings.Repeat("Made to last. ", 60))
	}
	return `{"products":[` + list.String()[1:] + `]}`
}

// levels is a stock update of n products.
func levels(n, quantity int) string {
	var list strings.Builder
	for i := range n {
		fmt.Fprintf(&list, `,{"sku":"S-%d","quantity":%d}`, i, quantity+i)
	}
	return `{"updates":[` + list.String()[1:] + `]}`
}

// orderOf is an order with some lines.
func orderOf(lines, n int) string {
	var list strings.Builder
	for i := range lines {
		fmt.Fprintf(&list, `,{"sku":"S-%d","quantity":1,"unitPrice":2,"name":"Line %d of order %d"}`, (n+i*37)%5000, i, n)
	}
	return `{"customerName":"Ada","items":[` + list.String()[1:] + `]}`
}

// walkFeed follows a feed from its beginning to its end, and gives the status of the last page.
func walkFeed(key harness.Client, feed string) int {
	for path := "/api/v1/sdk/" + feed + "/changes"; ; {
		answer, err := key.Call(http.MethodGet, path, nil)
		more, _ := answer.At("meta", "hasMore").(bool)
		if err != nil || answer.Status != http.StatusOK || !more {
			return status(answer, err)
		}
		path = "/api/v1/sdk/" + feed + "/changes?since=" + answer.Text("meta", "nextSince")
	}
}
