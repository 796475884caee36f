package blackbox

import (
	"fmt"
	"net/http"
	"strings"
)

func init() {
	about("4.2-import-thousand 4.2-import-durable 4.2-import-items", "a thousand products, one of each kind bad", func(c *testCase) {
		bad := map[int]string{
			3: `{"name":"no sku","price":1}`, 57: `{"sku":"T-57","price":1}`, 101: `{"sku":"T-101","name":"no price"}`,
			222: `{"sku":"T-222","name":"negative","price":-1}`, 333: `{"sku":"T-333","name":"status","price":1,"status":"SOLD"}`,
			444: `{"sku":"T-444","name":"url","price":1,"images":[{"url":"nowhere"}]}`, 555: `{"sku":"T-1","name":"twice","price":1}`,
			666: `"no object"`, 777: `{"sku":"T-777","name":"variants","price":1,"variants":[` +
				repeatList(51, `{"sku":"TV-%d","name":"v","price":1}`) + `]}`,
			888: `{"sku":"T-888","name":"images","price":1,"images":[` + repeatList(21, `{"url":"https://x.example/%d.png","position":%[1]d}`) +
				`]}`,
			999: `{"sku":"T-999","name":"stock","price":1,"stock":{"quantity":-5}}`,
		}
		items := make([]string, 1000)
		for i := range items {
			if text, spoiled := bad[i]; spoiled {
				items[i] = text
			} else {
				items[i] = fmt.Sprintf(`{"sku":"T-%d","name":"Thing %d","price":%d.5,"stock":{"quantity":%d}}`, i, i, i, i)
			}
		}
		answer := c.must(c.call(http.MethodPost, "/api/v1/sdk/products/bulk-import", `{"products":[`+strings.Join(items, ",")+`]}`), 202)
		c.like(answer, `{"data":{"totalItems":1000,"accepted":%d,"rejected":%d,"errors":"<len %d>"}}`, 1000-len(bad), len(bad), len(bad))
		for i, entry := range answer.List("data", "errors") {
			if at := answer.Count("data", "errors", i, "index"); bad[int(at)] == "" {
				c.Errorf("a good item was rejected: %v", entry)
			}
		}
		c.like(c.call(http.MethodGet, "/api/v1/products?limit=1", nil), `{"meta":{"total":%d}}`, 1000-len(bad))
		c.like(c.call(http.MethodGet, "/api/v1/sdk/products/changes", nil), `{"meta":{"total":%d,"count":%d,"hasMore":false}}`, 1000-len(bad),
			1000-len(bad))
		c.kinds("", map[string]int{"product.created": 1000 - len(bad)})
		c.must(c.call(http.MethodPost, "/api/v1/orders", order("Next", [3]any{"T-998", 1, 1})), 201)
	})

	about("4.2-limits 4.2-inventory 4.2-prices", "five thousand stock and price updates in one request", func(c *testCase) {
		for part := range 5 {
			var items []string
			for i := range 1000 {
				items = append(items, fmt.Sprintf(`{"sku":"B-%d","name":"B","price":1}`, part*1000+i))
			}
			c.must(c.call(http.MethodPost, "/api/v1/sdk/products/bulk-import?wait=true", `{"products":[`+strings.Join(items, ",")+`]}`), 200)
		}
		stock := c.must(c.call(http.MethodPatch, "/api/v1/sdk/inventory/bulk-update",
			`{"updates":[`+repeatList(4999, `{"sku":"B-%d","quantity":7}`)+`,{"sku":"NO","quantity":1}]}`), 200)
		c.like(stock, `{"data":{"updated":4999,"notFound":1,"errors":[{"sku":"NO","index":4999}]}}`)
		prices := c.must(c.call(http.MethodPatch, "/api/v1/sdk/prices/bulk-update",
			`{"updates":[`+repeatList(4999, `{"sku":"B-%d","price":%[1]d.25}`)+`,{"sku":"NO","price":1}]}`), 200)
		c.like(prices, `{"data":{"updated":4999,"notFound":1}}`)
		c.like(c.call(http.MethodGet, "/api/v1/products?sku=B-4321", nil), `{"data":[{"price":4321.25,"stock":[{"onHand":7}]}]}`)
		pages, seen, since := 0, 0, ""
		for more := true; more; pages++ {
			path := "/api/v1/sdk/inventory/changes"
			if since != "" {
				path += "?since=" + since
			}
			page := c.must(c.call(http.MethodGet, path, nil), 200)
			seen += len(page.List("data"))
			since, more = page.Text("meta", "nextSince"), page.At("meta", "hasMore") == true
		}
		if seen != 4999 || pages != 5 {
			c.Errorf("the feed gave %d levels in %d pages, want 4999 in 5", seen, pages)
		}
	})
}

// repeatList writes a template n times with commas between, numbered from 1.
func repeatList(n int, template string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(template, i+1)
	}
	return strings.Join(parts, ",")
}
