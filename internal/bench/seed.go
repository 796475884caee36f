package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"

	"entrepot/internal/limits"
)

// onHand is the initial stock of every seeded product: enough that no run sells out.
const onHand = 1_000_000

// seedProducts creates the products BENCH-0000000 … with stock, unless the last of them exists from an earlier run.
func seedProducts(ctx context.Context, c *campaign, a *account) error {
	if a.seeded {
		return nil
	}
	k := c.caller(a.key)
	defer k.close()
	last := skuOf(c.SKUs - 1)
	var found struct {
		Data []struct {
			SKU string `json:"sku"`
		} `json:"data"`
	}
	if err := k.call("GET", "/api/v1/products?limit=1&sku="+last, nil, &found); err != nil {
		return err
	}
	if len(found.Data) == 1 && found.Data[0].SKU == last {
		a.seeded = true
		return nil
	}
	c.say("seed: %d products", c.SKUs)
	for first := 0; first < c.SKUs && ctx.Err() == nil; first += limits.MaxImport {
		body := seedBody(first, min(first+limits.MaxImport, c.SKUs))
		var outcome struct {
			Errors []json.RawMessage `json:"errors"`
		}
		if err := k.call("POST", "/api/v1/sdk/products/bulk-import?wait=true", body, &outcome); err != nil {
			return err
		}
		if len(outcome.Errors) > 0 {
			return fmt.Errorf("the import refused %d products, the first: %s", len(outcome.Errors), outcome.Errors[0])
		}
	}
	a.seeded = ctx.Err() == nil
	return ctx.Err()
}

// seedBody renders the import of products first … end-1.
func seedBody(first, end int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"products":[`)
	for n := first; n < end; n++ {
		if n > first {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"sku":"%s","name":"Bench article %d","description":"A plain article for measurements, number %d.",`+
			`"price":%d.%02d,"status":"ACTIVE","stock":{"warehouseCode":"MAIN","quantity":%d}}`,
			skuOf(n), n, n, 5+n%200, n%100, onHand)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// listStatuses are the statuses that order-list requests; the orders seeded for it have these and two more.
var (
	listStatuses = []string{"PENDING", "PROCESSING"}
	seedStatuses = []string{"PENDING", "PROCESSING", "SHIPPED", "DELIVERED"}
)

// seedOrders ensures that SeedOrders orders exist and keeps the ids of up to 1,000 of them.
func seedOrders(ctx context.Context, c *campaign, a *account) error {
	if len(a.orders) > 0 {
		return nil
	}
	if err := seedProducts(ctx, c, a); err != nil {
		return err
	}
	k := c.caller(a.key)
	defer k.close()
	total, err := countOrders(k, "")
	if err != nil {
		return err
	}
	if missing := c.SeedOrders - total; missing > 0 {
		c.say("seed: %d orders", missing)
		l := &loop{target: c.target, clients: 16, duration: maxDuration, count: missing, source: func(client int) (source, error) {
			s := newOrderSource(c, a, client).(*orderSource)
			s.statuses = seedStatuses
			return s, nil
		}}
		if _, _, err := l.run(ctx); err != nil {
			return err
		}
	}
	if a.found, err = countOrders(k, "&status="+listStatuses[0]+","+listStatuses[1]); err != nil {
		return err
	}
	for page := 1; page <= 10; page++ {
		var list struct {
			Data []struct {
				ID string `json:"id"`
			} `json:"data"`
		}
		if err := k.call("GET", "/api/v1/orders?limit=100&page="+strconv.Itoa(page), nil, &list); err != nil {
			return err
		}
		for _, order := range list.Data {
			a.orders = append(a.orders, url.PathEscape(order.ID))
		}
		if len(list.Data) < 100 {
			break
		}
	}
	if len(a.orders) == 0 {
		return fmt.Errorf("the order list is empty although %d orders were made", c.SeedOrders)
	}
	return nil
}

func countOrders(k *caller, filter string) (int, error) {
	var list struct {
		Meta struct {
			Total int `json:"total"`
		} `json:"meta"`
	}
	err := k.call("GET", "/api/v1/orders?limit=1"+filter, nil, &list)
	return list.Meta.Total, err
}
