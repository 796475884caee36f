package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"

	"zombiezen.com/go/sqlite"
)

// applicationID marks a SQLite file as a store of entrepot, in the header field that SQLite provides for that: "entr".
const applicationID = 0x656e7472

// fileMark is the beginning of every SQLite file.
const fileMark = "SQLite format 3\x00"

// claimFile makes a path a SQLite store of entrepot that other users of the machine cannot read. A database of another
// program is an error and stays unchanged.
func claimFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		return file.Close()
	}
	if !errors.Is(err, os.ErrExist) {
		return err
	}
	if err := ownFile(path); err != nil {
		return err
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := hideFile(path + suffix); err != nil {
			return err
		}
	}
	return nil
}

// markFile writes the mark into a new store.
func (c *conn) markFile() error {
	mark, err := c.text("SELECT CAST(application_id AS TEXT) FROM pragma_application_id")
	if err != nil || mark == fmt.Sprint(applicationID) {
		return err
	}
	return c.script(fmt.Sprintf("PRAGMA application_id = %d", applicationID))
}

// OwnFile is ownFile for the store in a data folder; a missing store is no error.
func OwnFile(dir string) error {
	err := ownFile(filepath.Join(dir, File))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// ownFile is an error unless a SQLite file is a store of entrepot or empty. The file stays unchanged.
func ownFile(path string) error {
	mark, err := markOf(path)
	if err != nil || mark == applicationID {
		return err
	}
	foreign := fmt.Errorf("%s is a database of another program, it is left untouched: name another folder with --data", path)
	if mark != 0 {
		return foreign
	}
	conn, err := openWithoutLog(path)
	if err != nil {
		return fmt.Errorf("opening %s: %w", path, err)
	}
	defer conn.close()
	tables, err := conn.text(`SELECT CASE WHEN count(*) = 0 THEN 'none'
		WHEN sum(name = 'schema_versions') = 1 AND (count(*) = 1 OR sum(name = 'tenants') = 1) THEN 'ours' ELSE 'foreign' END
		FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
	switch {
	case err != nil:
		return notRead(path, err)
	case tables == "foreign":
		return foreign
	}
	return nil
}

// openWithoutLog opens a SQLite file without creating its log and index files. If there is no log, the file itself
// has everything.
func openWithoutLog(path string) (*conn, error) {
	if exists(path + "-wal") {
		return openConnToRead(path, "busy_timeout(15000)")
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	uri := url.URL{Scheme: "file", Path: filepath.ToSlash(absolute), RawQuery: "immutable=1"}
	return openConnAs(uri.String(), sqlite.OpenReadOnly|sqlite.OpenURI, "busy_timeout(15000)")
}

// markOf reads the application's mark from the header of a SQLite file: 0 for an empty file or one without a mark.
// Errors: it is no SQLite file.
func markOf(path string) (uint32, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	header := make([]byte, 100)
	switch n, err := io.ReadFull(file, header); {
	case n == 0 && errors.Is(err, io.EOF):
		return 0, nil
	case errors.Is(err, io.ErrUnexpectedEOF), err == nil && string(header[:16]) != fileMark:
		return 0, fmt.Errorf("%s is no SQLite file, it is left untouched: name another folder with --data", path)
	case err != nil:
		return 0, err
	}
	return binary.BigEndian.Uint32(header[68:]), nil
}

// hideFile makes a file unreadable for other users of this machine; a missing file is no error.
func hideFile(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) || runtime.GOOS == "windows" {
		return nil
	}
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return fmt.Errorf("%s can be read by other users of this machine, and that could not be changed: %w", path, err)
	}
	return nil
}
