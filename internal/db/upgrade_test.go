package db_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/db/migrations"
	"entrepot/internal/dbtest"
	"entrepot/internal/verify"
)

// Ids of the rows below; # replaces their common beginning.
const idPrefix = "019a1c52-7c1e-7d40-9a55-0000000000"

// oldRows fill, right after each migration, the tables and columns that it made: one account with a product, an order that is
// half shipped, and an endpoint that got an event.
var oldRows = map[int]string{
	1: `INSERT INTO tenants VALUES (1, '#01', 'Old', 'pro', 'EUR', '{}', FALSE, 0, 1700000000000000, 1700000000000000);
		INSERT INTO change_clocks VALUES (1, 0, 5000);
		INSERT INTO users VALUES (1, '#02', 'O@x.example', 'o@x.example', 'Olga', '', 'owner', 'active', 1700000000000000, NULL);
		INSERT INTO tokens VALUES ('token', 1, '#02', 1700000000000000, 1700000000000000);
		INSERT INTO api_keys VALUES (1, '#03', 'ERP', 'hash', 'pk_live_ab', 'read:orders', NULL, 1700000000000000, NULL, NULL, NULL);
		INSERT INTO audit_log VALUES (1, '#04', 'user:#02', 'account.created', 'account', '#01', '{}', 1700000000000000);
		INSERT INTO idempotency_keys VALUES (1, 'k', 'POST /api/v1/products', 'f', 201, '{}', '#10', 1700000000000000, 1700000000000000);`,
	2: `INSERT INTO categories VALUES (1, '#11', 'shoes', 'Shoes', 'shoes', NULL, NULL, 1700000000000000, 1700000000000000, 10, NULL);
		INSERT INTO products VALUES (1, '#10', 'P', 'Product', 'product', '', 'ACTIVE', 100000, NULL, '[]', '{}', 'p product', 1, 1,
			1700000000000000, 1700000000000000, 20, NULL);
		INSERT INTO variants VALUES (1, '#10', 0, '#12', 'P-V', 'V', NULL, NULL, '{}');
		INSERT INTO skus VALUES (1, 'P', '#10', NULL);
		INSERT INTO skus VALUES (1, 'P-V', '#10', '#12');
		INSERT INTO product_categories VALUES (1, '#10', 0, 'shoes', '#11');
		INSERT INTO attributes VALUES (1, '#13', 'color', 'Color', 'text', '[]', 1700000000000000);
		INSERT INTO warehouses VALUES (1, '#14', 'MAIN', 'Main', TRUE, NULL, 1700000000000000);
		INSERT INTO stock_levels VALUES (1, 'P', 'MAIN', '#15', '#10', NULL, 6, 0, 2, FALSE, 1700000000000000, 30, NULL);
		INSERT INTO movements VALUES (1, 'P', 30, 'MAIN', '#16', 'import', 6, 6, '', '', 'from Ada', 'system', 1700000000000000);`,
	3: `INSERT INTO customers VALUES (1, '#20', 'Ada@x.example', 'ada@x.example', 'Ada', NULL, NULL, NULL, NULL, NULL, '{}', 'ada', 'active',
		NULL, 1, 300000, 'FR',
			1700000000000000, 1700000000000000, NULL, NULL);
		INSERT INTO customers VALUES (1, '#65', 'erased-#65@erased.invalid', 'erased-#65@erased.invalid', NULL, NULL, NULL, NULL, NULL, NULL,
			'{}', 'erased-#65@erased.invalid', 'erased', NULL, 0, 0, NULL, 1700000000000000, 1700000000000000, 1700000000000000, 0);
		INSERT INTO customers VALUES (1, '#66', 'erased-#66@erased.invalid', 'erased-#66@erased.invalid', NULL, NULL, NULL, NULL, NULL, NULL,
			'{}', 'erased-#66@erased.invalid', 'erased', '#65', 0, 0, NULL, 1700000000000000, 1700000000000000, 1700000000000000, 0);
		INSERT INTO customer_tags VALUES (1, '#20', 0, 'vip');
		INSERT INTO customer_addresses VALUES (1, '#20', '#21', 0, NULL, 'Ada', NULL, '1 Rue', NULL, 'Paris', NULL, '75001', 'FR', NULL, TRUE);
		INSERT INTO segments VALUES (1, '#22', 'All', '{}', 1700000000000000, 1700000000000000);
		INSERT INTO channels VALUES (1, '#23', 'Shop', 'CUSTOM', 'active', '', '{}', 'allow', 1700000000000000, 1700000000000000, NULL);
		INSERT INTO publications VALUES (1, '#10', '#23', 'published', NULL, 1700000000000000, NULL);
		INSERT INTO order_numbers VALUES (1, 8);
		INSERT INTO orders VALUES (1, '#24', 7, 'PARTIALLY_SHIPPED', '#23', '#20', 'Ada', 'Ada@x.example', 'ada@x.example', 'R-7', NULL, 'EUR',
			'{"line1":"1 Rue","country":"fr"}', '{}', NULL, NULL,
			300000, 0, 0, NULL, NULL, 300000, 1, NULL, 'T', NULL, FALSE, 'PROCESSING', 'api', 'key:#03', 'ord-000007 ada', 1700000000000000,
				1700000000000001);
		INSERT INTO order_lines VALUES (1, '#24', 0, '#25', '#10', NULL, 'P', 'Product', NULL, NULL, 3, 1, 2, 100000, 300000, 'MAIN');
		INSERT INTO order_history VALUES (1, '#24', '#26', 'PROCESSING', 'PARTIALLY_SHIPPED', NULL, 'shipment', 'key:#03', 1700000000000001);
		INSERT INTO shipments VALUES (1, '#24', '#27', NULL, 'T', NULL, 1700000000000001, NULL, FALSE, 1700000000000001);
		INSERT INTO shipment_lines VALUES (1, '#24', '#27', '#28', '#25', 1);
		INSERT INTO order_counts VALUES (1, 3600000000, 'PARTIALLY_SHIPPED', 1699999200000000, '#23', 1);
		UPDATE stock_levels SET on_hand = 5, reserved = 2, changed_at = 40;
		INSERT INTO movements VALUES (1, 'P', 40, 'MAIN', '#29', 'shipment', -1, 5, 'shipment', '#27', '', 'key:#03', 1700000000000001);`,
	4: `INSERT INTO events VALUES (1, '#30', 1000, 'order.updated', '#24', '{"id":"#30","event":"order.updated","timestamp":"2023-11-14T22:15:00.000Z","data":{}}', NULL, 1700000100000000, NULL);
		INSERT INTO dispatch_cursors VALUES (1, 1000);
		INSERT INTO endpoints VALUES (1, '#31', 'https://x.example/', 'sealed', '', 0, 'order.updated', '', 'active', FALSE, 900,
			1700000000000000, 1700000000000000, NULL);
		INSERT INTO queues (tenant_id, endpoint_id, due_at, holder, lease_until, pending, delivered, failed)
			VALUES (1, '#31', NULL, '', 0, 1, 1, 0);
		INSERT INTO deliveries VALUES (1, '#31', 1000, '#32', '#30', 1000, 'order.updated', '#24', FALSE, NULL, FALSE, 'delivered', 1, NULL,
			1700000100000000, 200, NULL),
			(1, '#31', 1001, '#35', '#30', 1000, 'order.updated', '#24', FALSE, NULL, FALSE, 'pending', 0, 1001, NULL, NULL, NULL);
		INSERT INTO attempts VALUES (1, '#31', 1000, 1, 1700000100000000, 200, 12, NULL, 'ok');
		INSERT INTO replays VALUES (1, '#33', '#31', '*', FALSE, 0, 1000, 0, 1700000100000000);
		INSERT INTO jobs VALUES (1, '#34', 'product_import', '#23', 'COMPLETED', 1, 1, 1, 0, 0, '[]', '{}', '', 1, NULL, 1700000000000000,
			1700000000000000, 1700000000000000);
		INSERT INTO notifications VALUES (1, '#23', 'n', 1700000000000000);`,
	5: `INSERT INTO store_keys VALUES ('5e5e5e5e', 1700000000000000);
		INSERT INTO setup_links VALUES ('hash', 1700000000000000);`,
	6: `INSERT INTO rate_windows VALUES ('key:#03', '{}', 1700000000000000);`,
	7: `INSERT INTO scrubs VALUES ('#40', 'orders', 1700000000000000);`,
	8: `UPDATE orders SET recorded_at = 1700000000000000;`,
	9: `UPDATE api_keys SET created_by = '#02'; UPDATE users SET scopes = 'read:orders'; UPDATE store_keys SET retired_at = 1700000000000000;`,
	13: `UPDATE orders SET external_number = '7', platform_status = 'open', platform_updated_at = 1, refunded_amount = 10000,
		channel_sync = 'synced';
		INSERT INTO order_issues VALUES (1, '#24', 'conflict', '', 'changed there', 1700000000000000);
		INSERT INTO order_refunds VALUES (1, '#24', '#50', '9', 10000, 'torn', 1700000000000000);
		INSERT INTO order_refund_lines VALUES (1, '#24', '#50', '#25', 0, 10000);`,
	15: `INSERT INTO channel_syncs VALUES (1, '#23', 0, NULL, NULL, 1700000000000000, NULL, 0, 0, '{}', NULL, '', '[]', '{}', '{}', 0);
		INSERT INTO channel_items VALUES (1, '#23', 'P', '#10', NULL, '7', '', '{}', '{}', '', 5, '', '', FALSE, FALSE, FALSE, 0, NULL);`,
	10: `INSERT INTO nodes VALUES ('n1', 3);`,
	78: `INSERT INTO order_returns VALUES (1, '#24', '#71', 'requested', 'torn', NULL, NULL, NULL, 1700000000000000, 1700000000000000);
		INSERT INTO order_return_lines VALUES (1, '#24', '#71', '#25', 1, TRUE);`,
	26: `INSERT INTO dashboard_views VALUES (1, '#02', '#61', '/orders', 'Mine', 'status=PENDING', 1700000000000000);`,
	34: `INSERT INTO imports VALUES (1, '#63', 'list.csv', 20, '#02', 'done', '{}', '{}', '', '{}', FALSE, '', '#34', 1700000000000000,
			1700000000000000, 1900000000000000);
		INSERT INTO import_parts VALUES (1, '#63', 0, '');
		INSERT INTO import_lines VALUES (1, '#63', FALSE, 0, 2, 3, TRUE, 1, 'MUG', 'price', 'bad_amount', 'no number');`,
	28: `INSERT INTO refused_requests VALUES (1, '#62', '#03', NULL, 'GET', '/api/v1/orders', 403, 'missing_scope', '', 2, 1700000000000000);`,
	20: `INSERT INTO job_orders VALUES (1, '#34', 0, '#24', 7, NULL, '');`,
	19: `INSERT INTO order_edits VALUES (1, '#24', '#60', 'api', 'key:#03', '[]', 1700000000000000);`,
	16: `INSERT INTO search_blocks VALUES (1, 'order', '#24', '', '', '');`,
	23: `INSERT INTO sales_blocks VALUES (1, 3600000000, 0, 99, 0, ''); INSERT INTO sold_skus VALUES (1, 'P', 0, '#24');`,
	37: `INSERT INTO stock_values VALUES (1, 'MAIN', 0, 0, 0, 500000); INSERT INTO stock_level_values VALUES (1, 'P', 'MAIN', 5, 100000);
		INSERT INTO stock_values_until VALUES (1, 1);`,
	38: `UPDATE search_until SET stamp = 1;`,
	44: `INSERT INTO search_grams VALUES (1, 'order', 0, 0, ''); INSERT INTO search_places VALUES (1, 'order', 0, '#24');`,
	59: `INSERT INTO erasures VALUES (1, '#20', '[]', '[]', NULL, 1700000000000000);`,
	61: `INSERT INTO unfinished VALUES (1, 'channel deletion', '#90', NULL, 1700000000000000);`,
	64: `UPDATE unfinished SET place = 'P';`,
	66: `INSERT INTO segment_lists VALUES (1, 1, '#22', 'digest', 1, NULL, TRUE);
		INSERT INTO segment_members VALUES (1, 1, '#20');
		INSERT INTO segment_lists_until VALUES (1, 40, 1);
		INSERT INTO segment_changes VALUES (1, 50, '#20');`,
	71: `INSERT INTO audit_heads VALUES (1, 0, '');`,
	76: `UPDATE customers SET phone = '+49 (30) 123-456' WHERE id = '#20';`,
	75: `INSERT INTO login_networks VALUES (1, '#02', 'hash', 1700000000000000);`,
}

// droppedColumns are those that a later migration takes away on purpose.
var droppedColumns = map[string]bool{"queues.lease_until": true, "orders.shipped_told": true}

// correctedColumns are those whose values a later migration corrects; verify holds them to the rest of the store.
var correctedColumns = map[string]bool{"tallies.n": true, "search_loose.sort": true, "search_loose.version": true,
	"search_loose.text": true, "customers.search": true}

// droppedTables are those whose content a later migration keeps in another table; verify holds that one to the rest of the store.
var droppedTables = map[string]bool{"order_counts": true, "unfinished": true, "erasures": true}

// grownTables are those to which a later migration adds.
var grownTables = map[string]bool{"search_loose": true, "tallies": true, "order_figures": true, "jobs": true}

// A store that any older version of the program filled comes to today's schema with every row and value it had, and all that must hold of
// it still holds.
func TestStoresOfEveryOlderVersionAreMigrated(t *testing.T) {
	dbtest.Long(t, "every older version is migrated")
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			older := db.Config{Dir: t.TempDir(), Unsafe: true} // grows by a version at a time; each is migrated in a copy
			if engine == "postgres" {
				older = db.Config{URL: dbtest.PlainURL(t), MinWait: dbtest.Patience} // its migrations must see every account's rows
			}
			for version := 1; version < len(migrations.Known()); version++ {
				fillVersion(t, older, version)
				t.Run(fmt.Sprint(version), func(t *testing.T) { migratesWhole(t, dbtest.Copy(t, older), version) })
			}
		})
	}
}

// fillVersion brings a store to a version, and fills what is new in it.
func fillVersion(t *testing.T, config db.Config, version int) {
	t.Helper()
	store, err := db.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.RunMigration(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	if err := store.Script(t.Context(), strings.ReplaceAll(oldRows[version], "#", idPrefix)); err != nil {
		t.Fatalf("rows of migration %d: %v", version, err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

// migratesWhole migrates the store of an older version and compares it with what it was.
func migratesWhole(t *testing.T, config db.Config, version int) {
	newest := len(migrations.Known())
	store, err := db.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.AfterMigrations(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := contentOf(t, store)
	for table, rows := range before {
		if len(rows) == 0 && table != "probes" { // a table that is always empty
			t.Errorf("no row in %s: oldRows needs one", table)
		}
	}
	if n, err := store.Migrate(t.Context()); err != nil || n != newest-version {
		t.Fatalf("%d steps, %v", n, err)
	}
	if current, err := store.Current(t.Context()); err != nil || !current {
		t.Errorf("current: %v, %v", current, err)
	}
	after := contentOf(t, store)
	for table, rows := range before {
		if _, there := after[table]; !there && droppedTables[table] {
			continue
		}
		compareRows(t, table, rows, after[table])
	}
	for _, o := range slices.Concat(before["unfinished"], before["erasures"]) { // these are jobs now
		kind, subject, place := strings.ReplaceAll(cmp.Or(o["kind"], "customer erasure"), " ", "_"), cmp.Or(o["subject"], o["customer_id"]), o["place"]
		if !slices.ContainsFunc(after["jobs"], func(j map[string]string) bool {
			return j["type"] == kind && j["subject"] == subject && j["cursor"] == place && j["status"] == "PENDING" && j["due_at"] == "1700000010000000"
		}) {
			t.Errorf("this operation was not kept: %v\nthere are %v", o, after["jobs"])
		}
	}
	if version == 1 { // no account had a warehouse yet
		return
	}
	results, err := verify.Run(t.Context(), store, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Wrong > 0 {
			t.Errorf("%s: %v", r.Says, r.Examples)
		}
	}
}

// content is the rows of every table but that of the versions, each by column, as text.
type content map[string][]map[string]string

// contentOf reads a whole store.
func contentOf(t *testing.T, store *db.DB) content {
	t.Helper()
	columns := "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE " +
		"'sqlite_%' ORDER BY m.name, c.cid"
	if store.Engine() == "postgres" {
		columns = "SELECT table_name::TEXT, column_name::TEXT FROM information_schema.columns WHERE table_schema = 'public' ORDER BY " +
			"table_name, ordinal_position"
	}
	found, all := map[string][]string{}, content{}
	err := store.Read(t.Context(), db.Across, func(tx *db.Tx) error {
		err := tx.Each(func(r db.Rows) error {
			var table, column string
			err := r.Scan(&table, &column)
			found[table] = append(found[table], column)
			return err
		}, columns)
		if err != nil {
			return err
		}
		delete(found, "schema_versions")
		for _, table := range slices.Sorted(maps.Keys(found)) {
			names := found[table]
			texts := make([]string, len(names))
			for i, name := range names {
				texts[i] = "coalesce(CAST(" + name + " AS TEXT), 'NULL')"
			}
			all[table], err = db.List(tx, func(r db.Rows) (map[string]string, error) {
				values, into := make([]string, len(names)), make([]any, len(names))
				for i := range values {
					into[i] = &values[i]
				}
				err := r.Scan(into...)
				row := map[string]string{}
				for i, name := range names {
					row[name] = values[i]
				}
				return row, err
			}, "SELECT "+strings.Join(texts, ", ")+" FROM "+table+" ORDER BY "+strings.Join(texts, ", "))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// compareRows wants each row of before among those of after, with every column that was not dropped.
func compareRows(t *testing.T, table string, before, after []map[string]string) {
	t.Helper()
	if len(before) != len(after) && !(grownTables[table] && len(before) < len(after)) {
		t.Errorf("%s had %d rows and has %d", table, len(before), len(after))
		return
	}
	for _, row := range before {
		for column := range row {
			if correctedColumns[table+"."+column] {
				delete(row, column)
			}
			if droppedColumns[table+"."+column] {
				if _, there := after[0][column]; !there {
					delete(row, column)
				}
			}
		}
		if !slices.ContainsFunc(after, func(now map[string]string) bool {
			for column, value := range row {
				if was, there := now[column]; !there || was != value {
					return false
				}
			}
			return true
		}) {
			t.Errorf("%s: this row was not kept: %v\nthere are %v", table, row, after)
		}
	}
}
