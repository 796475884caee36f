package bench

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// BaselineSchema is the PostgreSQL schema of the baseline's tables; it is dropped before and after a run.
const BaselineSchema = "entrepot_bench_baseline"

// baselineTenant is the account of all rows: every key starts with it, as the service's do.
const baselineTenant = int64(1)

// baseline is a database driver without a service.
type baseline interface {
	// write runs the statements in order and commits them together: after nil they are on the disk.
	write(statements []statement) error
	close() error
}

// statement is one SQL text, the same on both engines, with its arguments.
type statement struct {
	sql  string
	args []any
}

// baselineRun is a running baseline.
type baselineRun struct {
	baseline
	skus   int
	tag    string
	serial atomic.Int64
	texts  insertTexts
}

// measureBaseline runs a scenario's baseline on a fresh database, with as many callers as the service had clients.
func (r *run) measureBaseline(ctx context.Context, s scenario, callers int) (f *Figures, err error) {
	y := &baselineRun{skus: r.SKUs, tag: r.tag}
	if r.Baseline == "postgres" {
		y.baseline, err = openBaselinePostgres(ctx, r.BaselineDatabase, callers)
	} else {
		y.baseline, err = openBaselineSQLite(ctx, r.BaselineFolder)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, y.close()) }()
	if err := y.seedProducts(); err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	began := time.Now()
	end := began.Add(r.Duration)
	whole := together(callers, func(client int, t *tally) {
		write := s.baseline(y, client)
		for now := time.Now(); now.Before(end) && ctx.Err() == nil; {
			items, err := write()
			if err != nil {
				t.first = err.Error()
				return
			}
			begun := now
			now = time.Now()
			_ = t.waits.RecordValue(max(1, now.Sub(begun).Microseconds()))
			t.requests++
			t.items += items
		}
	})
	if whole.first != "" {
		return nil, errors.New(whole.first)
	}
	return whole.figures(time.Since(began)), ctx.Err()
}

//go:embed baseline_schema.sql
var baselineSchemaText string

// baselineSchema returns the schema for an engine, one statement each.
func baselineSchema(engine string) (statements []string) {
	words := strings.NewReplacer("{{ID}}", "TEXT", "{{SERIAL}}", "INTEGER PRIMARY KEY", "{{CLUSTERED}}", "WITHOUT ROWID")
	if engine == "postgres" {
		words = strings.NewReplacer("{{ID}}", "UUID", "{{SERIAL}}", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "{{CLUSTERED}}", "")
	}
	for part := range strings.SplitSeq(words.Replace(baselineSchemaText), ";\n") {
		if strings.Contains(part, "CREATE") {
			statements = append(statements, part)
		}
	}
	return statements
}

// Event payloads are as long as the service's: some 300 bytes for a product or a customer, 900 for an order.
var (
	shortPayload = strings.Repeat(`"field":"value",`, 15)
	orderPayload = strings.Repeat(`"field":"value",`, 50)
)

// Tables and columns of multi-row inserts.
const (
	eventColumns   = "events (tenant_id, id, kind, payload, created_at)"
	productColumns = "products (tenant_id, id, sku, name, description, status, price, compare_at_price, changed_at)"
	levelColumns   = "levels (tenant_id, sku, warehouse, on_hand, reserved, changed_at)"
	lineColumns    = "order_lines (tenant_id, order_id, position, sku, name, quantity, unit_price, line_total)"
)

// rows collects the rows of an insert, row after row.
type rows []any

func (r *rows) add(values ...any) { *r = append(*r, values...) }

func (r *rows) event(kind, subject, filler string, now int64) {
	event := newID()
	r.add(baselineTenant, event, kind, `{"id":"`+event+`","event":"`+kind+`","data":{`+filler+`"id":"`+subject+`"}}`, now)
}

// rowsPerStatement is how many rows one insert has at most.
const rowsPerStatement = 250

// insert cuts rows into statements of at most rowsPerStatement.
func (y *baselineRun) insert(columns string, rows rows) (list []statement) {
	width := strings.Count(columns, ",") + 1
	for values := range slices.Chunk(rows, rowsPerStatement*width) {
		list = append(list, statement{y.texts.of(columns, len(values)/width, width), values})
	}
	return list
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// seedProducts creates the products and levels that orders change.
func (y *baselineRun) seedProducts() error {
	now := time.Now().UnixMicro()
	for first := 0; first < y.skus; first += perImport {
		var products, levels rows
		for n := first; n < min(first+perImport, y.skus); n++ {
			stamp := now - int64(y.skus-n)*10 // no later change has an earlier one
			products.add(baselineTenant, newID(), skuOf(n), "Bench article "+strconv.Itoa(n), "A plain article.", "ACTIVE", int64(5+n%200)*10_000,
				nil, stamp)
			levels.add(baselineTenant, skuOf(n), "MAIN", int64(onHand), int64(0), stamp)
		}
		if err := y.write(append(y.insert(productColumns, products), y.insert(levelColumns, levels)...)); err != nil {
			return err
		}
	}
	return y.write([]statement{{sql: "ANALYZE"}}) // the planners have statistics, as they would after an hour
}

// importWriter writes 1,000 new products and their events in one transaction.
func (y *baselineRun) importWriter(int) func() (int, error) {
	return func() (int, error) {
		var products, events rows
		now, serial := time.Now().UnixMicro(), y.serial.Add(1)
		for i := range perImport {
			product := newID()
			products.add(baselineTenant, product, fmt.Sprintf("IMP-%s-%d-%d", y.tag, serial, i), "Article "+strconv.Itoa(i),
				"Cotton, woven in the old way, washed twice, and packed in paper. Ships within two days.", "ACTIVE",
				int64(5+i%200)*10_000, int64(10+i%200)*10_000, now)
			events.event("product.created", product, shortPayload, now)
		}
		return perImport, y.write(append(y.insert(productColumns, products), y.insert(eventColumns, events)...))
	}
}

// orderWriter writes an order of three lines with their reservations, its customer, two events and the row of its
// Idempotency-Key in one transaction.
func (y *baselineRun) orderWriter(int) func() (int, error) {
	return func() (int, error) { return 1, y.write(y.order()) }
}

func (y *baselineRun) order() (list []statement) {
	order, customer, now, number := newID(), newID(), time.Now().UnixMicro(), y.serial.Add(1)
	key := y.tag + "-" + strconv.FormatInt(number, 10)
	first := rand.IntN(y.skus)
	picked := []int{first, (first + y.skus/3) % y.skus, (first + 2*(y.skus/3)) % y.skus}
	slices.Sort(picked) // in one order, so that no two orders deadlock
	var total int64
	var lines, events rows
	for i, n := range picked {
		quantity, price := int64(1+n%3), int64(5+n%200)*10_000+9_000
		total += quantity * price
		lines.add(baselineTenant, order, int64(i), skuOf(n), "Bench article", quantity, price, quantity*price)
		list = append(list, statement{
			"UPDATE levels SET reserved = reserved + $1, changed_at = $2 WHERE tenant_id = $3 AND sku = $4 AND warehouse = $5",
			[]any{quantity, now, baselineTenant, skuOf(n), "MAIN"}})
	}
	events.event("customer.created", customer, shortPayload, now)
	events.event("order.received", order, orderPayload, now)
	list = append(list, statement{
		`INSERT INTO customers (tenant_id, id, email, name, orders_count, total_spent, created_at) VALUES ($1,$2,$3,$4,1,$5,$6)
			ON CONFLICT (tenant_id, email) DO UPDATE SET orders_count = customers.orders_count + 1,
			total_spent = customers.total_spent + excluded.total_spent`,
		[]any{baselineTenant, customer, key + "@bench.example", "Bench Buyer", total, now},
	}, statement{
		`INSERT INTO orders (tenant_id, id, number, status, customer_id, customer_name, customer_email, shipping_address, currency, subtotal,
			total, created_at, updated_at) VALUES ($1,$2,$3,'PENDING',$4,$5,$6,$7,'EUR',$8,$9,$10,$11)`,
		[]any{baselineTenant, order, number, customer, "Bench Buyer", key + "@bench.example",
			`{"line1":"1 Quay Street","city":"Antwerp","postalCode":"2000","country":"BE"}`, total, total, now, now},
	}, statement{
		"INSERT INTO idempotency (tenant_id, key, fingerprint, status, answer, created_at) VALUES ($1,$2,$3,201,$4,$5)",
		[]any{baselineTenant, key, order, orderPayload, now},
	})
	return slices.Concat(list, y.insert(lineColumns, lines), y.insert(eventColumns, events))
}
