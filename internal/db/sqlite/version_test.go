package sqlite

import (
	"path/filepath"
	"testing"

	"entrepot/internal/db/engine"
)

// The version stays the same while others read and the log is copied, and is another one after each commit, also of another process.
func TestVersionsAreOfCommits(t *testing.T) {
	store := opened(t, Config{Unsafe: true})
	version := func() engine.Version {
		t.Helper()
		v, known := store.Version()
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
	other, err := openConn(filepath.Join(store.dir, File), "synchronous(OFF)")
	if err != nil {
		t.Fatal(err)
	}
	defer other.close()
	changed("opening")
	for i := range 20 {
		if err := mark(t, store, i, "x"); err != nil {
			t.Fatal(err)
		}
		changed("a commit")
		same("reading", func() error { _, err := marks(t, store); return err })
		if err := other.script("UPDATE marks SET content = content || 'y' WHERE n = 0"); err != nil {
			t.Fatal(err)
		}
		changed("a commit of another connection")
		same("a commit undone", func() error { return other.script("BEGIN; UPDATE marks SET content = 'z'; ROLLBACK") })
		same("copying", func() error { _, err := other.copyLog(); return err })
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, known := store.Version(); known {
		t.Error("known of a closed store")
	}
}
