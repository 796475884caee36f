package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"

	"modernc.org/sqlite"
)

// sqliteConn is one connection with its own prepared statements, keyed by the text before translation.
type sqliteConn struct {
	conn  driver.Conn
	stmts map[string]*sqliteStmt
	named []driver.NamedValue // reused between calls

	written bool // something was written since it was last set to false

	shore *shore // of a reader: where it asks how much of what it sees may not be on the disk yet
	seen  int64  // the newest group that it may see
}

// sqliteStmt is a prepared statement and which argument each of its placeholders takes.
type sqliteStmt struct {
	stmt   driver.Stmt
	order  []int
	writes bool // it is no SELECT
	locks  bool // on PostgreSQL it locks what it reads
}

// maxStatements bounds a connection's cache; lists with many filters make many texts.
const maxStatements = 400

func openConn(dsn string) (*sqliteConn, error) {
	conn, err := new(sqlite.Driver).Open(dsn)
	if err != nil {
		return nil, err
	}
	return &sqliteConn{conn: conn, stmts: map[string]*sqliteStmt{}}, nil
}

func (c *sqliteConn) close() error {
	for _, s := range c.stmts {
		s.stmt.Close()
	}
	return c.conn.Close()
}

func (c *sqliteConn) prepare(sql string) (*sqliteStmt, error) {
	if s, ok := c.stmts[sql]; ok {
		return s, nil
	}
	if len(c.stmts) >= maxStatements {
		for text, s := range c.stmts {
			s.stmt.Close()
			delete(c.stmts, text)
		}
	}
	text, order := sqliteText(sql)
	stmt, err := c.conn.(driver.ConnPrepareContext).PrepareContext(context.Background(), text)
	if err != nil {
		return nil, err
	}
	s := &sqliteStmt{stmt: stmt, order: order, writes: !strings.HasPrefix(strings.TrimSpace(text), "SELECT"),
		locks: strings.Contains(sql, " FOR UPDATE") || strings.Contains(sql, " FOR SHARE")}
	c.stmts[sql] = s
	return s, nil
}

func (c *sqliteConn) script(sql string) error {
	_, err := c.conn.(driver.ExecerContext).ExecContext(context.Background(), sql, nil)
	return err
}

func (c *sqliteConn) bind(s *sqliteStmt, args []any) ([]driver.NamedValue, error) {
	c.named = c.named[:0]
	for i, n := range s.order {
		if n >= len(args) {
			return nil, fmt.Errorf("db: $%d without an argument", n+1)
		}
		c.named = append(c.named, driver.NamedValue{Ordinal: i + 1, Value: plain(args[n])})
	}
	return c.named, nil
}

func (c *sqliteConn) exec(sql string, args []any) (int64, error) {
	s, err := c.prepare(sql)
	if err != nil {
		return 0, err
	}
	values, err := c.bind(s, args)
	if err != nil {
		return 0, err
	}
	result, err := s.stmt.(driver.StmtExecContext).ExecContext(context.Background(), values)
	if err != nil {
		return 0, busyIsRetry(err)
	}
	n, err := result.RowsAffected()
	c.written = c.written || n > 0
	return n, err
}

func (c *sqliteConn) query(sql string, args []any) (Rows, error) {
	s, err := c.prepare(sql)
	if err != nil {
		return nil, err
	}
	values, err := c.bind(s, args)
	if err != nil {
		return nil, err
	}
	c.written = c.written || s.writes
	rows, err := s.stmt.(driver.StmtQueryContext).QueryContext(context.Background(), values)
	if err != nil {
		return nil, busyIsRetry(err)
	}
	if c.shore != nil && c.seen == 0 {
		c.seen = c.shore.last()
	}
	return &sqliteRows{rows: rows, values: make([]driver.Value, len(rows.Columns()))}, nil
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

type sqliteRows struct {
	rows   driver.Rows
	values []driver.Value
	err    error
	closed bool
}

func (r *sqliteRows) Next() bool {
	if r.closed || r.err != nil {
		return false
	}
	if err := r.rows.Next(r.values); err != nil {
		if err != io.EOF {
			r.err = busyIsRetry(err)
		}
		r.Close()
		return false
	}
	return true
}

func (r *sqliteRows) Scan(into ...any) error {
	if len(into) != len(r.values) {
		return fmt.Errorf("db: %d places for %d columns", len(into), len(r.values))
	}
	for i, place := range into {
		if err := assign(place, r.values[i]); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

func (r *sqliteRows) Err() error { return r.err }

func (r *sqliteRows) Close() {
	if !r.closed {
		r.closed = true
		r.rows.Close()
	}
}

// SQLite's result codes that the engine reacts to.
const (
	sqliteBusy       = 5
	sqliteConstraint = 19
	sqliteUnique     = 2067
	sqlitePrimary    = 1555
)

func sqliteCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

func busyIsRetry(err error) error {
	if sqliteCode(err)&0xff == sqliteBusy {
		return fmt.Errorf("%w: %w", Retry, err)
	}
	return err
}
