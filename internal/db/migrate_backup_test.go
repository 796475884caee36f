package db_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// migrated opens a store with migrations after this program's own, each with a line that it declares, runs them and
// closes the store.
func migrated(t *testing.T, c db.Config, declared ...string) error {
	t.Helper()
	for i, line := range declared {
		text := fmt.Sprintf("%s\nCREATE TABLE later_%d (n BIGINT);", line, i+1)
		c.Later = append(c.Later, db.NewMigration(i+1, fmt.Sprintf("90%02d_later.sql", i+1), text))
	}
	store, err := db.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	_, err = store.Migrate(t.Context())
	return err
}

// A SQLite store with accounts is copied beside itself before it is migrated, and a line of the log names the copy, which
// restore takes. The newest two copies stay. A store without accounts is not copied.
func TestSQLiteStoreIsCopiedBeforeItIsMigrated(t *testing.T) {
	var log bytes.Buffer
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c := db.Config{Dir: t.TempDir(), Log: slog.New(slog.NewTextHandler(&log, nil)), Now: func() time.Time { return at }}
	copies := func() []string {
		found, err := filepath.Glob(filepath.Join(c.Dir, db.File+".schema-*"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if err := migrated(t, c); err != nil {
		t.Fatal(err)
	}
	if err := migrated(t, c, ""); err != nil || len(copies()) > 0 {
		t.Fatalf("a store without accounts: %v, %v", err, copies())
	}
	store, err := db.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	clock(t, store, 1)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	for n := 2; n <= 4; n++ {
		at = at.Add(time.Minute)
		if err := migrated(t, c, make([]string, n)...); err != nil {
			t.Fatal(err)
		}
	}
	left := copies()
	if len(left) != 2 || strings.Count(log.String(), "the store was copied before its migration") != 3 ||
		!strings.HasSuffix(left[1], "-20260301T120300Z") || !strings.Contains(log.String(), left[1]) {
		t.Fatalf("%v\n%s", left, log.String())
	}
	back := db.Config{Dir: t.TempDir()}
	if _, err := db.Restore(left[1], back.Dir); err != nil {
		t.Fatal(err)
	}
	if store, err = db.Open(t.Context(), back); err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if n := countOf(t, store, "SELECT count(*) FROM change_clocks"); n != 1 {
		t.Errorf("%d accounts in the copy", n)
	}
	if n := countOf(t, store, "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'later_%'"); n != 3 {
		t.Errorf("the copy has %d later tables instead of the 3 from before the migration", n)
	}
}

// On PostgreSQL a migration that rewrites tables waits for the word of somebody who has a backup; others do not, nor
// does a store without accounts.
func TestRewritingMigrationAsksForABackup(t *testing.T) {
	c := db.Config{URL: dbtest.URL(t), MinWait: dbtest.Timeout}
	const rewrites = "-- rewrites: orders, order_lines"
	if err := migrated(t, c, rewrites); err != nil {
		t.Fatalf("a store without accounts: %v", err)
	}
	store := dbtest.Open(t, c)
	clock(t, store, 1)
	if err := migrated(t, c, rewrites, ""); err != nil {
		t.Fatalf("a migration that rewrites nothing: %v", err)
	}
	for range 2 {
		err := migrated(t, c, rewrites, "", rewrites)
		if err == nil || !strings.Contains(err.Error(), "--yes-i-have-a-backup") || !strings.Contains(err.Error(), "orders, order_lines") {
			t.Fatalf("%v", err)
		}
	}
	c.HasBackup = true
	if err := migrated(t, c, rewrites, "", rewrites); err != nil {
		t.Error(err)
	}
}

// An older program takes the copy of a newer store exactly if it could serve that store.
func TestCopiesOfANewerSchema(t *testing.T) {
	for declared, fits := range map[string]bool{"": true, "-- compatible-from: 9999": false} {
		c := db.Config{Dir: t.TempDir(), Unsafe: true}
		if err := migrated(t, c, "", declared); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "copy.db")
		if err := db.CopyFile(c.Dir, file); err != nil {
			t.Fatal(err)
		}
		if err := db.CheckFile(file); (err == nil) != fits || err != nil && !strings.Contains(err.Error(), "use a newer entrepot") {
			t.Errorf("SQLite, %q: %v", declared, err)
		}
		c = db.Config{URL: dbtest.URL(t), MinWait: dbtest.Timeout}
		if err := migrated(t, c, "", declared); err != nil {
			t.Fatal(err)
		}
		file = filepath.Join(t.TempDir(), "copy.pgdump")
		if _, err := db.CopyDatabase(t.Context(), c.URL, file); err != nil {
			t.Fatal(err)
		}
		_, err := db.RestoreDatabase(t.Context(), file, dbtest.URL(t))
		if (err == nil) != fits || err != nil && !strings.Contains(err.Error(), "use a newer entrepot") {
			t.Errorf("PostgreSQL, %q: %v", declared, err)
		}
	}
}
