package bench

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// grownService answers every list with one record that has all fields, and counts what it is asked.
func grownService(t *testing.T, broken string) (url string, asked map[string]int) {
	t.Helper()
	asked = map[string]int{}
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked[r.URL.RequestURI()]++
		if broken != "" && strings.Contains(r.URL.RequestURI(), broken) {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, `{"data":[{"id":"c1","orderNumber":"ORD-7","externalReference":"WEB-7","customerId":"c7","customerName":"Ada Byron",
			"customerEmail":"ada@x.example","sku":"SKU-000007","name":"Mug","tags":["vip"],
			"shippingAddress":{"country":"FR"}}],"meta":{"total":1000,"nextCursor":"next"}}`)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

// Every request is sent once unmeasured and then as often as it is wanted, with values of the account's records.
func TestGrownAsksEachRequest(t *testing.T) {
	url, asked := grownService(t, "")
	report, err := Grown(t.Context(), GrownOptions{URL: url, Key: "pk_live_x", Times: 3})
	if err != nil || report.Failed() {
		t.Fatal(err, report)
	}
	lists := map[string]int{}
	for _, q := range report.Requests {
		lists[q.List]++
		if q.Status != 200 || q.Goal <= 0 || q.P50 <= 0 || q.P95 < q.P50 || q.Max < q.P95 {
			t.Errorf("%+v", q)
		}
		if asked[q.Address] < 4 {
			t.Errorf("%s was asked %d times", q.Address, asked[q.Address])
		}
	}
	for _, list := range []string{"orders", "customers", "products", "inventory", "feeds", "analytics"} {
		if lists[list] < 2 {
			t.Errorf("%d requests of %s", lists[list], list)
		}
	}
	for _, address := range []string{"/api/v1/orders?customerId=c7&sort=total:desc", "/api/v1/orders?search=Ada+Byron",
		"/api/v1/orders?page=40", "/api/v1/orders?cursor=next", "/api/v1/customers?tag=vip", "/api/v1/products?channelId=c1",
		"/api/v1/inventory?search=SKU-000007", "/api/v1/inventory?search=a", "/api/v1/orders?search=example&country=FR",
		"/api/v1/orders?status=DELIVERED&sort=total:desc&page=20"} {
		if asked[address] < 4 {
			t.Errorf("%s was asked %d times", address, asked[address])
		}
	}
	var table bytes.Buffer
	if err := report.WriteTable(&table); err != nil || !strings.Contains(table.String(), "orders, of a customer by total") ||
		!strings.Contains(table.String(), "1000 orders") {
		t.Errorf("%v\n%s", err, table.String())
	}
}

// A request that fails is reported with its status; an account without records and a wrong number of times are refused.
func TestGrownReportsFailures(t *testing.T) {
	url, _ := grownService(t, "tag=")
	report, err := Grown(t.Context(), GrownOptions{URL: url, Key: "pk_live_x", Times: 1})
	if err != nil || !report.Failed() {
		t.Fatal(err, report)
	}
	var table bytes.Buffer
	if err := report.WriteTable(&table); err != nil || !strings.Contains(table.String(), "Internal Server Error customers, of a tag") {
		t.Errorf("%v\n%s", err, table.String())
	}
	if _, err := Grown(t.Context(), GrownOptions{URL: url, Key: "pk_live_x"}); err == nil {
		t.Error("no times are taken")
	}
	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"data":[],"meta":{"total":0}}`)
	}))
	defer empty.Close()
	if _, err := Grown(t.Context(), GrownOptions{URL: empty.URL, Key: "pk_live_x", Times: 1}); err == nil {
		t.Error("an empty account is taken")
	}
}
