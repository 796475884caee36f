package verify_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/patch"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/orders"
	"entrepot/internal/verify"
)

// drifts make what is derived from records wrong, behind the service's back, as a node of another version would.
var drifts = []struct{ check, sql string }{
	{"kept counts", "UPDATE tallies SET n = n + 3 WHERE tenant_id = $1 AND name = 'orders'"},
	{"kept counts", "DELETE FROM tallies WHERE tenant_id = $1 AND name = 'customers'"},
	{"kept counts", "UPDATE tallies SET n = n - 1 WHERE tenant_id = $1 AND name IN ('products', 'categories')"},
	{"kept counts", "UPDATE tallies SET n = 7 WHERE tenant_id = $1 AND name = 'category members'"},
	{"kept counts", "DELETE FROM tallies WHERE tenant_id = $1 AND name IN ('levels', 'on hand', 'reserved', 'out of stock', 'low')"},
	{"kept counts", "INSERT INTO tallies (tenant_id, name, key, n) VALUES ($1, 'publications', 'gone published', 5) ON CONFLICT DO NOTHING"},
	{"kept counts", "UPDATE tallies SET n = 5 WHERE tenant_id = $1 AND name = 'publications'"},
	{"order figures", "UPDATE order_figures SET orders = orders + 1, items = items - 1, small = small + 1 WHERE tenant_id = $1"},
	{"order figures", "DELETE FROM order_figures WHERE tenant_id = $1"},
	{"sales", `INSERT INTO sales_blocks (tenant_id, width, bucket, version, made_at, body)
		SELECT tenant_id, 86400000000, bucket, sum(version), 0, ''
		FROM order_figures WHERE tenant_id = $1 AND span = -86400000000 AND bucket < (SELECT max(created_at) - 86400000000 FROM orders)
		GROUP BY tenant_id, bucket`},
	{"customer totals", "UPDATE customers SET orders_count = orders_count + 2, total_spent = total_spent - 5 WHERE tenant_id = $1"},
	{"order countries", "UPDATE orders SET country = 'ZZ' WHERE tenant_id = $1"},
	{"order countries", "UPDATE orders SET country = NULL WHERE tenant_id = $1"},
	{"order countries", "DELETE FROM tallies WHERE tenant_id = $1 AND name = 'orders to country'"},
	{"order countries", "UPDATE tallies SET n = n + 2, key = 'ZZ ' || key WHERE tenant_id = $1 AND name = 'orders to country'"},
	{"order e-mails", "UPDATE orders SET email_key = 'other@example.com' WHERE tenant_id = $1"},
	{"searches", "UPDATE search_blocks SET body = 'x' || body WHERE tenant_id = $1"},
	{"searches", "DELETE FROM search_blocks WHERE tenant_id = $1"},
	{"searches", "INSERT INTO search_places SELECT tenant_id, kind, 0, first_id FROM search_blocks WHERE tenant_id = $1 AND kind = 'order'" +
		" ORDER BY first_id LIMIT 1"},
	{"searches", "INSERT INTO search_loose SELECT tenant_id, kind, '019a1c41-0000-7000-8000-000000000000', 0, 'ghost', 0 FROM search_blocks" +
		" WHERE tenant_id = $1 AND kind = 'product' LIMIT 1"},
	{"segments", "UPDATE segment_lists SET members = members + 1 WHERE tenant_id = $1"},
	{"segments", "DELETE FROM segment_members WHERE tenant_id = $1"},
	{"product sorts", "UPDATE product_sorts SET price = price + 1, status = 'DRAFT' WHERE tenant_id = $1"},
	{"product sorts", "DELETE FROM product_sorts WHERE tenant_id = $1"},
	{"product sorts", "INSERT INTO product_sorts (tenant_id, product_id, name, price, status)" +
		" VALUES ($1, '019a1c41-0000-7000-8000-000000000000', 'ghost', 1, 'ACTIVE')"},
	{"stock value", "UPDATE stock_values SET bc = bc + 1 WHERE tenant_id = $1"},
	{"stock value", "DELETE FROM stock_values WHERE tenant_id = $1"},
	{"stock value", "UPDATE stock_level_values SET price = price + 100000000 WHERE tenant_id = $1"},
	{"stock value", "DELETE FROM stock_level_values WHERE tenant_id = $1"},
	{"stock value", "INSERT INTO stock_level_values SELECT tenant_id, 'GHOST', code, 5, 70000 FROM warehouses WHERE tenant_id = $1"},
	{"delivery figures", "UPDATE delivery_figures SET failed = failed + 1, answered = answered - 1 WHERE tenant_id = $1"},
	{"delivery figures", "DELETE FROM delivery_figures WHERE tenant_id = $1"},
}

// Whatever is derived and wrong is right again after a repair, also while 16 callers write; a second repair finds nothing.
func TestRepair(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.broad()
		past := draft("past@example.com", orders.Shipped, "SKU-1", "SKU-2")
		past.CreatedAt, past.ShippingAddress = 1_700_000_000_000_000, `{"country":"FR"}`
		if _, err := s.order(past); err != nil {
			t.Fatal(err)
		}
		s.must(func(tx *db.Tx) error {
			_, err := s.do.CreateCategory(tx, catalog.CategoryDraft{Name: patch.To("All shoes"), ExternalID: patch.To("shoes")})
			return err
		})
		defer verify.InPartsOf(5)()
		for _, d := range drifts {
			s.drift(d.sql)
			if failed := s.wrong(); len(failed[d.check]) == 0 {
				t.Fatalf("%s: found by %v", d.sql, failed)
			}
			s.repaired(d.check, d.sql, false)
		}
		ended := s.writers(16, 25)
		for more := true; more; {
			for _, d := range drifts {
				s.drift(d.sql)
			}
			s.repaired("kept counts", "everything beside writers", true)
			select {
			case <-ended:
				more = false
			default:
			}
		}
		if failed := s.wrong(); len(failed) > 0 {
			t.Fatal(failed)
		}
	})
}

// drift brings what is derived up to date, and makes something wrong.
func (s *shop) drift(sql string) {
	s.Helper()
	s.follow()
	s.must(func(tx *db.Tx) error {
		_, err := tx.Exec(sql, tx.Tenant)
		return err
	})
}

// rounds are the repairs of repaired: whether each is a second one.
var rounds = map[bool][]bool{false: {false}, true: {false, true}}

// repaired repairs and expects that a check put something right, and that nothing is left, then or in another repair.
func (s *shop) repaired(check, after string, twice bool) {
	s.Helper()
	for _, again := range rounds[twice] {
		results, err := verify.Repair(s.Context(), s.store, "")
		if err != nil {
			s.Fatalf("%s: %v", after, err)
		}
		there := false
		for _, r := range results {
			switch {
			case r.Wrong > 0:
				s.Errorf("%s: %s is still wrong: %v", after, r.Name, r.Examples)
			case again && r.Repaired > 0:
				s.Errorf("%s: repaired again: %s: %v", after, r.Name, r.Repairs)
			case r.Repaired > 0:
				there = there || r.Name == check
				if len(r.Repairs) == 0 || !strings.HasPrefix(r.Repairs[0], "account ") {
					s.Errorf("%s: %s says %v", after, r.Name, r.Repairs)
				}
			}
		}
		if !again && !there {
			s.Errorf("%s: nothing was repaired", after)
		}
	}
}

// A repair that another one has overtaken adds nothing any more.
func TestRepairsDoNotMeet(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		overtaken := errors.New("overtaken")
		var first, second int64
		begin := func(number *int64) {
			s.must(func(tx *db.Tx) (err error) { *number, err = tx.BeginRepair(); return err })
		}
		begin(&first)
		in := func(number int64) error {
			return s.write(func(tx *db.Tx) error {
				tx.Tally("products", "ACTIVE", 1)
				tx.InRepair(number, overtaken)
				return nil
			})
		}
		if err := in(first); err != nil {
			t.Fatal(err)
		}
		if begin(&second); second != first+1 {
			t.Fatalf("%d after %d", second, first)
		}
		if err := in(first); !errors.Is(err, overtaken) {
			t.Fatalf("the first goes on: %v", err)
		}
		if err := in(second); err != nil {
			t.Fatal(err)
		}
		if failed := s.wrong(); !slices.Contains(failed["kept counts"], "account "+s.account()+": products ACTIVE: 12, kept as 14") {
			t.Error(failed)
		}
	})
}

// Records themselves, and what each has of others under its own version, are not changed: what is wrong with them is found and stays.
func TestRepairChangesNoRecords(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.broad()
		for _, sql := range []string{
			"UPDATE stock_levels SET reserved = reserved + 1, low = NOT low WHERE tenant_id = $1 AND sku = 'SKU-6' AND deleted_at IS NULL",
			"UPDATE order_lines SET shipped = shipped - 1 WHERE tenant_id = $1 AND sku = 'SKU-3' AND shipped > 0",
			"UPDATE products SET variant_count = 7 WHERE tenant_id = $1 AND sku = 'SKU-1'",
		} {
			s.drift(sql)
		}
		for range 2 {
			results, err := verify.Repair(t.Context(), store, "")
			if err != nil {
				t.Fatal(err)
			}
			failed := map[string][]string{}
			for _, r := range results {
				if r.Wrong > 0 {
					failed[r.Name] = r.Examples
				}
			}
			if got := names(failed); got != "levels, order status, product parts, reservations, shipped lines" {
				t.Fatal(failed)
			}
		}
	})
}

func (s *shop) account() (account string) {
	s.must(func(tx *db.Tx) error {
		return tx.Row("SELECT id FROM tenants WHERE tenant_id = $1", []any{tx.Tenant}, &account)
	})
	return account
}
