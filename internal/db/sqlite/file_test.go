package sqlite_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/db/sqlite"
)

// A database of another program is refused and stays unchanged, byte for byte, with no new file beside it.
func TestForeignDatabaseIsLeftUntouched(t *testing.T) {
	for name, make := range map[string]func(t *testing.T, path string){
		"another program's tables": func(t *testing.T, path string) { foreign(t, path, "CREATE TABLE notes (text TEXT)") },
		"another program's mark":   func(t *testing.T, path string) { foreign(t, path, "PRAGMA application_id = 7") },
		"another program's schema list": func(t *testing.T, path string) {
			foreign(t, path, "CREATE TABLE schema_versions (v TEXT)", "CREATE TABLE x (y)")
		},
		"no database": func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(strings.Repeat("some text. ", 40)), 0o644); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, db.File)
			make(t, path)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			store, err := db.Open(t.Context(), db.Config{Dir: dir})
			if err == nil {
				store.Close()
				t.Fatal("it was opened")
			}
			if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "untouched") {
				t.Errorf("the message says not which file or what becomes of it: %v", err)
			}
			after, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(before, after) {
				t.Errorf("the file was changed: %v", err)
			}
			if entries, _ := os.ReadDir(dir); len(entries) != 1 {
				t.Errorf("files were made beside it: %v", entries)
			}
		})
	}
}

// A store of an older program, which wrote no mark into the header, is taken and marked.
func TestStoreWithoutMarkIsTaken(t *testing.T) {
	dir := t.TempDir()
	if err := openAt(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, db.File)
	foreign(t, path, "PRAGMA application_id = 0")
	for range 2 {
		if err := openAt(t, dir).Close(); err != nil {
			t.Fatal(err)
		}
	}
	if header, err := os.ReadFile(path); err != nil || string(header[68:72]) != "entr" {
		t.Errorf("the header's mark is %q, %v", header[68:72], err)
	}
}

// Nobody else can read the store's files, whatever the folder's mode and whatever was there before.
func TestStoreIsHiddenFromOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes of files mean nothing on Windows")
	}
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	hidden := func(when string) {
		t.Helper()
		for _, suffix := range []string{"", "-wal", "-shm"} {
			info, err := os.Stat(filepath.Join(dir, db.File+suffix))
			if err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s: %s: %v %v", when, db.File+suffix, info.Mode(), err)
			}
		}
	}
	first := openAt(t, dir)
	hidden("a new store")
	if err := os.Chmod(filepath.Join(dir, db.File), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, db.File+"-wal"), 0o644); err != nil {
		t.Fatal(err)
	}
	second := openAt(t, dir)
	hidden("a store that was readable")
	if err := errors.Join(second.Close(), first.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestOpenExistingMakesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "nothing here")
	if _, err := db.OpenExisting(t.Context(), db.Config{Dir: dir}); !errors.Is(err, db.ErrNoStore) || !strings.Contains(err.Error(), dir) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder was made: %v", err)
	}
}

func foreign(t *testing.T, path string, statements ...string) {
	t.Helper()
	if err := sqlite.RunOnFile(path, statements...); err != nil {
		t.Fatal(err)
	}
}
