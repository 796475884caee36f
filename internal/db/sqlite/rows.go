package sqlite

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"entrepot/internal/db/engine"
)

// rows iterates over the rows of a statement, which is busy until they are closed.
type rows struct {
	conn *conn
	stmt *statement // nil when closed
	err  error
}

// Next moves to the next row; false at the end and after an error.
func (r *rows) Next() bool {
	if r.stmt == nil {
		return false
	}
	r.conn.yield()
	more, err := r.stmt.Step()
	if c := r.conn; c.durability != nil && c.seen == 0 {
		c.seen = c.durability.last()
	}
	if more {
		return true
	}
	r.err = meaning(err)
	r.Close()
	return false
}

// A yielding read pauses after yieldEvery, as far as it notices between rows: a running goroutine keeps its processor
// for ten milliseconds, and the system favours a thread that has just woken up over one that never sleeps.
const (
	yieldEvery = 300 * time.Microsecond
	yieldFor   = 50 * time.Microsecond
	lookEvery  = 8 // rows
)

// yield lets others have the processor if a yielding read has had it for long enough.
func (c *conn) yield() {
	if c.rested.IsZero() {
		return
	}
	if c.rows++; c.rows%lookEvery != 0 || time.Since(c.rested) < yieldEvery {
		return
	}
	time.Sleep(yieldFor)
	c.rested = time.Now()
}

// Scan stores the values of the row in the targets, one for each column.
func (r *rows) Scan(into ...any) error {
	if r.stmt == nil {
		return errors.New("db: Scan without a row")
	}
	if columns := r.stmt.ColumnCount(); columns != len(into) {
		return fmt.Errorf("db: %d places for %d columns", len(into), columns)
	}
	for i, place := range into {
		if err := r.Column(i, place); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

// Column stores a value of the row in a target: a pointer to a string, integer, boolean, bytes or one of their named
// types, or to such a pointer, which becomes nil for NULL.
func (r *rows) Column(i int, place any) (err error) {
	switch p := place.(type) {
	case *string:
		*p, err = r.text(i)
		return err
	case *int64:
		*p, err = r.int64(i)
		return err
	case *[]byte:
		if b := r.AppendBytes(nil, i); len(b) > 0 {
			*p = b
		}
		return nil
	case engine.ColumnTarget:
		return p.FromColumn(r, i)
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
	case reflect.Pointer: // **T: NULL becomes nil
		if r.Null(i) {
			v.SetZero()
			return nil
		}
		fresh := reflect.New(v.Type().Elem())
		v.Set(fresh)
		return r.Column(i, fresh.Interface())
	}
	return fmt.Errorf("db: %T is no place to scan into", place)
}

var (
	errNull     = errors.New("db: NULL where a value must be")
	errNoNumber = errors.New("db: NULL, or a text, where a number must be")
)

// Null reports whether a column of the row is NULL.
func (r *rows) Null(i int) bool { return r.stmt.ColumnIsNull(i) }

// AppendBytes appends a text or bytes to what stands in memory already.
func (r *rows) AppendBytes(to []byte, i int) []byte {
	n := r.stmt.ColumnLen(i)
	to = slices.Grow(to, n)
	r.stmt.ColumnBytes(i, to[len(to):len(to)+n])
	return to[:len(to)+n]
}

func (r *rows) text(i int) (string, error) {
	text := r.conn.textOf(r.stmt, i)
	if text == "" && r.stmt.ColumnIsNull(i) {
		return "", errNull
	}
	return text, nil
}

func (r *rows) int64(i int) (int64, error) {
	n := r.stmt.ColumnInt64(i)
	if n == 0 && r.stmt.ColumnType(i) != sqlite.TypeInteger {
		return 0, errNoNumber
	}
	return n, nil
}

// Err is the error that ended the rows early.
func (r *rows) Err() error { return r.err }

// Close ends the statement.
func (r *rows) Close() {
	if r.stmt != nil {
		r.conn.end(r.stmt)
		r.stmt = nil
	}
}
