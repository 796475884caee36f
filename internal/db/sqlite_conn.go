package db

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"zombiezen.com/go/sqlite"

	"entrepot/internal/id"
)

// sqliteConn is one connection with its own prepared statements, keyed by the text before translation. Only one goroutine may use it
// at a time.
type sqliteConn struct {
	*sqlite.Conn
	stmts map[string]*sqliteStmt

	written bool // something was written since it was last set to false

	durability *durability // of a reader: where it asks how much of what it sees may not be on the disk yet
	seen       int64       // the newest group that it may see
}

// sqliteStmt is a prepared statement and which argument each of its placeholders takes.
type sqliteStmt struct {
	*sqlite.Stmt
	order  []int
	writes bool // it is no SELECT
	locks  bool // on PostgreSQL it locks what it reads
	busy   bool // its rows are being walked
	once   bool // it is not kept
}

// maxStatements bounds a connection's cache; lists with many filters make many texts.
const maxStatements = 400

// openConn opens a SQLite file; settings are pragmas such as "busy_timeout(15000)", in the order they are to be made.
func openConn(path string, settings ...string) (*sqliteConn, error) {
	return openConnAs(path, sqlite.OpenReadWrite|sqlite.OpenCreate, settings...)
}

// openConnToRead opens a SQLite file that must exist, without changing it.
func openConnToRead(path string, settings ...string) (*sqliteConn, error) {
	return openConnAs(path, sqlite.OpenReadOnly, settings...)
}

func openConnAs(path string, flags sqlite.OpenFlags, settings ...string) (*sqliteConn, error) {
	conn, err := sqlite.OpenConn(path, flags)
	if err != nil {
		return nil, err
	}
	c := &sqliteConn{Conn: conn, stmts: map[string]*sqliteStmt{}}
	for _, s := range settings {
		if err := c.script("PRAGMA " + s); err != nil {
			c.close()
			return nil, fmt.Errorf("%s: %w", s, err)
		}
	}
	return c, nil
}

func (c *sqliteConn) close() error {
	for _, s := range c.stmts {
		s.Finalize()
	}
	return c.Close()
}

// prepare finds or makes a statement that is not busy.
func (c *sqliteConn) prepare(sql string) (*sqliteStmt, error) {
	kept := c.stmts[sql]
	if kept != nil && !kept.busy {
		return kept, nil
	}
	text, order := sqliteText(sql)
	stmt, _, err := c.PrepareTransient(text)
	if err != nil {
		return nil, sqliteMeaning(err)
	}
	s := &sqliteStmt{Stmt: stmt, order: order, writes: !strings.HasPrefix(strings.TrimSpace(text), "SELECT"),
		locks: strings.Contains(sql, " FOR UPDATE") || strings.Contains(sql, " FOR SHARE"), once: kept != nil}
	if s.once {
		return s, nil
	}
	if len(c.stmts) >= maxStatements {
		for text, old := range c.stmts {
			if !old.busy {
				old.Finalize()
				delete(c.stmts, text)
			}
		}
	}
	c.stmts[sql] = s
	return s, nil
}

// script runs statements without arguments, one after the other.
func (c *sqliteConn) script(sql string) error {
	for sql = strings.TrimSpace(sql); sql != ""; {
		stmt, rest, err := c.PrepareTransient(sql)
		if err != nil {
			return sqliteMeaning(err)
		}
		for more := stmt.BindParamCount() == 0; more && err == nil; {
			more, err = stmt.Step()
		}
		stmt.Finalize()
		if err != nil {
			return sqliteMeaning(err)
		}
		sql = strings.TrimSpace(sql[len(sql)-rest:])
	}
	return nil
}

// bind gives a statement its arguments: strings, integers, booleans, their named types, pointers to them, bytes, or nil.
func (c *sqliteConn) bind(s *sqliteStmt, args []any) error {
	for i, n := range s.order {
		if n >= len(args) {
			return fmt.Errorf("db: $%d without an argument", n+1)
		}
		if err := s.bind(i+1, args[n]); err != nil {
			return err
		}
	}
	return nil
}

func (s *sqliteStmt) bind(place int, value any) error {
	switch v := value.(type) {
	case nil:
		s.BindNull(place)
		return nil
	case string:
		s.BindText(place, v)
		return nil
	case int64:
		s.BindInt64(place, v)
		return nil
	case int:
		s.BindInt64(place, int64(v))
		return nil
	case []byte:
		s.BindBytes(place, v)
		return nil
	case bool:
		s.BindBool(place, v)
		return nil
	}
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.String:
		s.BindText(place, v.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.BindInt64(place, v.Int())
	case reflect.Bool:
		s.BindBool(place, v.Bool())
	case reflect.Pointer:
		if v.IsNil() {
			s.BindNull(place)
			return nil
		}
		return s.bind(place, v.Elem().Interface())
	default:
		return fmt.Errorf("db: %T is no value for a column", value)
	}
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
		s.Finalize()
		return
	}
	s.Reset() // says again what Step has said
}

func (c *sqliteConn) exec(sql string, args []any) (int64, error) {
	s, err := c.ready(sql, args)
	if err != nil {
		return 0, err
	}
	defer c.end(s)
	for more := true; more; {
		if more, err = s.Step(); err != nil {
			return 0, sqliteMeaning(err)
		}
	}
	n := int64(c.Changes())
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
		if s.name { // the writer is alone anyway
			continue
		}
		n, err := c.run(s)
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
func (c *sqliteConn) answer(pending []*PendingRead) int {
	pending[0].read(c.query(pending[0].sql, pending[0].args))
	return 1
}

func (c *sqliteConn) last() {}

// run runs one step and reports how many rows it touched, or found.
func (c *sqliteConn) run(s *Step) (n int64, err error) {
	if !s.reads {
		return c.exec(s.sql, s.args)
	}
	rows, err := c.query(s.sql, s.args)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		n++
	}
	return n, rows.Err()
}

func (c *sqliteConn) lockName(id.Tenant, int64) error { return nil }

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

// sqliteCode is what SQLite says went wrong; ResultOK for an error of somebody else.
func sqliteCode(err error) sqlite.ResultCode {
	if code := sqlite.ErrCode(err); code != sqlite.ResultError {
		return code
	}
	return sqlite.ResultOK
}

// sqliteMeaning tells a lock that another process holds, and a store that is full, failing, damaged or away, from errors of a statement.
func sqliteMeaning(err error) error {
	switch sqliteCode(err).ToPrimary() {
	case sqlite.ResultBusy:
		return fmt.Errorf("%w: %w", Retry, err)
	case sqlite.ResultReadOnly, sqlite.ResultIOErr, sqlite.ResultCorrupt, sqlite.ResultFull, sqlite.ResultCantOpen, sqlite.ResultNotADB, sqlite.ResultNoMem:
		return unavailable(err)
	}
	return err
}
