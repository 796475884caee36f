package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// Sizes of the requests.
const (
	perImport  = 1_000     // products a bulk import may have
	perUpdate  = 5_000     // prices a bulk update may have
	onHand     = 1_000_000 // stock of each product: no run sells out
	listOrders = 2_000     // orders that must exist before pages of them are read
)

// scenario is one kind of traffic.
type scenario struct {
	name, unit string
	clients    int // unless Options.Clients says otherwise
	prepare    func(ctx context.Context, r *run) error
	measure    func(ctx context.Context, r *run, clients int) (*Figures, error)
	baseline   func(y *baselineRun, client int) (write func() (items int, err error)) // nil: nothing to compare with
}

var scenarios = []scenario{
	{"orders", "order", 32, seedProducts, loading((*run).orders), (*baselineRun).orderWriter},
	{"order-list", "page", 16, seedOrders, loading((*run).pages), nil},
	{"bulk-import", "product", 2, seedNothing, loading((*run).imports), (*baselineRun).importWriter},
	{"deliveries", "delivery", 4, seedProducts, measureDeliveries, nil},
}

// Scenarios returns the names of all scenarios.
func Scenarios() []string {
	names := []string{"all"}
	for _, s := range scenarios {
		names = append(names, s.name)
	}
	return names
}

// loading measures how fast a kind of traffic is answered.
func loading(of func(r *run, client int) traffic) func(context.Context, *run, int) (*Figures, error) {
	return func(ctx context.Context, r *run, clients int) (*Figures, error) {
		t, took := r.load(ctx, clients, func(client int) traffic { return of(r, client) })
		if t.requests == 0 {
			return nil, errors.New("no request was answered with 2xx, the first: " + t.first)
		}
		return t.figures(took), nil
	}
}

// orders creates orders of three lines, each for a new customer and with an Idempotency-Key.
func (r *run) orders(int) traffic {
	return func() call { return r.order("PENDING") }
}

func (r *run) order(status string) call {
	name := fmt.Sprintf("%s-%d", r.tag, r.serial.Add(1))
	first := rand.IntN(r.SKUs)
	var lines [3]string
	for i := range lines { // from three parts of the range: never the same SKU twice
		n := (first + i*r.SKUs/3) % r.SKUs
		lines[i] = fmt.Sprintf(`{"sku":"%s","quantity":%d,"unitPrice":%d.90}`, skuOf(n), 1+n%3, 5+n%200)
	}
	return call{method: "POST", path: "orders", idempotency: name, items: 1, body: fmt.Appendf(nil,
		`{"customerName":"Bench Buyer","customerEmail":"%s@bench.example","currency":"EUR","initialStatus":"%s",`+
			`"shippingAddress":{"line1":"1 Quay Street","city":"Antwerp","postalCode":"2000","country":"BE"},"items":[%s]}`,
		name, status, strings.Join(lines[:], ","))}
}

// pages reads one of the first ten pages of 20 orders, by two statuses and a range of dates.
func (r *run) pages(int) traffic {
	tomorrow := time.Now().UTC().AddDate(0, 0, 1)
	return func() call {
		return call{method: "GET", items: 1, path: fmt.Sprintf("orders?status=PENDING,PROCESSING&dateFrom=%s&dateTo=%s&limit=20&page=%d",
			tomorrow.AddDate(0, 0, -2-rand.IntN(30)).Format(time.DateOnly), tomorrow.Format(time.DateOnly), 1+rand.IntN(10))}
	}
}

// imports sends 1,000 new products a request.
func (r *run) imports(int) traffic {
	return func() call {
		prefix := fmt.Sprintf("IMP-%s-%d-", r.tag, r.serial.Add(1))
		return importOf(perImport, func(i int) string { return prefix + strconv.Itoa(i) }, "")
	}
}

// importOf returns a bulk import of so many products; more is appended to each.
func importOf(n int, sku func(i int) string, more string) call {
	var b strings.Builder
	for i := range n {
		b.WriteString(map[bool]string{true: `{"products":[`, false: ","}[i == 0])
		fmt.Fprintf(&b, `{"sku":"%s","name":"Article %d","description":"Cotton, woven in the old way, washed twice, and packed in paper. `+
			`Ships within two days.","price":%d.%02d,"compareAtPrice":%d,"status":"ACTIVE"%s}`, sku(i), i, 5+i%200, i%100, 10+i%200, more)
	}
	b.WriteString("]}")
	return call{method: "POST", path: "sdk/products/bulk-import", body: []byte(b.String()), items: n}
}

// prices changes the prices of up to 5,000 products, one block of them after the other.
func (r *run) prices() call {
	serial := int(r.serial.Add(1))
	first := serial * perUpdate % max(1, r.SKUs/perUpdate*perUpdate)
	n := min(perUpdate, r.SKUs)
	var b strings.Builder
	for i := range n {
		b.WriteString(map[bool]string{true: `{"updates":[`, false: ","}[i == 0])
		fmt.Fprintf(&b, `{"sku":"%s","price":%d.%02d}`, skuOf((first+i)%r.SKUs), 1_000+serial%9_000, i%100)
	}
	b.WriteString("]}")
	return call{method: "PATCH", path: "sdk/prices/bulk-update", body: []byte(b.String()), items: n}
}

func skuOf(n int) string { return fmt.Sprintf("BENCH-%07d", n) }

func seedNothing(context.Context, *run) error { return nil }

// seedProducts creates the products BENCH-0000000 … of each account, unless the last of them is there from an earlier run.
func seedProducts(ctx context.Context, r *run) error {
	for _, key := range r.Keys {
		found, err := r.send(ctx, key, call{method: "GET", path: "products?limit=1&sku=" + skuOf(r.SKUs-1)})
		if err != nil {
			return err
		}
		if strings.Contains(string(found), skuOf(r.SKUs-1)) {
			continue
		}
		r.say("making %d products", r.SKUs)
		for first := 0; first < r.SKUs; first += perImport {
			c := importOf(min(perImport, r.SKUs-first), func(i int) string { return skuOf(first + i) },
				fmt.Sprintf(`,"stock":{"warehouseCode":"MAIN","quantity":%d}`, onHand))
			if _, err := r.send(ctx, key, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// seedOrders has at least listOrders orders exist in each account.
func seedOrders(ctx context.Context, r *run) error {
	if err := seedProducts(ctx, r); err != nil {
		return err
	}
	statuses := []string{"PENDING", "PROCESSING", "SHIPPED", "DELIVERED"}
	for _, key := range r.Keys {
		enough := fmt.Sprintf("orders?limit=1&page=%d", listOrders)
		page, err := r.send(ctx, key, call{method: "GET", path: enough})
		if err != nil {
			return err
		}
		if !strings.Contains(string(page), `"data":[]`) {
			continue
		}
		r.say("making %d orders", listOrders)
		for i := range listOrders {
			if _, err := r.send(ctx, key, r.order(statuses[i%len(statuses)])); err != nil {
				return err
			}
		}
	}
	return nil
}
