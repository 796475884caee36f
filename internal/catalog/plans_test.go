package catalog_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// In a store that one account has filled, PostgreSQL knows that account's number and no other. It must not conclude that a new account
// has a single row and read everything of it again and again: looking up SKUs reads hardly more rows than it finds.
func TestANewAccountBesideALargeOne(t *testing.T) {
	url := dbtest.PlainStoreURL(t)
	store := dbtest.Open(t, db.Config{URL: url})
	large, fresh := dbtest.Account(t, store), dbtest.Account(t, store)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	run := func(sql string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	run("SET entrepot.tenant = '0'")
	fill := func(tenant any, n int) {
		run(fmt.Sprintf(`INSERT INTO products (tenant_id, id, sku, name, slug, description, status, price, media, attributes, search,
				variant_count, category_count, created_at, updated_at, changed_at)
			SELECT %[1]d, ('00000000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::UUID, 'S' || i, 'n', 's' || i, '', 'ACTIVE', 1,
				'[]', '{}', '', 0, 0, 1, 1, i
			FROM generate_series(1, %[2]d) i`, tenant, n))
		run(fmt.Sprintf("INSERT INTO skus (tenant_id, sku, product_id) SELECT tenant_id, sku, id FROM products WHERE tenant_id = %d", tenant))
	}
	const plenty = 40_000
	fill(large, plenty)
	run("ANALYZE")
	const many = 20_000 // so many that reading all of them for 200 is no good plan
	fill(fresh, many)
	for name, account := range map[string]struct {
		tenant id.Tenant
		skus   int
	}{"large": {large, plenty}, "new": {fresh, many}} {
		node, err := db.Open(t.Context(), db.Config{URL: url, MinWait: dbtest.Timeout}) // new connections, which have planned nothing yet
		if err != nil {
			t.Fatal(err)
		}
		skus := make([]string, 200)
		for i := range skus {
			skus[i] = fmt.Sprint("S", 1+i*account.skus/len(skus))
		}
		var rows int64
		err = node.Read(t.Context(), account.tenant, func(tx *db.Tx) error {
			before, err := rowsRead(tx)
			if err != nil {
				return err
			}
			found, err := catalog.Resolve(tx, skus)
			if err != nil {
				return err
			}
			if len(found) != len(skus) {
				t.Errorf("%d of %d SKUs", len(found), len(skus))
			}
			rows, err = rowsRead(tx)
			rows -= before
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		node.Close()
		if limit := int64(3 * len(skus)); rows == 0 || rows > limit {
			t.Errorf("%s account: looking up %d SKUs read %d rows, at most %d would do", name, len(skus), rows, limit)
		}
	}
}

// rowsRead returns how many rows of products and SKUs a transaction's own connection has read: what others read does
// not count, and what it has read counts at once.
func rowsRead(tx *db.Tx) (rows int64, err error) {
	err = tx.Row(`SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::BIGINT FROM pg_stat_xact_user_tables
		WHERE relname IN ('products', 'skus', 'variants')`, nil, &rows)
	return rows, err
}

func TestMain(m *testing.M) { dbtest.Main(m) }
