package backups_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entrepot/internal/backups"
	"entrepot/internal/base/bucket"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// source is a SQLite store in a folder of its own.
func source(t *testing.T) backups.Source {
	t.Helper()
	dir := t.TempDir()
	store, err := db.Open(t.Context(), db.Config{Dir: dir, Unsafe: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return backups.Source{Dir: dir}
}

// folder is a bucket in a folder, and its path.
func folder(t *testing.T) (bucket.Bucket, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "backups")
	b, err := bucket.Open(dir, bucket.S3{})
	if err != nil {
		t.Fatal(err)
	}
	return b, dir
}

// list are the names in a folder.
func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Old backups are removed with their checksums, and files of others stay. The backup just made stays even if the clock
// was set back, and one of an interrupted run is removed.
func TestTheNewestBackupsStay(t *testing.T) {
	from := source(t)
	to, dir := folder(t)
	make := func(keep int, at time.Time) {
		t.Helper()
		if _, err := backups.Make(t.Context(), from, to, keep, "", at); err != nil {
			t.Fatal(err)
		}
	}
	make(2, noon)
	for _, name := range []string{"holiday.jpg", "entrepot-20200101T000000Z.db", ".entrepot-backup-entrepot-20260228T120000Z.db.part",
		"entrepot-20190101T000000Z.db.sha256"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for hour := 1; hour <= 3; hour++ {
		make(2, noon.Add(time.Duration(hour)*time.Hour))
	}
	want := []string{"entrepot-20200101T000000Z.db", // it has no checksum: whatever it is, it is not ours to remove
		"entrepot-20260301T140000Z.db", "entrepot-20260301T140000Z.db.sha256",
		"entrepot-20260301T150000Z.db", "entrepot-20260301T150000Z.db.sha256", "holiday.jpg"}
	if names := list(t, dir); !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	make(1, noon.Add(-time.Hour))
	if names, err := backups.List(t.Context(), to); err != nil ||
		!slices.Equal(names, []string{"entrepot-20260301T110000Z.db", "entrepot-20260301T150000Z.db"}) {
		t.Errorf("after the clock was set back: %v, %v", names, err)
	}
}

// A backup that fails leaves nothing behind and removes nothing.
func TestFailedBackupLeavesTheOthers(t *testing.T) {
	from := source(t)
	to, dir := folder(t)
	if _, err := backups.Make(t.Context(), from, to, 1, "", noon); err != nil {
		t.Fatal(err)
	}
	before := list(t, dir)
	if _, err := backups.Make(t.Context(), from, to, 1, "", noon); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("in the same second: %v", err)
	}
	if _, err := backups.Make(t.Context(), backups.Source{Dir: t.TempDir()}, to, 1, "", noon.Add(time.Hour)); err == nil {
		t.Error("a store that is not there was backed up")
	}
	if after := list(t, dir); !slices.Equal(before, after) {
		t.Errorf("%v instead of %v", after, before)
	}
}

// A check finds a backup that is missing, damaged, exchanged or that breaks a rule, and leaves no file.
func TestCheckFindsABadBackup(t *testing.T) {
	from := source(t)
	temp := t.TempDir()
	to, dir := folder(t)
	if _, err := backups.Check(t.Context(), to, temp, ""); !errors.Is(err, backups.ErrNone) || !strings.Contains(err.Error(), dir) {
		t.Errorf("no backup: %v", err)
	}
	made, err := backups.Make(t.Context(), from, to, 1, "", noon)
	if err != nil {
		t.Fatal(err)
	}
	checked, err := backups.Check(t.Context(), to, temp, "")
	if err != nil || !checked.Verified || checked.Name != made.Name || checked.Bytes != made.Bytes || !checked.At.Equal(noon) {
		t.Errorf("%+v, %v", checked, err)
	}
	path := filepath.Join(dir, made.Name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := slices.Clone(text)
	other[len(other)/2] ^= 1
	for name, c := range map[string]struct {
		file []byte
		sum  string
		want string
	}{
		"a changed byte":                 {other, made.SHA256, "damaged"},
		"cut off":                        {text[:len(text)/2], made.SHA256, "damaged"},
		"changed together with the sum":  {other, "", "damaged"},
		"something else with a good sum": {[]byte("hello"), "", "SQLite"},
	} {
		if err := os.WriteFile(path, c.file, 0o600); err != nil {
			t.Fatal(err)
		}
		if c.sum == "" {
			c.sum = sum(t, c.file)
		}
		if err := os.WriteFile(path+".sha256", []byte(c.sum+"  "+made.Name+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		checked, err := backups.Check(t.Context(), to, temp, "")
		if err == nil || !strings.Contains(err.Error(), c.want) || checked.Name != made.Name {
			t.Errorf("%s: %+v, %v", name, checked, err)
		}
	}
	if left := list(t, temp); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := os.Remove(path + ".sha256"); err != nil {
		t.Fatal(err)
	}
	if _, err := backups.Check(t.Context(), to, temp, ""); !errors.Is(err, backups.ErrNone) {
		t.Errorf("a backup without a checksum: %v", err)
	}
}

// When a task is due: at the beginning, a while after a failure, else a period after the last good run began. A check
// waits for a backup, and one that failed is repeated for the next backup.
func TestWhenTasksAreDue(t *testing.T) {
	const day = 24 * time.Hour
	good := backups.State{Task: backups.BackupTask, Every: day, TriedAt: noon, DoneAt: noon}
	failed := good
	failed.TriedAt, failed.Error = noon.Add(day), "no room"
	often := failed
	often.Every = time.Minute
	for name, c := range map[string]struct {
		s    backups.State
		want time.Time
	}{
		"never":                {backups.State{Task: backups.BackupTask, Every: day}, time.Time{}},
		"good":                 {good, noon.Add(day)},
		"failed":               {failed, noon.Add(day + 10*time.Minute)},
		"failed, every minute": {often, noon.Add(day + time.Minute)},
	} {
		if due := c.s.DueAt(); !due.Equal(c.want) {
			t.Errorf("%s: %s, want %s", name, due, c.want)
		}
	}
	check := backups.State{Task: backups.CheckTask, Every: 7 * day, TriedAt: noon, DoneAt: noon}
	bad := check
	bad.Error = "damaged"
	for name, c := range map[string]struct {
		s    backups.Status
		want time.Time
	}{
		"no backup":       {backups.Status{}, time.Time{}},
		"first":           {backups.Status{Backup: good}, noon},
		"good":            {backups.Status{Backup: good, Check: check}, noon.Add(7 * day)},
		"bad":             {backups.Status{Backup: good, Check: bad}, noon.Add(time.Hour)},
		"bad, then a new": {backups.Status{Backup: backups.State{DoneAt: noon.Add(time.Minute)}, Check: bad}, noon.Add(time.Minute)},
	} {
		if due := c.s.NextCheck(); !due.Equal(c.want) {
			t.Errorf("check, %s: %s, want %s", name, due, c.want)
		}
	}
	for after, late := range map[time.Duration]bool{2 * day: false, 2*day + 1: true} {
		if got := good.Late(noon.Add(after)); got != late {
			t.Errorf("late after %s: %v", after, got)
		}
	}
}

// One node at a time has a task. When it dies, another one takes the task after the lease; what the first says then
// counts no more. A backup that failed leaves the last good one known.
func TestOneNodeHasATask(t *testing.T) {
	now := noon
	dbtest.EnginesAt(t, func() time.Time { return now }, func(t *testing.T, store *db.DB) {
		now = noon
		write := func(work func(tx *db.Tx) error) {
			t.Helper()
			if err := store.Write(t.Context(), db.Across, work); err != nil {
				t.Fatal(err)
			}
		}
		claim := func(s backups.State) (run backups.State, ok bool) {
			t.Helper()
			write(func(tx *db.Tx) (err error) {
				run, ok, err = s.Claim(tx, time.Minute)
				return err
			})
			return run, ok
		}
		known := func() backups.State {
			t.Helper()
			s, err := backups.Look(t.Context(), store, "")
			if err != nil {
				t.Fatal(err)
			}
			return s.Backup
		}
		first := known()
		first.Every, first.Place = time.Hour, "/backups"
		mine, ok := claim(first)
		if _, twice := claim(first); !ok || twice {
			t.Fatalf("%v, a second node: %v", ok, twice)
		}
		if _, early := claim(known()); early {
			t.Error("another node took the task within the lease")
		}
		now = now.Add(2 * time.Minute)
		theirs, ok := claim(known())
		if !ok {
			t.Fatal("nobody takes over")
		}
		mine.File, theirs.File, theirs.Bytes, theirs.Took = "mine", "theirs", 7, time.Second
		write(mine.End)
		write(theirs.End)
		want := backups.State{Task: backups.BackupTask, Every: time.Hour, TriedAt: now, DoneAt: now, Place: "/backups", File: "theirs", Bytes: 7,
			Took: time.Second}
		if got := known(); got != want {
			t.Errorf("%+v\nwant %+v", got, want)
		}
		now = now.Add(time.Hour)
		again, ok := claim(known())
		if !ok {
			t.Fatal("the next run is not taken")
		}
		again.Error = "no room"
		write(again.End)
		want.TriedAt, want.Error, want.Took = now, "no room", again.Took
		if got := known(); got != want {
			t.Errorf("%+v\nwant %+v", got, want)
		}
	})
}

// sum is the SHA-256 of a text as sha256sum prints it.
func sum(t *testing.T, text []byte) string {
	t.Helper()
	return fmt.Sprintf("%x", sha256.Sum256(text))
}
