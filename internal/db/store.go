package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"entrepot/internal/db/engine"
	"entrepot/internal/db/migrations"
	"entrepot/internal/db/postgres"
	"entrepot/internal/db/sqlite"
)

// File is the name of SQLite's file in the data folder.
const File = sqlite.File

// ErrNoStore means that there is no store where one must be.
var ErrNoStore = engine.ErrNoStore

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
	err = d.Read(ctx, Across, func(tx *Tx) error {
		var n int64
		err := tx.Row(d.engine.Catalog().Made, nil, &n)
		made = n > 0
		return err
	})
	return made, err
}

// Security says whether row-level security of PostgreSQL keeps the accounts apart.
type Security = postgres.Security

// Security reads the state of row-level security and changes nothing. On SQLite it is the zero value: a file has no
// roles.
func (d *DB) Security(ctx context.Context) (Security, error) {
	if e, ok := d.engine.(*postgres.Engine); ok {
		return e.Security(ctx)
	}
	return Security{}, nil
}

// MayCome reports whether a store that could not be opened may be opened soon: its database server is not there yet,
// starts, or has no place for a connection.
func MayCome(err error) bool { return postgres.MayCome(err) }

// State is what a node reports of its store.
type State struct {
	Schema int  // version of the store's schema
	Known  int  // that of this program
	Takes  bool // the database takes writes: it is no standby
}

// State reads the state of the store.
func (d *DB) State(ctx context.Context) (s State, err error) {
	s.Known, s.Takes = len(migrations.Known()), true
	if s.Schema, err = d.version(ctx); err != nil || d.Engine() != "postgres" {
		return s, err
	}
	return s, d.Read(ctx, Across, func(tx *Tx) error { return tx.Row("SELECT NOT pg_is_in_recovery()", nil, &s.Takes) })
}

// Lax lists the settings of the database server with which a power cut may lose acknowledged changes. On SQLite there
// are none: the program makes them itself.
func (d *DB) Lax(ctx context.Context) ([]string, error) {
	if e, ok := d.engine.(*postgres.Engine); ok {
		return e.Lax(ctx)
	}
	return nil, nil
}

// Places returns how many connections the database server accepts, 0 if unknown and on SQLite, and how many of them a
// node may use.
func (d *DB) Places(ctx context.Context) (accepted, used int, err error) {
	if e, ok := d.engine.(*postgres.Engine); ok {
		accepted, err = e.Places(ctx)
	}
	return accepted, d.engine.Connections(), err
}

// InUse returns how many connections to the store this process uses at this moment, and how many it may use.
func (d *DB) InUse() (used, most int) { return d.engine.InUse(), d.engine.Connections() }

// Size is how many bytes the store's tables and indexes take.
func (tx *Tx) Size() (bytes int64, err error) {
	err = tx.Row(tx.db.engine.Catalog().Size, nil, &bytes)
	return bytes, err
}

// Copied is what a copy of a PostgreSQL store holds.
type Copied = postgres.Copied

// CopyDatabase writes a copy of the PostgreSQL store at an address into a file (package postgres).
func CopyDatabase(ctx context.Context, address, to string) (Copied, error) {
	return postgres.CopyDatabase(ctx, address, to)
}

// RestoreDatabase puts a copy made by CopyDatabase into the empty PostgreSQL database at an address (package postgres).
func RestoreDatabase(ctx context.Context, from, address string) (Copied, error) {
	return postgres.RestoreDatabase(ctx, from, address)
}

// ReadDatabaseCopy reads the whole file of a copy made by CopyDatabase, without a database (package postgres).
func ReadDatabaseCopy(ctx context.Context, path string) (Copied, error) {
	return postgres.ReadCopy(ctx, path)
}

// RoomForCopy returns an error if the disk of a folder has no room for a copy of the SQLite store in a data folder
// (package sqlite).
func RoomForCopy(dir, to string) error { return sqlite.RoomForCopy(dir, to) }

// CopyFile writes a copy of the SQLite store in a folder into a file (package sqlite).
func CopyFile(dir, to string) error { return sqlite.CopyFile(dir, to) }

// OwnFile returns an error if the SQLite file of a folder belongs to another program. A missing file is no error and
// is not created (package sqlite).
func OwnFile(dir string) error { return sqlite.OwnFile(dir) }

// CheckFile returns an error unless a SQLite file is undamaged and has a schema that this program knows (package
// sqlite).
func CheckFile(path string) error { return sqlite.CheckFile(path) }

// SumOf is the SHA-256 that a copy made by CopyFile has, "" without one (package sqlite).
func SumOf(path string) (string, error) { return sqlite.SumOf(path) }

// FileInUse reports whether another process has the SQLite store in a folder open (package sqlite).
func FileInUse(dir string) (bool, error) { return sqlite.FileInUse(dir) }

// Restore replaces the SQLite store of a folder by a copy made by CopyFile; renamed is the new name of the old store,
// "" for none (package sqlite).
func Restore(copyPath, dir string) (aside string, err error) { return sqlite.Restore(copyPath, dir) }
