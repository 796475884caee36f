package dbtest

import (
	"slices"
	"testing"

	"entrepot/internal/db"
)

func TestMain(m *testing.M) { Main(m) }

// schemas list what migrations make, one line each.
var schemas = map[string]string{
	"sqlite": "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY 1",
	"postgres": `SELECT * FROM (
		SELECT format('column %s %s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attoptions) AS line
			FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
			WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
		UNION ALL SELECT format('table %s %s %s %s', relname, relpersistence, relrowsecurity, relforcerowsecurity)
			FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
		UNION ALL SELECT format('constraint %s %s', conrelid::regclass, pg_get_constraintdef(oid))
			FROM pg_constraint WHERE connamespace = 'public'::regnamespace
		UNION ALL SELECT format('index %s', indexdef) FROM pg_indexes WHERE schemaname = 'public'
		UNION ALL SELECT format('policy %s %s', tablename, qual) FROM pg_policies WHERE schemaname = 'public') s ORDER BY line COLLATE "C"`,
}

// A copied store is what migrating an empty one makes, nothing is left to migrate in it, and no other copy sees what is written to it.
func TestCopiesAreWholeAndApart(t *testing.T) {
	for engine, config := range map[string]struct{ copied, other, empty db.Config }{
		"sqlite": {db.Config{Dir: StoreDir(t), Unsafe: true}, db.Config{Dir: StoreDir(t), Unsafe: true},
			db.Config{Dir: t.TempDir(), Unsafe: true}},
		"postgres": {db.Config{URL: StoreURL(t)}, db.Config{URL: StoreURL(t)}, db.Config{URL: URL(t)}},
	} {
		t.Run(engine, func(t *testing.T) {
			copied, err := db.Open(t.Context(), config.copied)
			if err != nil {
				t.Fatal(err)
			}
			defer copied.Close()
			if steps, err := copied.Migrate(t.Context()); steps != 0 || err != nil {
				t.Fatalf("a copy took %d steps, %v", steps, err)
			}
			migrated := Open(t, config.empty)
			got, want := lines(t, copied, schemas[engine]), lines(t, migrated, schemas[engine])
			if len(want) < 100 {
				t.Errorf("the schema has %d parts only", len(want))
			}
			if !slices.Equal(got, want) {
				t.Errorf("the copy has %d parts:\n%q\nmigrating makes %d:\n%q", len(got), got, len(want), want)
			}
			other := Open(t, config.other)
			Account(t, copied)
			const count = "SELECT CAST(count(*) AS TEXT) FROM tenants"
			if own, foreign := lines(t, copied, count), lines(t, other, count); own[0] != "1" || foreign[0] != "0" {
				t.Errorf("after an account was made in one copy it has %s, another has %s", own, foreign)
			}
		})
	}
}

// lines reads a statement's only column.
func lines(t *testing.T, store *db.DB, sql string) (list []string) {
	t.Helper()
	err := store.Read(t.Context(), db.Across, func(tx *db.Tx) error {
		return tx.Each(func(r db.Rows) error {
			var line string
			err := r.Scan(&line)
			list = append(list, line)
			return err
		}, sql)
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
