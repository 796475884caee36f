package bench

import (
	"fmt"
	"github.com/google/uuid"
	"strings"
	"time"

	"entrepot/internal/limits"
)

// newID is a time-ordered identifier, as the service's.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// nowMicros is the time in the unit of the tables.
func nowMicros() int64 { return time.Now().UnixMicro() }

// Event payloads are as long as the service's: some 300 bytes for a product,
// a level or a customer, 900 for an order.
var (
	shortPayload = strings.Repeat(`"field":"value",`, 15)
	orderPayload = strings.Repeat(`"field":"value",`, 50)
)

var (
	insertEvents    = insertInto("events (tenant_id, id, kind, payload, created_at)")
	insertProducts  = insertInto("products (tenant_id, id, sku, name, description, status, price, compare_at_price, changed_at)")
	insertVariants  = insertInto("variants (tenant_id, product_id, sku, name, price)")
	insertImages    = insertInto("images (tenant_id, product_id, position, url)")
	insertLevels    = insertInto("levels (tenant_id, sku, warehouse, on_hand, reserved, changed_at)")
	insertMovements = insertInto("movements (tenant_id, sku, warehouse, cause, balance, created_at)")
	insertLines     = insertInto("order_lines (tenant_id, order_id, position, sku, name, quantity, unit_price, line_total)")

	// The empty additions to v's columns prevent SQLite from reversing the join: from some 200 rows on it would
	// otherwise index v and scan the whole table.
	updatePrices = updateFrom("tenant_id, sku, price, changed_at", "BIGINT TEXT BIGINT BIGINT",
		"UPDATE products SET price = v.price, changed_at = v.changed_at FROM v WHERE products.tenant_id = v.tenant_id + 0 AND products.sku = "+
			"v.sku || ''")
	updateLevels = updateFrom("tenant_id, sku, warehouse, on_hand, changed_at", "BIGINT TEXT TEXT BIGINT BIGINT",
		"UPDATE levels SET on_hand = v.on_hand, changed_at = v.changed_at FROM v "+
			"WHERE levels.tenant_id = v.tenant_id + 0 AND levels.sku = v.sku || '' AND levels.warehouse = v.warehouse || ''")
)

// addEvent adds an event row.
func (r *rows) addEvent(kind, subject, filler string, now int64) {
	event := newID()
	r.add(baselineTenant, event, kind, `{"id":"`+event+`","event":"`+kind+`","data":{`+filler+`"id":"`+subject+`"}}`, now)
}

// seedProducts fills a baseline with the products and levels that the tasks change and read.
func (y *baselineRun) seedProducts() error {
	start := nowMicros() - int64(y.skus)*10 // so that no later change has an earlier stamp
	for first := 0; first < y.skus; first += limits.MaxImport {
		var products, levels rows
		for n := first; n < min(first+limits.MaxImport, y.skus); n++ {
			stamp := start + int64(n)*10
			products.add(baselineTenant, newID(), skuOf(n), fmt.Sprintf("Bench article %d", n),
				fmt.Sprintf("A plain article for measurements, number %d.", n), "ACTIVE", int64(5+n%200)*10_000, nil, stamp)
			levels.add(baselineTenant, skuOf(n), "MAIN", int64(onHand), int64(0), stamp)
		}
		if err := y.write(levels.statements(products.statements(nil, insertProducts), insertLevels)); err != nil {
			return err
		}
	}
	return nil
}

// seedOrders fills a baseline with orders and keeps up to 1,000 of their ids.
func (y *baselineRun) seedOrders(count int) error {
	for made := 0; made < count; {
		var statements []statement
		for ; made < count && len(statements) < 2_000; made++ {
			order := y.newOrder("seed", uint64(made))
			if made%2 == 1 {
				order.status = "SHIPPED"
			}
			statements = append(statements, order.statements(false)...)
			if len(y.orders) < 1_000 {
				y.orders = append(y.orders, order.id)
			}
		}
		if err := y.write(statements); err != nil {
			return err
		}
	}
	return nil
}
