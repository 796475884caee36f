package sqlite

import (
	"path/filepath"
	"slices"
	"testing"

	"entrepot/internal/db/engine"
)

// do runs statements in one transaction of the writer.
func do(t testing.TB, e *Engine, statements ...string) {
	t.Helper()
	err := e.Write(t.Context(), 1, engine.Normal, func(s engine.Session) ([]*engine.Step, error) {
		for _, sql := range statements {
			if _, err := s.Exec(sql, nil); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	if err != nil {
		t.Error(err)
	}
}

// anotherProcess is a connection as another program would have it.
func anotherProcess(t *testing.T, e *Engine) *conn {
	t.Helper()
	other, err := openConn(filepath.Join(e.dir, File), "synchronous(OFF)", "busy_timeout(15000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.close() })
	return other
}

// A version stays the same while others read, write other tables and copy the log. It is another one after each
// commit that changed one of its tables, after one that defined tables, and after any of another process.
func TestVersionsAreOfTables(t *testing.T) {
	store := opened(t, Config{Unsafe: true})
	do(t, store, "CREATE TABLE others (n BIGINT)")
	version := func() engine.Version {
		t.Helper()
		v, known := store.Version("marks", "more")
		if !known {
			t.Fatal("not known, though nobody writes")
		}
		return v
	}
	seen := map[engine.Version]string{}
	changed := func(after string) {
		t.Helper()
		v := version()
		if before, known := seen[v]; known {
			t.Errorf("after %s the version is that after %s", after, before)
		}
		seen[v] = after
	}
	same := func(after string, do func() error) {
		t.Helper()
		before := version()
		if err := do(); err != nil {
			t.Fatalf("%s: %v", after, err)
		}
		if version() != before {
			t.Errorf("%s: another version", after)
		}
	}
	other := anotherProcess(t, store)
	changed("opening")
	for range 20 {
		do(t, store, "INSERT INTO marks (n) VALUES (1)")
		changed("an insertion")
		same("reading", func() error { _, err := marks(t, store); return err })
		same("another table", func() error { do(t, store, "INSERT INTO others (n) VALUES (1)"); return nil })
		same("nothing", func() error { do(t, store); return nil })
		do(t, store, "INSERT INTO others (n) VALUES (2)", "WITH v(n) AS (VALUES (2)) UPDATE marks SET n = v.n FROM v")
		changed("an update")
		same("copying", func() error { _, err := other.copyLog(); return err })
		if err := other.script("UPDATE others SET n = n + 1"); err != nil {
			t.Fatal(err)
		}
		changed("a commit of another process")
		same("one of another process that was undone", func() error { return other.script("BEGIN; UPDATE marks SET content = 'z'; ROLLBACK") })
		do(t, store, "INSERT INTO others (n) VALUES (3)")
		changed("a commit after that of another process")
		same("another table after that", func() error { do(t, store, "INSERT INTO others (n) VALUES (4)"); return nil })
		do(t, store, "DELETE FROM marks")
		changed("a deletion")
		do(t, store, "CREATE TABLE IF NOT EXISTS further (n BIGINT)")
		changed("a definition")
		if err := store.Script(t.Context(), "UPDATE others SET n = 0; UPDATE marks SET n = 0"); err != nil {
			t.Fatal(err)
		}
		changed("a script")
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, known := store.Version(); known {
		t.Error("known of a closed store")
	}
}

func TestTablesThatAStatementChanges(t *testing.T) {
	for sql, want := range map[string][]string{
		"SELECT a FROM b":     nil,
		"BEGIN IMMEDIATE":     nil,
		"COMMIT":              nil,
		"PRAGMA data_version": nil,
		"INSERT INTO a (b) VALUES (1) ON CONFLICT (b) DO UPDATE SET b = 2": {"a"},
		`INSERT INTO "a" SELECT b FROM c`:                                  {"a"},
		"UPDATE a SET b = (SELECT c FROM d)":                               {"a"},
		"DELETE FROM a WHERE b IN (SELECT b FROM c)":                       {"a"},
		"WITH v AS (SELECT 1) INSERT INTO a SELECT * FROM v":               {"a"},
		"WITH v AS (SELECT 1) SELECT * FROM v":                             nil,
		"WITH d AS (DELETE FROM a RETURNING b) UPDATE c SET e = 1":         {"a", "c"},
		"CREATE TABLE a (b)":                                               {anyTable},
		"ALTER TABLE a ADD b":                                              {anyTable},
		"REPLACE INTO a VALUES (1)":                                        {anyTable},
		"INSERT OR IGNORE INTO a VALUES (1)":                               {anyTable},
		"DROP INDEX a":                                                     {anyTable},
	} {
		if got := changedBy(sql); !slices.Equal(got, want) {
			t.Errorf("%s: %q, wanted %q", sql, got, want)
		}
	}
}
