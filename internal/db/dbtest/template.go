package dbtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/db"
)

// The schema is created once per process and engine; every other store of the process is a copy of that one.

// sqliteTemplate is the content of a freshly migrated SQLite file.
var sqliteTemplate = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "entrepot-template-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := migrateNew(db.Config{Dir: dir, Unsafe: true}); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, db.File+"-wal")); !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("the migrated store still has a write-ahead log (%v): its file alone is no whole copy", err)
	}
	return os.ReadFile(filepath.Join(dir, db.File))
})

// copiedDatabase are the options of CREATE DATABASE for a copy of a freshly migrated database.
var copiedDatabase = sync.OnceValues(func() (options string, err error) {
	name, err := newDatabase(emptyDatabase)
	if err != nil {
		return "", err
	}
	if err := migrateNew(db.Config{URL: address(name)}); err != nil {
		return "", err
	}
	return copyOf(name)
})

// copyOf are the options of CREATE DATABASE for a copy of a database to which nobody is connected. Copying its files takes a third less
// processor time than writing them to the log, as PostgreSQL 15 and later do by default; older ones always copy the files.
func copyOf(name string) (options string, err error) {
	options = "TEMPLATE " + name
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, address("postgres"))
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	var strategies bool
	err = conn.QueryRow(ctx, "SELECT current_setting('server_version_num')::INT >= 150000").Scan(&strategies)
	if strategies {
		options += " STRATEGY FILE_COPY"
	}
	return options, err
}

// Copy is a copy of a store that nobody has open, with the same owner; it is deleted with the test.
func Copy(t testing.TB, c db.Config) db.Config {
	t.Helper()
	if c.URL == "" {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(c.Dir)); err != nil {
			t.Fatal(err)
		}
		c.Dir = dir
		return c
	}
	from, err := url.Parse(c.URL)
	if err != nil {
		t.Fatal(err)
	}
	options, err := copyOf(strings.TrimPrefix(from.Path, "/"))
	if err != nil {
		t.Fatalf("PostgreSQL for tests: %v", err)
	}
	to, err := url.Parse(testDatabase(t, options+" OWNER "+from.User.Username()))
	if err != nil {
		t.Fatal(err)
	}
	to.User = from.User
	c.URL = to.String()
	return c
}

// migrateNew creates the schema on an empty store and closes it.
func migrateNew(c db.Config) error {
	store, err := db.Open(context.Background(), c)
	if err != nil {
		return err
	}
	_, err = store.Migrate(context.Background())
	return errors.Join(err, store.Close())
}

// StoreURL returns the address of a new database with a migrated store without accounts, on the server of URL.
func StoreURL(t testing.TB) string {
	t.Helper()
	running(t)
	options, err := copiedDatabase()
	if err != nil {
		t.Fatalf("the migrated database that tests copy: %v", err)
	}
	return testDatabase(t, options)
}

// StoreDir returns a folder with a migrated SQLite store without accounts, which is deleted with the test.
func StoreDir(t testing.TB) string {
	t.Helper()
	content, err := sqliteTemplate()
	if err != nil {
		t.Fatalf("the migrated file that tests copy: %v", err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, db.File), content, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}
