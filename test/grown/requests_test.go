package grown

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"entrepot/test/blackbox/harness"
)

// request is one kind of request, with the paths that are asked in turn.
type request struct {
	name  string
	paths []string
}

// requests are the lists, searches, feeds and figures of a merchant's day, with values of the account's own records.
func requests(t *testing.T, client harness.Client) (list []request) {
	t.Helper()
	read := func(path string) harness.Answer {
		t.Helper()
		answer, err := client.Call("GET", "/api/v1/"+path, nil)
		if err != nil || answer.Status != 200 {
			t.Fatal(answer, err)
		}
		return answer
	}
	// values are those of a member in records from all over a list.
	values := func(path string, member ...any) (found []string) {
		total := read(path+"?limit=1").Count("meta", "total")
		for i := range int64(10) {
			page := read(fmt.Sprintf("%s?limit=20&page=%d", path, 1+i*total/20/10))
			for n := range page.List("data") {
				if text := page.Text(append([]any{"data", n}, member...)...); text != "" {
					found = append(found, url.QueryEscape(text))
					break
				}
			}
		}
		if len(found) == 0 {
			t.Fatalf("no %v in %s", member, path)
		}
		return found
	}
	add := func(name, path string, values ...string) {
		q := request{name: name, paths: []string{path}}
		if len(values) > 0 {
			q.paths = nil
		}
		for _, v := range values {
			q.paths = append(q.paths, strings.Replace(path, "{}", v, 1))
		}
		list = append(list, q)
	}
	names, emails, skus := values("orders", "customerName"), values("orders", "customerEmail"), values("products", "sku")
	year := time.Now().AddDate(-1, 0, 0).UTC().Format(time.DateOnly)
	deep := read("orders?limit=1").Count("meta", "total") / 20 * 4 / 5

	add("orders", "orders")
	add("orders to ship", "orders?status=PENDING,PROCESSING")
	add("orders of a channel", "orders?channelId={}", values("channels", "id")...)
	add("orders of a customer by total", "orders?customerId={}&sort=total:desc", values("orders", "customerId")...)
	add("orders of an e-mail address", "orders?customerEmail={}", emails...)
	add("orders of a year by total", "orders?sort=total:desc&createdAtGte="+year)
	add("orders, cursor far along", "orders?cursor={}", url.QueryEscape(read(fmt.Sprintf("orders?limit=20&page=%d", max(1, deep))).Text("meta", "nextCursor")))
	add("orders, search of a number", "orders?search={}", values("orders", "orderNumber")...)
	add("orders, search of a name", "orders?search={}", names...)
	add("orders, search of an e-mail address", "orders?search={}", emails...)
	add("customers", "customers")
	add("customers, search", "customers?search={}", names...)
	add("products", "products")
	add("products by name", "products?sort=name:asc")
	add("products of a category", "products?categoryId={}", values("categories", "id")...)
	add("products, search of a SKU", "products?search={}", skus...)
	add("inventory", "inventory")
	add("inventory, low", "inventory?low=true")
	add("inventory, search of a SKU", "inventory?search={}", skus...)
	add("feed of 1,000 products", "sdk/products/changes?limit=1000&includeDeleted=true")
	add("feed of 1,000 levels", "sdk/inventory/changes?limit=1000&includeDeleted=true")
	for _, figure := range []string{"summary", "sales", "sales?from=" + year, "channels", "webhooks", "stock"} {
		add("analytics, "+figure, "analytics/"+figure)
	}
	return list
}
