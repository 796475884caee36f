package sqlite

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"zombiezen.com/go/sqlite"

	"entrepot/internal/db/engine"
	"entrepot/internal/db/migrations"
)

// CopyFile writes a consistent copy of the SQLite store in a folder into a new file, while others may read and write
// the store. The copy holds what was committed at one moment and is on the disk when CopyFile returns; after an error
// there is no file.
func CopyFile(dir, to string) (err error) {
	from := filepath.Join(dir, File)
	if _, err := os.Stat(from); err != nil {
		return fmt.Errorf("there is no store in %s: say where it is with --data (%w)", dir, err)
	}
	if _, err := os.Lstat(to); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s exists already, it is not overwritten", to)
	}
	conn, err := openConn(from, "busy_timeout(15000)")
	if err != nil {
		return err
	}
	defer conn.close()
	part := to + ".part"
	os.Remove(part) // of an earlier copy that was interrupted
	defer func() {
		if err != nil {
			os.Remove(part)
		}
	}()
	// SQLite writes into an empty file, too. So the file is made first, unreadable for others from the start, and a
	// missing folder gets a clear error.
	empty, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := empty.Close(); err != nil {
		return err
	}
	if _, err := conn.Exec("VACUUM INTO $1", []any{part}); err != nil {
		return fmt.Errorf("copying the store: %w", err)
	}
	if err := addSum(part); err != nil {
		return err
	}
	if err := syncFile(part); err != nil {
		return err
	}
	if err := os.Rename(part, to); err != nil {
		return err
	}
	return syncFile(filepath.Dir(to))
}

func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// notRead says why a file cannot be read as a SQLite file. Trying again would not help, since no service uses the
// file.
func notRead(path string, err error) error {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultNotADB:
		return fmt.Errorf("%s is no SQLite file", path)
	case sqlite.ResultCorrupt:
		return fmt.Errorf("%s is damaged, or was not copied whole", path)
	}
	return fmt.Errorf("reading %s: %w", path, err)
}

// CheckFile reads a whole SQLite file without changing it. Errors: the file is damaged, or differs from what CopyFile
// wrote; it is no store with a schema that this program knows.
func CheckFile(path string) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	if err := refuseDump(path); err != nil {
		return err
	}
	if _, _, err := checkSum(path); err != nil {
		return err
	}
	conn, err := openWithoutLog(path)
	if err != nil {
		return err
	}
	defer conn.close()
	verdict, err := conn.text("PRAGMA integrity_check(1)")
	switch {
	case err != nil:
		return notRead(path, err)
	case verdict != "ok":
		return fmt.Errorf("%s is damaged: %s", path, verdict)
	}
	return conn.checkSchema(path, len(migrations.Known()))
}

// checkSchema is an error unless a program with a number of migrations can use the store; path names it.
func (c *conn) checkSchema(path string, have int) error {
	text, err := c.text("SELECT CAST(coalesce(max(version), 0) AS TEXT) FROM schema_versions")
	if err != nil {
		return fmt.Errorf("%s is no store of entrepot: %w", path, err)
	}
	version, err := strconv.Atoi(text)
	if err != nil || version <= have {
		return err
	}
	from := 0
	text, err = c.text(fmt.Sprintf("SELECT CAST(max(coalesce(compatible_from, version)) AS TEXT) FROM schema_versions WHERE version > %d", have))
	if err == nil {
		from, err = strconv.Atoi(text)
	}
	return errors.Join(err, migrations.Unknown(path, have, version, from))
}

// refuseDump is an error if the file is a copy of a PostgreSQL store.
func refuseDump(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	const dump = "PGDMP" // the first bytes of a file made by pg_dump
	mark := make([]byte, len(dump))
	if _, err := io.ReadFull(file, mark); err == nil && string(mark) == dump {
		return fmt.Errorf("%s is a copy of a PostgreSQL store: say into which database with --database", path)
	}
	return nil
}

// FileInUse reports whether another process has the SQLite store in a folder open; a missing store is not in use.
func FileInUse(dir string) (bool, error) {
	path := filepath.Join(dir, File)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	conn, err := openConn(path, "busy_timeout(500)", "locking_mode(EXCLUSIVE)")
	if err != nil {
		return false, err
	}
	defer conn.close()
	for _, sql := range []string{"BEGIN EXCLUSIVE", "COMMIT"} {
		if _, err := conn.Exec(sql, nil); err != nil {
			return errors.Is(err, engine.ErrRetry), ignoreBusy(err)
		}
	}
	return false, nil
}

func ignoreBusy(err error) error {
	if errors.Is(err, engine.ErrRetry) {
		return nil
	}
	return err
}

// Restore replaces the SQLite store of a folder, which no process may have open, by a copy made by CopyFile. An
// existing store is renamed; the result is its new name, "" for none.
func Restore(copyPath, dir string) (aside string, err error) {
	if err := CheckFile(copyPath); err != nil {
		return "", err
	}
	if busy, err := FileInUse(dir); err != nil || busy {
		return "", errors.Join(err, fmt.Errorf("a process has the store in %s open: stop it first", dir))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	place := filepath.Join(dir, File)
	part := place + ".part"
	length, _, err := checkSum(copyPath)
	if err == nil {
		err = copyBytes(copyPath, part, length)
	}
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(place); err == nil {
		aside = place + ".before-restore"
		for n := 2; exists(aside); n++ {
			aside = fmt.Sprintf("%s.before-restore-%d", place, n)
		}
		for _, suffix := range []string{"-wal", "-shm", ""} {
			if err := os.Rename(place+suffix, aside+suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
				return "", err
			}
		}
	}
	if err := os.Rename(part, place); err != nil {
		return aside, err
	}
	return aside, syncFile(dir)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// copyBytes copies the beginning of a file.
func copyBytes(from, to string, length int64) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.CopyN(out, in, length)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}
