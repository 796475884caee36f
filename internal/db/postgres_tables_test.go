package db_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// On PostgreSQL a statement that forgets the tenant sees nothing, one that names another account sees nothing of this one, and
// nothing can be written into another account.
func TestRowLevelSecurity(t *testing.T) {
	url := dbtest.URL(t)
	ctx := context.Background()
	admin, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(ctx)
	if _,
		err := admin.Exec(ctx, "DROP ROLE IF EXISTS merchant; CREATE ROLE merchant LOGIN; GRANT ALL ON SCHEMA public TO merchant"); err != nil {
		t.Fatal(err)
	}
	asMerchant := strings.Replace(url, "postgres@", "merchant@", 1)
	store, err := db.Open(ctx, db.Config{URL: asMerchant, MinWait: dbtest.Timeout})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := store.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	clock(t, store, 1)
	clock(t, store, 2)
	seen := func(tenant id.Tenant, sql string) (n int) {
		t.Helper()
		if err := store.Read(ctx, tenant, func(tx *db.Tx) error { return tx.Row(sql, nil, &n) }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const careless = "SELECT count(*) FROM order_numbers"
	if n := seen(1, careless); n != 1 {
		t.Errorf("a statement without the tenant sees %d rows of its account and others, want its own 1", n)
	}
	if n := seen(3, careless); n != 0 {
		t.Errorf("an account without rows sees %d", n)
	}
	if n := seen(db.Across, careless); n != 2 {
		t.Errorf("a transaction across accounts sees %d, want 2", n)
	}
	err = store.Write(ctx, 1, func(tx *db.Tx) error {
		_, err := tx.Exec("INSERT INTO order_numbers (tenant_id, next) VALUES (9, 1)")
		return err
	})
	if err == nil {
		t.Error("an account wrote into another")
	}
	raw, err := pgx.Connect(ctx, asMerchant)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close(ctx)
	var n int
	if err := raw.QueryRow(ctx, careless).Scan(&n); err != nil || n != 0 {
		t.Errorf("a connection that names no account sees %d rows, %v", n, err)
	}
	var open []string
	rows, err := admin.Query(ctx, `SELECT c.table_name::TEXT FROM information_schema.columns c
		JOIN pg_class k ON k.oid = to_regclass(c.table_name)
		WHERE c.table_schema = 'public' AND c.column_name = 'tenant_id' AND NOT (k.relrowsecurity AND k.relforcerowsecurity)`)
	if err != nil {
		t.Fatal(err)
	}
	if open, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil || len(open) > 0 {
		t.Errorf("tables without a policy: %v, %v", open, err)
	}
}

// A statement looks up its account's name once, whatever the number of rows.
func TestPoliciesLookUpTheAccountOnce(t *testing.T) {
	url := dbtest.PlainStoreURL(t)
	store := dbtest.Open(t, db.Config{URL: url})
	clock(t, store, 1)
	owner, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(context.Background())
	once := func() bool {
		t.Helper()
		var plan []string
		err := store.Read(t.Context(), 1, func(tx *db.Tx) error {
			return tx.Each(func(r db.Rows) error {
				var line string
				err := r.Scan(&line)
				plan = append(plan, line)
				return err
			}, "EXPLAIN (VERBOSE) SELECT count(*) FROM order_numbers")
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range plan {
			if strings.Contains(line, "Filter:") && strings.Contains(line, "current_setting") {
				return false
			}
		}
		return strings.Contains(strings.Join(plan, "\n"), "InitPlan")
	}
	if !once() {
		t.Error("a new store looks up the name for each row")
	}
}

// The texts of searches are stored as they are: a search would spend more time on unpacking them than on anything else.
func TestTextsOfSearchesAreNotCompressed(t *testing.T) {
	store := dbtest.Open(t, db.Config{URL: dbtest.StoreURL(t)})
	var plain int64
	err := store.Read(t.Context(), db.Across, func(tx *db.Tx) error {
		return tx.Row(`SELECT count(*) FROM pg_attribute WHERE attrelid = 'search_blocks'::regclass AND attname IN ('body', 'keys')
			AND attstorage = 'e'`, nil, &plain)
	})
	if err != nil || plain != 2 {
		t.Errorf("%d of 2 columns, %v", plain, err)
	}
}
