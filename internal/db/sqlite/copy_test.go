package sqlite_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"entrepot/internal/db"
)

func openAt(t *testing.T, dir string) *db.DB {
	t.Helper()
	store, err := db.Open(t.Context(), db.Config{Dir: dir, Unsafe: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return store
}

// A copy taken while others write holds whole transactions: both halves of each, or neither.
func TestCopyIsConsistentWhileOthersWrite(t *testing.T) {
	dir := t.TempDir()
	store := openAt(t, dir)
	stop := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		for n := int64(1); ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			err := store.Write(t.Context(), 7, func(tx *db.Tx) error {
				tx.Queue("INSERT INTO order_numbers (tenant_id, next) VALUES ($1, $2)", n, n)
				tx.Queue("INSERT INTO change_clocks (tenant_id, base, last) VALUES ($1, $2, $2)", n, n)
				return nil
			})
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	for i := range 3 {
		to := filepath.Join(t.TempDir(), "copy.db")
		if err := db.CopyFile(dir, to); err != nil {
			t.Fatal(err)
		}
		missing := filepath.Join(t.TempDir(), "missing", "copy.db")
		if err := db.CopyFile(dir, missing); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), missing) {
			t.Errorf("a folder that is not there: %v", err)
		}
		if info, err := os.Stat(to); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the copy's mode: %v %v", info, err)
		}
		if err := db.CopyFile(dir, to); err == nil {
			t.Fatal("an existing file was overwritten")
		}
		if err := db.CheckFile(to); err != nil {
			t.Fatal(err)
		}
		target := t.TempDir()
		if aside, err := db.Restore(to, target); err != nil || aside != "" {
			t.Fatalf("%q %v", aside, err)
		}
		restored := openAt(t, target)
		var numbers, clocks int64
		err := restored.Read(t.Context(), 7, func(tx *db.Tx) error {
			return errors.Join(tx.Row("SELECT count(*) FROM order_numbers", nil, &numbers),
				tx.Row("SELECT count(*) FROM change_clocks", nil, &clocks))
		})
		if err != nil || numbers != clocks || i > 0 && numbers == 0 {
			t.Errorf("copy %d: %d order numbers, %d clocks, %v", i, numbers, clocks, err)
		}
		if err := restored.Close(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	writing.Wait()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestRestoreSparesAStoreThatIsOpen(t *testing.T) {
	dir, copied := t.TempDir(), filepath.Join(t.TempDir(), "copy.db")
	store := openAt(t, dir)
	if err := db.CopyFile(dir, copied); err != nil {
		t.Fatal(err)
	}
	if busy, err := db.FileInUse(dir); !busy || err != nil {
		t.Fatalf("an open store: %v %v", busy, err)
	}
	if _, err := db.Restore(copied, dir); err == nil {
		t.Fatal("a store was replaced under a process that has it open")
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if busy, err := db.FileInUse(dir); busy || err != nil {
		t.Fatalf("a closed store: %v %v", busy, err)
	}
	aside, err := db.Restore(copied, dir)
	if err != nil || db.CheckFile(aside) != nil || db.CheckFile(filepath.Join(dir, db.File)) != nil {
		t.Fatalf("%q %v", aside, err)
	}
	if second, err := db.Restore(copied, dir); err != nil || second == aside {
		t.Fatalf("%q %v", second, err)
	}
}

// A copy that cannot be read is not taken for a store that is away for a moment: trying again does not help.
func TestCheckSaysWhatIsWrongWithACopy(t *testing.T) {
	dir := t.TempDir()
	if err := openAt(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, db.File))
	if err != nil {
		t.Fatal(err)
	}
	for want, content := range map[string][]byte{
		"is damaged, or was not copied whole": whole[:5000],
		"is no SQLite file":                   []byte(strings.Repeat("a note of somebody ", 300)),
	} {
		file := filepath.Join(t.TempDir(), "copy.db")
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := db.CheckFile(file); err == nil || err.Error() != file+" "+want {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestCheckRefusesWhatIsNoStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	if err := os.WriteFile(path, []byte("this is no database, whatever its name says, and it is long enough to look like one............"),
		0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{path, filepath.Join(t.TempDir(), "missing.db")} {
		if err := db.CheckFile(file); err == nil {
			t.Errorf("%s passed", file)
		}
	}
}

// Every bit of a copy that is flipped is noticed, also one in what the copy's own checks never look at.
func TestFlippedBitsAreNoticed(t *testing.T) {
	dir, copied := t.TempDir(), filepath.Join(t.TempDir(), "copy.db")
	if err := openAt(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.CopyFile(dir, copied); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(copied)
	if err != nil {
		t.Fatal(err)
	}
	end := len(whole)
	bits := []int{0, 8*end - 1, 8*end - 8, 8*(end-1) - 3, 8*(end-64) + 1, 8*(end-88) + 4, 8*(end-89) + 2, 8 * (end - 90), 8*17 + 4, 8*100 + 2}
	for range 50 {
		bits = append(bits, rand.IntN(8*end))
	}
	for _, bit := range bits {
		flipped := slices.Clone(whole)
		flipped[bit/8] ^= 1 << (bit % 8)
		file, into := filepath.Join(t.TempDir(), "copy.db"), t.TempDir()
		if err := os.WriteFile(file, flipped, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Restore(file, into); err == nil {
			t.Errorf("bit %d of byte %d of %d was not noticed", bit%8, bit/8, end)
		}
	}
	for _, cut := range []int{end - 1, end - 89, end - 4096, end / 2} {
		file := filepath.Join(t.TempDir(), "copy.db")
		if err := os.WriteFile(file, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Restore(file, t.TempDir()); err == nil && cut != end-89 {
			t.Errorf("a copy cut to %d of %d bytes was not noticed", cut, end)
		}
	}
	into := t.TempDir()
	if _, err := db.Restore(copied, into); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(into, db.File)); err != nil || info.Size()%512 != 0 {
		t.Errorf("the restored file has %d bytes: %v", info.Size(), err)
	}
}
