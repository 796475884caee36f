package db_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/db/migrations"
)

// A store records which migrations made it. One that was made by other texts under the same numbers is refused, with what to do; so is
// one of a newer program, and one of a development version.
func TestMigrationsAreThoseOfTheStore(t *testing.T) {
	for engine, config := range map[string]db.Config{"sqlite": {Dir: t.TempDir(), Unsafe: true},
		"postgres": {URL: dbtest.URL(t), MinWait: dbtest.Timeout}} {
		t.Run(engine, func(t *testing.T) {
			store, err := db.Open(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			known := migrations.Known()
			if n, err := store.Migrate(t.Context()); n != len(known) || err != nil {
				t.Fatalf("%d steps, %v", n, err)
			}
			script := func(sql string) {
				t.Helper()
				if err := store.Script(t.Context(), sql); err != nil {
					t.Fatal(err)
				}
			}
			refused := func(what, sql string) {
				t.Helper()
				script(sql)
				if n, err := store.Migrate(t.Context()); n != 0 || err == nil || !strings.Contains(err.Error(), what) {
					t.Errorf("%d steps, %v; want %q", n, err, what)
				}
			}
			refused(known[1].Name, "UPDATE schema_versions SET checksum = 'edited' WHERE version = 2;")
			script("UPDATE schema_versions SET checksum = '" + known[1].Checksum + "' WHERE version = 2;")
			refused("use a newer entrepot", "INSERT INTO schema_versions (version, name, checksum) VALUES (99, 'x', 'y');")
			refused("from before 0.1.0", "UPDATE schema_versions SET checksum = 'edited' WHERE version = 1;")
		})
	}
}

// Each migration of an older store is logged when it begins; a new store logs none.
func TestMigrationsOfAnOlderStoreAreLogged(t *testing.T) {
	for engine, config := range map[string]db.Config{"sqlite": {Dir: t.TempDir(), Unsafe: true},
		"postgres": {URL: dbtest.URL(t), MinWait: dbtest.Timeout}} {
		t.Run(engine, func(t *testing.T) {
			var log bytes.Buffer
			config.Log = slog.New(slog.NewTextHandler(&log, nil))
			store, err := db.Open(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			if _, err := store.Migrate(t.Context()); err != nil || strings.Contains(log.String(), "migrating") {
				t.Fatalf("%v: %s", err, log.String())
			}
			known := migrations.Known()
			last := known[len(known)-1]
			err = store.Script(t.Context(), fmt.Sprintf("DELETE FROM schema_versions WHERE version = %d;", last.Version))
			if err != nil {
				t.Fatal(err)
			}
			_, _ = store.Migrate(t.Context()) // it fails, since what it would create is there
			if n := strings.Count(log.String(), "migrating the store"); n != 1 || !strings.Contains(log.String(), last.Name) {
				t.Errorf("%d migrations were logged: %s", n, log.String())
			}
		})
	}
}

// A process that dies behind its last migration leaves the planner without statistics of the new indexes, and the new tables without
// protection: the next one makes up for it.
func TestWhatFollowsMigrationsIsMadeUpFor(t *testing.T) {
	for engine, c := range map[string]struct {
		config     db.Config
		done, undo string
	}{
		"sqlite": {db.Config{Dir: t.TempDir(), Unsafe: true}, "SELECT count(*) FROM sqlite_stat1 WHERE idx = 'jobs_ended'",
			"DELETE FROM sqlite_stat1 WHERE idx = 'jobs_ended';"},
		"postgres": {db.Config{URL: dbtest.URL(t), MinWait: dbtest.Timeout},
			"SELECT count(*) FROM pg_class WHERE oid = to_regclass('jobs') AND relrowsecurity",
			"ALTER TABLE jobs DISABLE ROW LEVEL SECURITY; DROP POLICY tenant ON jobs; " +
				"ALTER TABLE jobs ALTER COLUMN tenant_id RESET (n_distinct);"},
	} {
		t.Run(engine, func(t *testing.T) {
			store, err := db.Open(t.Context(), c.config)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			for range 2 {
				if _, err := store.Migrate(t.Context()); err != nil {
					t.Fatal(err)
				}
				if n := countOf(t, store, c.done); n != 1 {
					t.Fatalf("%d of 1", n)
				}
				if err := store.Script(t.Context(), c.undo); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func countOf(t *testing.T, store *db.DB, sql string) (n int64) {
	t.Helper()
	if err := store.Read(t.Context(), db.Across, func(tx *db.Tx) error { return tx.Row(sql, nil, &n) }); err != nil {
		t.Fatal(err)
	}
	return n
}
