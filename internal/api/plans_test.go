package api

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// growing are tables that may have very many rows of an account.
var growing = strings.Fields("orders order_lines order_history shipments shipment_lines customers customer_tags customer_addresses " +
	"products variants skus product_categories product_sorts publications channel_items categories stock_levels movements sold_skus " +
	"events deliveries attempts idempotency_keys jobs audit_log")

// mayReadAll are beginnings of statements that go by the account alone, and why they may.
var mayReadAll = map[string]string{
	"SELECT changed_at FROM ":                    "the newest stamp",
	"SELECT coalesce(max(stamp), 0) FROM events": "the newest stamp",
	"SELECT coalesce(min(stamp), 0) FROM events": "the oldest stamp",
	"UPDATE order_numbers SET next":              "the highest number",
	"SELECT EXISTS (SELECT 1 FROM variants":      "the first row",
	"SELECT id, stamp, event, resource_id":       "a page of the log, in its order",
	"SELECT j.tenant_id, j.id, j.type":           "a page of jobs, newest first",
	"SELECT id, actor, action":                   "a page of the audit log, newest first",
	"SELECT count(*) FROM audit_log":             "their number",
	"SELECT l.warehouse_code, sum(l.on_hand":     "the value of the stock, while its sums are not there (decision 9)",
	"SELECT l.sku, l.warehouse_code, l.id, l.product_id, l.variant_id, l.on_hand, l.reserved, l.changed_at, l.deleted_at, " +
		"l.threshold, l.low FROM stock_levels l WHERE l.tenant_id = $1 AND l.deleted_at IS NULL ORDER BY l.sku": "a page of levels",
	"SELECT id FROM customers WHERE tenant_id = $1 AND merged_into IN": "an index of merged records alone",
	"UPDATE deliveries SET due_at = due_at -":                          "the clock of a sandbox, which moves all",
	"UPDATE jobs SET due_at = due_at -":                                "the clock of a sandbox, which moves all",
	"UPDATE idempotency_keys SET expires_at":                           "the clock of a sandbox, which moves all",
	"SELECT key, space, resource_id, CASE":                             "an erasure, before its transaction (decision 12)",
	"SELECT id FROM jobs WHERE tenant_id = $1 AND ":                    "an erasure, before its transaction (decision 12)",
	"SELECT id FROM audit_log WHERE tenant_id = $1 ":                   "an erasure, before its transaction (decision 12)",
}

// No request makes the engine go through all rows of an account to find some: each step of a plan that reads a table that grows has more
// to go by than the account, unless it ends soon in the order of an index, or has to see them all (decision 1).
func TestRoutesReadByKey(t *testing.T) {
	dbtest.Long(t, "every route is called")
	for _, engine := range dbtest.EngineNames() {
		t.Run(engine, func(t *testing.T) {
			w := newFixture(t, engine)
			seen := statementsOfRoutes(w)
			plan := func(tx *db.Tx, s statement) string { return dbtest.Plan(t, tx, s.sql, s.args...) }
			if engine == dbtest.Postgres {
				large := manyRows(t, w)
				plan = func(tx *db.Tx, s statement) string { return large.plan(t, tx, s) }
			}
			for _, s := range seen {
				err := w.DB.Read(t.Context(), w.tenant, func(tx *db.Tx) error {
					for line := range strings.Lines(plan(tx, s)) {
						if line = strings.TrimSpace(line); readsAll(s.sql, line) {
							t.Errorf("%s: %s\n%s", s.route, line, s.sql)
						}
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// statement is one that a route sent.
type statement struct {
	route, sql string
	args       []any
}

// statementsOfRoutes calls every route and returns what it sent to the store, each text once.
func statementsOfRoutes(w *fixture) []statement {
	var mu sync.Mutex
	var route string
	var list []statement
	seen := map[string]bool{"": true} // a lock
	note := func(sql string, args []any) {
		mu.Lock()
		defer mu.Unlock()
		if !seen[sql] {
			seen[sql] = true
			list = append(list, statement{route, sql, slices.Clone(args)})
		}
	}
	w.trace.Store(&note)
	w.wrote.Store(&note)
	for _, r := range routes() {
		if made := rows[r.method+" "+r.path]; made.req != nil {
			a := made.req(w)
			mu.Lock()
			route = r.method + " " + r.path
			mu.Unlock()
			if got := w.send(r, a, w.credential(r, a)); got.status >= http.StatusInternalServerError {
				w.t.Errorf("%s: %d", route, got.status)
			}
		}
	}
	w.trace.Store(nil)
	w.wrote.Store(nil)
	return list
}

// largeTables is what PostgreSQL has of tables that it believes to be very large.
type largeTables struct {
	without []string          // tables that have no row, and so no page
	second  map[string]string // the second column of each index, "" for none
}

// oneChannel fills an account that has one channel and one warehouse: by what is counted of it, any index of the account leads to their
// rows as well as their own.
var oneChannel = []string{
	`INSERT INTO publications (tenant_id, product_id, channel_id, status)
		SELECT 1, ('00000000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::UUID, '00000000-0000-7000-8000-000000000001', 'published'
		FROM generate_series(1, 9000) i`,
	`INSERT INTO channel_items (tenant_id, channel_id, sku, product_id, external_product, external_variant, other, images, content, price,
			operation, stock_due, check_due, content_due, marks)
		SELECT tenant_id, channel_id, 'P' || product_id, product_id, '', '', '', '', '', '', '', FALSE, FALSE, FALSE, 0
		FROM publications WHERE tenant_id = 1`,
	`INSERT INTO stock_levels (tenant_id, sku, warehouse_code, id, product_id, on_hand, reserved, low, updated_at, changed_at)
		SELECT tenant_id, 'P' || product_id, 'MAIN', product_id, product_id, 1, 0, FALSE, 1, 1 FROM publications WHERE tenant_id = 1`,
}

// manyRows has PostgreSQL believe that each page of a table holds a hundred million rows.
func manyRows(t *testing.T, w *fixture) (large largeTables) {
	large.second = map[string]string{}
	err := w.DB.Write(t.Context(), w.tenant, func(tx *db.Tx) error {
		for _, sql := range oneChannel {
			if _, err := tx.Exec(sql); err != nil {
				return err
			}
		}
		if _, err := tx.Exec("ANALYZE"); err != nil {
			return err
		}
		_, err := tx.Exec("UPDATE pg_class SET reltuples = 1e8, relpages = 1" +
			" WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')")
		if err != nil {
			return err
		}
		large.without, err = db.List(tx, func(r db.Rows) (table string, err error) { return table, r.Scan(&table) },
			"SELECT relname::TEXT FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) = 0")
		if err != nil {
			return err
		}
		return tx.Each(func(r db.Rows) error {
			var index, column string
			err := r.Scan(&index, &column)
			large.second[index] = column
			return err
		}, "SELECT relname::TEXT, pg_get_indexdef(oid, 2, FALSE) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'i'")
	})
	if err != nil {
		t.Fatal(err)
	}
	return large
}

// plan is PostgreSQL's plan of a statement for any arguments, as SQLite would write it, without steps that read tables that have no row. A
// step goes by the account alone, too, if it goes by a column that comes later in its index, but not by the one that comes next.
func (l largeTables) plan(t *testing.T, tx *db.Tx, s statement) (plan string) {
	if _, err := tx.Exec("PREPARE planned AS " + s.sql); err != nil {
		t.Fatalf("%v: %s", err, s.sql)
	}
	explain := "EXPLAIN EXECUTE planned"
	if len(s.args) > 0 {
		explain += "(NULL" + strings.Repeat(", NULL", len(s.args)-1) + ")"
	}
	lines, err := db.List(tx, func(r db.Rows) (line string, err error) { return line, r.Scan(&line) }, explain)
	if err != nil {
		t.Fatalf("%v: %s", err, s.sql)
	}
	if _, err := tx.Exec("DEALLOCATE planned"); err != nil {
		t.Fatal(err)
	}
	table, index := "", ""
	for _, line := range append(lines, "end") {
		scan, below, by := scans.FindStringSubmatch(line), bitmaps.FindStringSubmatch(line), conditions.FindStringSubmatch(line)
		switch {
		case below != nil:
			index = below[1]
		case scan != nil || line == "end":
			if table != "" { // by nothing
				plan += "SCAN " + table + "\n"
			}
			if table = ""; scan != nil && !slices.Contains(l.without, scan[2]) {
				index, table = scan[1], scan[2]
			}
		case by != nil && table != "":
			columns := by[1]
			if next := l.second[index]; strings.Contains(columns, "tenant_id = ") && (next == "" || !strings.Contains(columns, "("+next+" ")) {
				columns = "(tenant_id=?)"
			}
			plan += "SEARCH " + table + " " + columns + "\n"
			table = ""
		}
	}
	return plan
}

var (
	scans      = regexp.MustCompile(`(?:Seq|Index|Index Only|Bitmap Heap) Scan (?:Backward )?(?:using (\w+) )?on (\w+)`)
	bitmaps    = regexp.MustCompile(`Bitmap Index Scan on (\w+)`)
	conditions = regexp.MustCompile(`Index Cond: (.*)`)
)

// readsAll reports whether a step of a statement's plan reads all rows that an account, or everyone, has in a table that grows, though it
// may not.
func readsAll(sql, step string) bool {
	for head := range mayReadAll {
		if strings.HasPrefix(sql, head) {
			return false
		}
	}
	read := regexp.MustCompile(`^(?:SCAN|SEARCH) (\w+)(.*)`).FindStringSubmatch(step)
	if read == nil || strings.HasPrefix(step, "SEARCH") && !strings.HasSuffix(step, "(tenant_id=?)") {
		return false
	}
	of := regexp.MustCompile(`(?:FROM|JOIN|UPDATE|INTO) (\w+)(?: AS)? ` + read[1] + `\b`).FindStringSubmatch(sql)
	return slices.Contains(growing, read[1]) || of != nil && slices.Contains(growing, of[1])
}
