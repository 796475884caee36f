package bench

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"
)

// baselineOrder is an order as the baseline writes it.
type baselineOrder struct {
	id, status, name, email, key string
	number                       int64
	lines                        []baselineLine // by SKU, so that no two orders deadlock
	now                          int64
}

type baselineLine struct {
	sku      string
	quantity int64
	price    int64 // 1/10,000 of the unit, as all amounts
}

func (y *baselineRun) newOrder(maker string, made uint64) *baselineOrder {
	first := rand.IntN(y.skus)
	o := &baselineOrder{
		id: newID(), status: "PENDING", number: int64(y.serial.Add(1)), name: "Bench Buyer " + strconv.FormatUint(made, 10),
		key: y.tag + "-" + maker + "-" + strconv.FormatUint(made, 10), now: nowMicros(),
	}
	o.email = o.key + "@bench.example"
	for line := range 3 {
		n := (first + line*y.skus/3) % y.skus
		o.lines = append(o.lines, baselineLine{skuOf(n), int64(1 + n%3), int64(5+n%200)*10_000 + 9_000})
	}
	slices.SortFunc(o.lines, func(a, b baselineLine) int {
		if a.sku < b.sku {
			return -1
		}
		return 1
	})
	return o
}

const baselineAddress = `{"line1":"1 Quay Street","city":"Antwerp","postalCode":"2000","country":"BE"}`

// statements writes the order, its lines, its reservations, its customer, two events and, if idempotent, the row of
// its Idempotency-Key.
func (o *baselineOrder) statements(idempotent bool) []statement {
	var total int64
	var lines, events rows
	statements := make([]statement, 0, 8)
	for i, line := range o.lines {
		amount := line.quantity * line.price
		total += amount
		lines.add(baselineTenant, o.id, int64(i), line.sku, "Bench article", line.quantity, line.price, amount)
		statements = append(statements, statement{
			"UPDATE levels SET reserved = reserved + $1, changed_at = $2 WHERE tenant_id = $3 AND sku = $4 AND warehouse = $5",
			[]any{line.quantity, o.now, baselineTenant, line.sku, "MAIN"},
		})
	}
	customer := newID()
	events.addEvent("customer.created", customer, shortPayload, o.now)
	events.addEvent("order.received", o.id, orderPayload, o.now)
	statements = append(statements, statement{
		"INSERT INTO customers (tenant_id, id, email, name, orders_count, total_spent, created_at) VALUES ($1,$2,$3,$4,1,$5,$6) " +
			"ON CONFLICT (tenant_id, email) DO UPDATE SET orders_count = customers.orders_count + 1, total_spent = customers.total_spent + " +
			"excluded.total_spent",
		[]any{baselineTenant, customer, o.email, o.name, total, o.now},
	}, statement{
		"INSERT INTO orders (tenant_id, id, number, status, customer_id, customer_name, customer_email, shipping_address, currency, subtotal, " +
			"total, created_at, updated_at) " +
			"VALUES ($1,$2,$3,$4,$5,$6,$7,$8,'EUR',$9,$10,$11,$12)",
		[]any{baselineTenant, o.id, o.number, o.status, customer, o.name, o.email, baselineAddress, total, total, o.now, o.now},
	})
	statements = events.statements(lines.statements(statements, insertLines), insertEvents)
	if idempotent {
		statements = append(statements, statement{
			"INSERT INTO idempotency (tenant_id, key, fingerprint, status, answer, created_at) VALUES ($1,$2,$3,201,$4,$5)",
			[]any{baselineTenant, o.key, o.id, orderPayload, o.now},
		})
	}
	return statements
}

func baselineOrders(c *campaign, y *baselineRun, client int) func() (int, error) {
	maker, made := strconv.Itoa(client), uint64(0)
	return func() (int, error) {
		made++
		return 1, y.write(y.newOrder(maker, made).statements(c.Idempotency))
	}
}

// Columns of an order in the two reads below.
const baselineOrderColumns = "id, number, status, customer_id, customer_name, customer_email, shipping_address, currency, subtotal, " +
	"total, created_at, updated_at"

// orderRow is one order read back; scan fills it from baselineOrderColumns.
type orderRow struct {
	id, status, customer, name, email, address, currency string
	number, subtotal, total, createdAt, updatedAt        int64
}

func (r *orderRow) scan(scan func(...any) error) error {
	return scan(&r.id, &r.number, &r.status, &r.customer, &r.name, &r.email, &r.address, &r.currency, &r.subtotal, &r.total, &r.createdAt,
		&r.updatedAt)
}

// lineRow is one line read back.
type lineRow struct {
	order, sku, name                    string
	position, quantity, price, subtotal int64
}

const baselineLineColumns = "order_id, position, sku, name, quantity, unit_price, line_total"

func (r *lineRow) scan(scan func(...any) error) error {
	return scan(&r.order, &r.position, &r.sku, &r.name, &r.quantity, &r.price, &r.subtotal)
}

func baselineOrderRead(_ *campaign, y *baselineRun, _ int) func() (int, error) {
	return func() (int, error) {
		args := []any{baselineTenant, y.orders[rand.IntN(len(y.orders))]}
		var order orderRow
		var lines []lineRow
		err := y.read("SELECT "+baselineOrderColumns+" FROM orders WHERE tenant_id = $1 AND id = $2", args, order.scan)
		if err != nil {
			return 0, err
		}
		err = y.read("SELECT "+baselineLineColumns+" FROM order_lines WHERE tenant_id = $1 AND order_id = $2 ORDER BY position", args,
			func(scan func(...any) error) error {
				lines = append(lines, lineRow{})
				return lines[len(lines)-1].scan(scan)
			})
		if err == nil && len(lines) != 3 {
			err = fmt.Errorf("order %s has %d lines, want 3", order.id, len(lines))
		}
		return 1, err
	}
}

var baselineLinesOf = frame{before: "SELECT " + baselineLineColumns + " FROM order_lines WHERE tenant_id = " +
	fmt.Sprint(baselineTenant) + " AND order_id IN ", after: " ORDER BY order_id, position"}

func baselineOrderList(_ *campaign, y *baselineRun, _ int) func() (int, error) {
	pages := min(max(len(y.orders)/2/20, 1), 10)
	return func() (int, error) {
		now := time.Now()
		var orders []orderRow
		err := y.read("SELECT "+baselineOrderColumns+" FROM orders WHERE tenant_id = $1 AND status IN ($2, $3) AND created_at >= $4 AND "+
			"created_at <= $5 "+
			"ORDER BY created_at DESC, id DESC LIMIT 20 OFFSET $6",
			[]any{baselineTenant, "PENDING", "PROCESSING", now.AddDate(0, 0, -7).UnixMicro(), now.AddDate(0, 0, 1).UnixMicro(),
				int64(20 * rand.IntN(pages))},
			func(scan func(...any) error) error {
				orders = append(orders, orderRow{})
				return orders[len(orders)-1].scan(scan)
			})
		if err != nil {
			return 0, err
		}
		if len(orders) == 0 {
			return 0, errors.New("a page of the baseline's orders is empty")
		}
		ids := make([]any, len(orders))
		for i := range orders {
			ids[i] = orders[i].id
		}
		var lines []lineRow
		err = y.read(baselineLinesOf.text(1, len(ids)), ids, func(scan func(...any) error) error {
			lines = append(lines, lineRow{})
			return lines[len(lines)-1].scan(scan)
		})
		return 1, err
	}
}
