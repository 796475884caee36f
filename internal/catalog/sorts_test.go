package catalog_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/dbtest"
)

// Looking whether the sorts of products have to follow reads a few entries of an index, however many products there are.
func TestFollowingNothingReadsFewProducts(t *testing.T) {
	url := dbtest.PlainStoreURL(t)
	store := dbtest.Open(t, db.Config{URL: url})
	tenant := dbtest.Account(t, store)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	run := func(sql string, args ...any) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	run("SET entrepot.tenant = '0'")
	const plenty = 5000
	run(`INSERT INTO products (tenant_id, id, sku, name, slug, description, status, price, media, attributes, search,
			variant_count, category_count, created_at, updated_at, changed_at)
		SELECT $1::BIGINT, gen_random_uuid(), 'S' || i, 'n', 's' || i, '', 'ACTIVE', 1, '[]', '{}', '', 0, 0, 1, 1, i
		FROM generate_series(1, $2::BIGINT) i`, tenant, plenty)
	run("INSERT INTO product_sorts_until (tenant_id, stamp) VALUES ($1, $2)", tenant, plenty-100)
	run("ANALYZE")
	entries := func() (n int64) {
		t.Helper()
		run("SELECT pg_stat_clear_snapshot()")
		err := conn.QueryRow(t.Context(), `SELECT sum(idx_tup_read)::BIGINT FROM pg_stat_user_indexes WHERE relname = 'products'`).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	node, err := db.Open(t.Context(), db.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	before := entries()
	if err := catalog.FollowSorts(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	node.Close() // its connections report what they read when they end
	read := int64(0)
	for range 200 {
		if read = entries() - before; read > 0 {
			break
		}
		run("SELECT pg_sleep(0.05)")
	}
	if read == 0 || read > 500 {
		t.Errorf("%d entries were read to find that 100 products have changed", read)
	}
}
