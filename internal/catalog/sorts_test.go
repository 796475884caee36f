package catalog_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/dbtest"
	"entrepot/internal/id"
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
	node, err := db.Open(t.Context(), db.Config{URL: url, MinWait: dbtest.Patience})
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

// Sorts that must be updated at once are updated also when the stamps are ahead of the clock, as they are after many
// changes in a short time.
func TestSortsFollowStampsAheadOfTheClock(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		const ahead, n = int64(time.Hour / time.Microsecond), 3
		err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
			for i := range n {
				tx.Queue(`INSERT INTO products (tenant_id, id, sku, name, slug, description, status, price, media, attributes, search,
					variant_count, category_count, created_at, updated_at, changed_at)
					VALUES ($1,$2,$3,'n',$3,'','ACTIVE',1,'[]','{}','',0,0,0,0,$4)`, tx.Tenant, id.New[id.Product](), fmt.Sprint("S-", i),
					tx.Micros()+ahead+int64(i))
			}
			return nil
		})
		if err == nil {
			err = catalog.FollowSort(t.Context(), store, tenant, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		err = store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			var sorted int
			err := tx.Row("SELECT count(*) FROM product_sorts WHERE tenant_id = $1", []any{tx.Tenant}, &sorted)
			if sorted != n {
				t.Errorf("%d of %d products are sorted", sorted, n)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
