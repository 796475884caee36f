package db

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	_ "modernc.org/sqlite" // prepares the library
	sqlite "modernc.org/sqlite/lib"

	"entrepot/internal/id"
)

// sqliteConn is one connection with its own prepared statements, keyed by the text before translation. It speaks to the library
// without database/sql, whose drivers copy every value twice and lock the connection for each; so only one goroutine may use it
// at a time.
type sqliteConn struct {
	tls   *libc.TLS
	db    uintptr
	out   uintptr // room for one pointer that the library gives
	stmts map[string]*sqliteStmt
	cells []cell // reused between calls

	written bool // something was written since it was last set to false

	shore *shore // of a reader: where it asks how much of what it sees may not be on the disk yet
	seen  int64  // the newest group that it may see
}

// sqliteStmt is a prepared statement and which argument each of its placeholders takes.
type sqliteStmt struct {
	handle uintptr
	order  []int
	writes bool // it is no SELECT
	locks  bool // on PostgreSQL it locks what it reads
	busy   bool // its rows are being walked
	once   bool // it is not kept
	texts  uintptr
	room   int // bytes at texts
}

const (
	maxStatements = 400       // bounds a connection's cache; lists with many filters make many texts
	maxTexts      = 256 << 10 // bytes that a statement keeps for the texts it is given
)

// openConn opens a SQLite file; settings are pragmas such as "busy_timeout(15000)", in the order they are to be made.
func openConn(path string, settings ...string) (*sqliteConn, error) {
	return openConnAs(path, sqlite.SQLITE_OPEN_READWRITE|sqlite.SQLITE_OPEN_CREATE, settings...)
}

// openConnToRead opens a SQLite file that must exist, without changing it.
func openConnToRead(path string, settings ...string) (*sqliteConn, error) {
	return openConnAs(path, sqlite.SQLITE_OPEN_READONLY, settings...)
}

func openConnAs(path string, flags int32, settings ...string) (*sqliteConn, error) {
	patientLocks()
	c := &sqliteConn{tls: libc.NewTLS(), stmts: map[string]*sqliteStmt{}}
	c.out = libc.Xmalloc(c.tls, types.Size_t(unsafe.Sizeof(uintptr(0))))
	name, err := libc.CString(path)
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(c.tls, name)
	rc := sqlite.Xsqlite3_open_v2(c.tls, name, c.out, flags|sqlite.SQLITE_OPEN_NOMUTEX, 0)
	if c.db = c.given(); rc == sqlite.SQLITE_OK {
		rc = sqlite.Xsqlite3_extended_result_codes(c.tls, c.db, 1)
	}
	if rc != sqlite.SQLITE_OK {
		err := c.fault(rc)
		c.close()
		return nil, err
	}
	for _, s := range settings {
		if err := c.script("PRAGMA " + s); err != nil {
			c.close()
			return nil, fmt.Errorf("%s: %w", s, err)
		}
	}
	return c, nil
}

// memory is what lies at an address of the library's own memory, which the garbage collector neither moves nor frees.
func memory(address uintptr, n int) []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&address))), n)
}

// given is the pointer that the library has just put into c.out.
func (c *sqliteConn) given() uintptr {
	return *(*uintptr)(unsafe.Pointer(unsafe.SliceData(memory(c.out, int(unsafe.Sizeof(uintptr(0)))))))
}

func (c *sqliteConn) close() error {
	for _, s := range c.stmts {
		c.finalize(s)
	}
	rc := sqlite.Xsqlite3_close_v2(c.tls, c.db)
	libc.Xfree(c.tls, c.out)
	c.tls.Close()
	if rc != sqlite.SQLITE_OK {
		return &sqliteError{int(rc), "closing the store"}
	}
	return nil
}

func (c *sqliteConn) finalize(s *sqliteStmt) {
	sqlite.Xsqlite3_finalize(c.tls, s.handle)
	if s.texts != 0 {
		libc.Xfree(c.tls, s.texts)
	}
}

// prepare finds or makes a statement that is not busy.
func (c *sqliteConn) prepare(sql string) (*sqliteStmt, error) {
	kept := c.stmts[sql]
	if kept != nil && !kept.busy {
		return kept, nil
	}
	text, order := sqliteText(sql)
	code, err := libc.CString(text)
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(c.tls, code)
	if rc := sqlite.Xsqlite3_prepare_v3(c.tls, c.db, code, int32(len(text)+1), sqlite.SQLITE_PREPARE_PERSISTENT, c.out, 0); rc != sqlite.SQLITE_OK {
		return nil, c.fault(rc)
	}
	s := &sqliteStmt{handle: c.given(), order: order, writes: !strings.HasPrefix(strings.TrimSpace(text), "SELECT"),
		locks: strings.Contains(sql, " FOR UPDATE") || strings.Contains(sql, " FOR SHARE"), once: kept != nil}
	if s.once {
		return s, nil
	}
	if len(c.stmts) >= maxStatements {
		for text, old := range c.stmts {
			if !old.busy {
				c.finalize(old)
				delete(c.stmts, text)
			}
		}
	}
	c.stmts[sql] = s
	return s, nil
}

// script runs statements without arguments.
func (c *sqliteConn) script(sql string) error {
	code, err := libc.CString(sql)
	if err != nil {
		return err
	}
	defer libc.Xfree(c.tls, code)
	if rc := sqlite.Xsqlite3_exec(c.tls, c.db, code, 0, 0, 0); rc != sqlite.SQLITE_OK {
		return c.fault(rc)
	}
	return nil
}

// cell is one value on its way into a statement.
type cell struct {
	kind reflect.Kind // Int64, String, Slice for bytes, or Invalid for NULL
	n    int64
	text string
}

// cellOf reads an argument: a string, an integer, a boolean, one of their named types, a pointer to one, bytes, or nil.
func cellOf(a any) (cell, error) {
	switch v := a.(type) {
	case nil:
		return cell{}, nil
	case string:
		return cell{kind: reflect.String, text: v}, nil
	case int64:
		return cell{kind: reflect.Int64, n: v}, nil
	case int:
		return cell{kind: reflect.Int64, n: int64(v)}, nil
	case []byte:
		return cell{kind: reflect.Slice, text: string(v)}, nil
	case bool:
		if v {
			return cell{kind: reflect.Int64, n: 1}, nil
		}
		return cell{kind: reflect.Int64}, nil
	}
	switch v := reflect.ValueOf(a); v.Kind() {
	case reflect.String:
		return cell{kind: reflect.String, text: v.String()}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return cell{kind: reflect.Int64, n: v.Int()}, nil
	case reflect.Bool:
		return cellOf(v.Bool())
	case reflect.Pointer:
		if v.IsNil() {
			return cell{}, nil
		}
		return cellOf(v.Elem().Interface())
	}
	return cell{}, fmt.Errorf("db: %T is no value for a column", a)
}

// bind gives a statement its arguments. Texts are copied once, side by side, into memory that stays until the next run.
func (c *sqliteConn) bind(s *sqliteStmt, args []any) error {
	c.cells = c.cells[:0]
	size := 1
	for _, n := range s.order {
		if n >= len(args) {
			return fmt.Errorf("db: $%d without an argument", n+1)
		}
		v, err := cellOf(args[n])
		if err != nil {
			return err
		}
		size += len(v.text)
		c.cells = append(c.cells, v)
	}
	if size > s.room || s.room > maxTexts && size <= maxTexts {
		libc.Xfree(c.tls, s.texts)
		s.texts, s.room = libc.Xmalloc(c.tls, types.Size_t(size)), size
	}
	texts, at := memory(s.texts, s.room), 0
	for i := range c.cells {
		v, place, rc := &c.cells[i], int32(i+1), int32(0)
		switch v.kind {
		case reflect.Int64:
			rc = sqlite.Xsqlite3_bind_int64(c.tls, s.handle, place, v.n)
		case reflect.String:
			copy(texts[at:], v.text)
			rc = sqlite.Xsqlite3_bind_text(c.tls, s.handle, place, s.texts+uintptr(at), int32(len(v.text)), sqlite.SQLITE_STATIC)
			at += len(v.text)
		case reflect.Slice:
			copy(texts[at:], v.text)
			rc = sqlite.Xsqlite3_bind_blob(c.tls, s.handle, place, s.texts+uintptr(at), int32(len(v.text)), sqlite.SQLITE_STATIC)
			at += len(v.text)
		default:
			rc = sqlite.Xsqlite3_bind_null(c.tls, s.handle, place)
		}
		if rc != sqlite.SQLITE_OK {
			return c.fault(rc)
		}
	}
	clear(c.cells) // let go of the texts
	return nil
}

// ready finds a statement and gives it its arguments.
func (c *sqliteConn) ready(sql string, args []any) (*sqliteStmt, error) {
	s, err := c.prepare(sql)
	if err != nil {
		return nil, err
	}
	if err := c.bind(s, args); err != nil {
		c.end(s)
		return nil, err
	}
	return s, nil
}

// end makes a statement ready for its next run.
func (c *sqliteConn) end(s *sqliteStmt) {
	if s.busy = false; s.once {
		c.finalize(s)
		return
	}
	sqlite.Xsqlite3_reset(c.tls, s.handle)
}

func (c *sqliteConn) exec(sql string, args []any) (int64, error) {
	s, err := c.ready(sql, args)
	if err != nil {
		return 0, err
	}
	defer c.end(s)
	rc := sqlite.Xsqlite3_step(c.tls, s.handle)
	for rc == sqlite.SQLITE_ROW {
		rc = sqlite.Xsqlite3_step(c.tls, s.handle)
	}
	if rc != sqlite.SQLITE_DONE {
		return 0, sqliteMeaning(c.fault(rc))
	}
	n := sqlite.Xsqlite3_changes64(c.tls, c.db)
	c.written = c.written || n > 0
	return n, nil
}

func (c *sqliteConn) query(sql string, args []any) (Rows, error) {
	s, err := c.ready(sql, args)
	if err != nil {
		return nil, err
	}
	c.written = c.written || s.writes
	s.busy = true
	return &sqliteRows{conn: c, stmt: s}, nil
}

func (c *sqliteConn) send(steps []*Step) error {
	for _, s := range steps {
		n, err := c.exec(s.sql, s.args)
		if err != nil {
			return s.meaning(err)
		}
		if s.rows >= 0 && n != s.rows {
			return s.miss
		}
	}
	return nil
}

// answer runs one question: there is nothing to save by sending several.
func (c *sqliteConn) answer(asked []*Question) int {
	asked[0].read(c.query(asked[0].sql, asked[0].args))
	return 1
}

func (c *sqliteConn) last() {}

// lockClock: the writer is alone anyway.
func (c *sqliteConn) lockClock(id.Tenant) error { return nil }

// text reads one text.
func (c *sqliteConn) text(sql string) (text string, err error) {
	rows, err := c.query(sql, nil)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	if rows.Next() {
		err = rows.Scan(&text)
	}
	return text, errors.Join(err, rows.Err())
}

// sqliteError is what the library says went wrong.
type sqliteError struct {
	code int // extended
	text string
}

func (e *sqliteError) Error() string { return fmt.Sprintf("%s (SQLite %d)", e.text, e.code) }

func (c *sqliteConn) fault(rc int32) error {
	if c.db == 0 {
		return &sqliteError{int(rc), "out of memory"}
	}
	return &sqliteError{int(rc), libc.GoString(sqlite.Xsqlite3_errmsg(c.tls, c.db))}
}

// SQLite's result codes that the engine reacts to.
const (
	sqliteBusy       = sqlite.SQLITE_BUSY
	sqliteIO         = sqlite.SQLITE_IOERR
	sqliteConstraint = sqlite.SQLITE_CONSTRAINT
	sqliteUnique     = sqlite.SQLITE_CONSTRAINT_UNIQUE
	sqlitePrimary    = sqlite.SQLITE_CONSTRAINT_PRIMARYKEY
)

func sqliteCode(err error) int {
	var e *sqliteError
	if errors.As(err, &e) {
		return e.code
	}
	return 0
}

// sqliteMeaning tells a lock that another process holds, and a store that is full, failing, damaged or away, from faults of a statement.
func sqliteMeaning(err error) error {
	switch sqliteCode(err) & 0xff {
	case sqliteBusy:
		return fmt.Errorf("%w: %w", Retry, err)
	case sqlite.SQLITE_READONLY, sqlite.SQLITE_IOERR, sqlite.SQLITE_CORRUPT, sqlite.SQLITE_FULL, sqlite.SQLITE_CANTOPEN, sqlite.SQLITE_NOTADB,
		sqlite.SQLITE_NOMEM:
		return unavailable(err)
	}
	return err
}
