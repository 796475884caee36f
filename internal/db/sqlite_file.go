package db

import (
	"context"
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

// applicationID marks a SQLite file as a store of entrepot, in the header that SQLite keeps for that: "entr".
const applicationID = 0x656e7472

// sqliteMark is what every SQLite file begins with.
const sqliteMark = "SQLite format 3\x00"

// ErrNoStore means that there is no store where one must be.
var ErrNoStore = errors.New("there is no store")

// OpenExisting is Open for a store that must be there already. Errors: ErrNoStore, naming the place.
func OpenExisting(ctx context.Context, c Config) (*DB, error) {
	if c.URL == "" {
		if _, err := os.Stat(filepath.Join(c.Dir, File)); errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%w in %s: say where it is with --data or --database, or make one with entrepot serve", ErrNoStore, c.Dir)
		}
	}
	d, err := Open(ctx, c)
	if err != nil {
		return nil, err
	}
	made, err := d.Made(ctx)
	if err == nil && !made {
		where := "the database that --database names"
		if c.URL == "" {
			where = filepath.Join(c.Dir, File)
		}
		err = fmt.Errorf("%w in %s: it is empty; entrepot serve or entrepot migrate makes one", ErrNoStore, where)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Made reports whether the database holds a store at all, of whatever schema. It changes nothing.
func (d *DB) Made(ctx context.Context) (made bool, err error) {
	sql := "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'schema_versions'"
	if d.Engine() == "postgres" {
		sql = "SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = 'schema_versions'"
	}
	err = d.Read(ctx, Across, func(tx *Tx) error {
		var n int64
		err := tx.Row(sql, nil, &n)
		made = n > 0
		return err
	})
	return made, err
}

// claimFile makes sure that a path is, or becomes, a SQLite store of entrepot that only this user of the machine can read. A
// database of another program is left untouched.
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

// markFile writes the mark into a store that has none yet: a new one, or one of an older program.
func markFile(conn *sqliteConn) error {
	mark, err := conn.text("SELECT CAST(application_id AS TEXT) FROM pragma_application_id")
	if err != nil || mark == fmt.Sprint(applicationID) {
		return err
	}
	return conn.script(fmt.Sprintf("PRAGMA application_id = %d", applicationID))
}

// ownFile tells, without changing it, whether a SQLite file is a store of entrepot or still nothing.
func ownFile(path string) error {
	mark, err := markOf(path)
	if err != nil || mark == applicationID {
		return err
	}
	foreign := fmt.Errorf("%s is a database of another program, it is left untouched: name another folder with --data", path)
	if mark != 0 {
		return foreign
	}
	conn, err := openToLook(path)
	if err != nil {
		return fmt.Errorf("opening %s: %w", path, err)
	}
	defer conn.close()
	tables, err := conn.text(`SELECT CASE WHEN count(*) = 0 THEN 'none'
		WHEN sum(name = 'schema_versions') = 1 AND (count(*) = 1 OR sum(name = 'tenants') = 1) THEN 'ours' ELSE 'foreign' END
		FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
	switch {
	case err != nil:
		return fmt.Errorf("%s is no SQLite file: %w", path, err)
	case tables == "foreign":
		return foreign
	}
	return nil
}

// openToLook opens a SQLite file so that not even the files beside it are made: without a log, all there is is in the file itself.
func openToLook(path string) (*sqliteConn, error) {
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

// markOf reads the application's mark from the header of a SQLite file: 0 for an empty file or one without a mark. Errors: the file
// is no SQLite file.
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
	case errors.Is(err, io.ErrUnexpectedEOF), err == nil && string(header[:16]) != sqliteMark:
		return 0, fmt.Errorf("%s is no SQLite file, it is left untouched: name another folder with --data", path)
	case err != nil:
		return 0, err
	}
	return binary.BigEndian.Uint32(header[68:]), nil
}

// hideFile takes a file from the other users of this machine; one that is not there is no error.
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
