package db

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	sqlite "modernc.org/sqlite/lib"
)

// sqliteRows walks the rows of a statement, which is busy until they are closed.
type sqliteRows struct {
	conn *sqliteConn
	stmt *sqliteStmt // nil once closed
	err  error
}

func (r *sqliteRows) Next() bool {
	if r.stmt == nil {
		return false
	}
	c := r.conn
	rc := sqlite.Xsqlite3_step(c.tls, r.stmt.handle)
	if c.shore != nil && c.seen == 0 {
		c.seen = c.shore.last()
	}
	if rc == sqlite.SQLITE_ROW {
		return true
	}
	if rc != sqlite.SQLITE_DONE {
		r.err = sqliteMeaning(c.fault(rc))
	}
	r.Close()
	return false
}

func (r *sqliteRows) Scan(into ...any) error {
	if r.stmt == nil {
		return errors.New("db: Scan without a row")
	}
	for i, place := range into {
		if err := r.column(i, place); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	if n := int(sqlite.Xsqlite3_column_count(r.conn.tls, r.stmt.handle)); n != len(into) {
		return fmt.Errorf("db: %d places for %d columns", len(into), n)
	}
	return nil
}

// column puts a value of the row into a place.
func (r *sqliteRows) column(i int, place any) (err error) {
	switch p := place.(type) {
	case *string:
		*p, err = r.text(i)
		return err
	case *int64:
		*p, err = r.int64(i)
		return err
	case *[]byte:
		at := sqlite.Xsqlite3_column_blob(r.conn.tls, r.stmt.handle, int32(i))
		if n := int(sqlite.Xsqlite3_column_bytes(r.conn.tls, r.stmt.handle, int32(i))); n > 0 {
			*p = bytes.Clone(memory(at, n))
		}
		return nil
	case columnPlace:
		return p.fromColumn(r, i)
	}
	v := reflect.ValueOf(place)
	if v.Kind() != reflect.Pointer {
		return fmt.Errorf("db: %T is no place to scan into", place)
	}
	switch v = v.Elem(); v.Kind() {
	case reflect.String:
		text, err := r.text(i)
		v.SetString(text)
		return err
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := r.int64(i)
		v.SetInt(n)
		return err
	case reflect.Bool:
		n, err := r.int64(i)
		v.SetBool(n != 0)
		return err
	case reflect.Pointer: // **T: NULL is nil
		if r.null(i) {
			v.SetZero()
			return nil
		}
		fresh := reflect.New(v.Type().Elem())
		v.Set(fresh)
		return r.column(i, fresh.Interface())
	}
	return fmt.Errorf("db: %T is no place to scan into", place)
}

// columnPlace is a place that reads a column itself.
type columnPlace interface {
	fromColumn(r *sqliteRows, i int) error
}

var errNull = errors.New("db: NULL where a value must be")

func (r *sqliteRows) null(i int) bool {
	return sqlite.Xsqlite3_column_type(r.conn.tls, r.stmt.handle, int32(i)) == sqlite.SQLITE_NULL
}

func (r *sqliteRows) text(i int) (string, error) {
	at := sqlite.Xsqlite3_column_text(r.conn.tls, r.stmt.handle, int32(i))
	if at == 0 {
		return "", errNull
	}
	return string(memory(at, int(sqlite.Xsqlite3_column_bytes(r.conn.tls, r.stmt.handle, int32(i))))), nil
}

func (r *sqliteRows) int64(i int) (int64, error) {
	n := sqlite.Xsqlite3_column_int64(r.conn.tls, r.stmt.handle, int32(i))
	if n == 0 {
		if kind := sqlite.Xsqlite3_column_type(r.conn.tls, r.stmt.handle, int32(i)); kind != sqlite.SQLITE_INTEGER {
			return 0, fmt.Errorf("%w, or one that is no number", errNull)
		}
	}
	return n, nil
}

func (r *sqliteRows) Err() error { return r.err }

func (r *sqliteRows) Close() {
	if r.stmt != nil {
		r.conn.end(r.stmt)
		r.stmt = nil
	}
}
