package sqlite_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/db/sqlite"
)

// A store is not migrated on a disk that has no room for its copy; the message says how much is missing.
func TestNoMigrationWithoutRoomForTheCopy(t *testing.T) {
	dir := t.TempDir()
	store := openAt(t, dir)
	err := store.Write(t.Context(), 1, func(tx *db.Tx) error {
		tx.Queue("INSERT INTO change_clocks (tenant_id, base, last) VALUES (1, 0, 0)")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	store.Close()
	info, err := os.Stat(filepath.Join(dir, db.File))
	if err != nil {
		t.Fatal(err)
	}
	later, err := db.Open(t.Context(), db.Config{Dir: dir, Later: []db.Migration{db.NewMigration(1, "9001_later.sql", "CREATE TABLE later (n BIGINT);")}})
	if err != nil {
		t.Fatal(err)
	}
	defer later.Close()
	undo := sqlite.SetFree(64<<20 + uint64(info.Size()) - 1)
	_, err = later.Migrate(t.Context())
	undo()
	if err == nil || !strings.Contains(err.Error(), "make room") || !strings.Contains(err.Error(), dir) {
		t.Errorf("%v", err)
	}
	if ok, err := later.Current(t.Context()); ok || err != nil {
		t.Errorf("it was migrated: %v, %v", ok, err)
	}
	if n, err := later.Migrate(t.Context()); n != 1 || err != nil {
		t.Errorf("with room: %d, %v", n, err)
	}
}
