package sqlite

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"entrepot/internal/db/engine"
)

// conn is one connection with its own prepared statements, keyed by the text before translation. Only one goroutine
// may use it at a time. database/sql would box and lock each value: a page of orders takes four times as long.
// github.com/ncruces/go-sqlite3 needs an eighth less processor time for an order, but is built without sqlite_dbpage,
// which scrubs need.
type conn struct {
	*sqlite.Conn
	stmts map[string]*statement

	written bool // something was written since the flag was last reset

	stop chan struct{} // of a reader: closing it interrupts the running statement and every later one

	durability *durability // of a reader: its snapshot may not be on the disk yet
	seen       int64       // the newest group that the snapshot may have

	passing []byte // memory through which a text passes on its way into a string

	rested time.Time // of a yielding read: when it last paused; zero for all others
	rows   int       // rows read since the last check of the time
}

// statement is a prepared statement and which argument each of its placeholders takes.
type statement struct {
	*sqlite.Stmt
	order  []int
	writes bool // it may change data
	busy   bool // its rows are being read
	once   bool // the statement is not cached
}

// maxStatements bounds a connection's cache; lists with many filters make many texts.
const maxStatements = 400

// openConn opens a SQLite file; settings are pragmas such as "busy_timeout(15000)", in the order they are to be made.
func openConn(path string, settings ...string) (*conn, error) {
	return openConnAs(path, sqlite.OpenReadWrite|sqlite.OpenCreate, settings...)
}

// openConnToRead opens a SQLite file that must exist, without changing it.
func openConnToRead(path string, settings ...string) (*conn, error) {
	return openConnAs(path, sqlite.OpenReadOnly, settings...)
}

func openConnAs(path string, flags sqlite.OpenFlags, settings ...string) (*conn, error) {
	opened, err := sqlite.OpenConn(path, flags)
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: opened, stmts: map[string]*statement{}}
	for _, s := range settings {
		if err := c.set(s); err != nil {
			c.close()
			return nil, fmt.Errorf("%s: %w", s, err)
		}
	}
	return c, nil
}

// lockedFor is how long a setting is tried again.
const lockedFor = 15 * time.Second

// set makes a setting. The first process to open a new store makes its log, under a lock for which SQLite does not
// wait when several processes do so at once.
func (c *conn) set(pragma string) error {
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		err := c.script("PRAGMA " + pragma)
		if !errors.Is(err, engine.ErrRetry) || time.Since(begun) > lockedFor {
			return err
		}
	}
}

// interruptible gives the connection a new stop channel that ends its statements when closed.
func (c *conn) interruptible() {
	c.stop = make(chan struct{})
	c.SetInterrupt(c.stop)
}

func (c *conn) close() error {
	for _, s := range c.stmts {
		s.Finalize()
	}
	return c.Close()
}

// prepare returns a statement that is not busy, prepared before or now.
func (c *conn) prepare(sql string) (*statement, error) {
	kept := c.stmts[sql]
	if kept != nil && !kept.busy {
		return kept, nil
	}
	text, order := translate(sql)
	stmt, _, err := c.PrepareTransient(text)
	if err != nil {
		return nil, meaning(err)
	}
	s := &statement{Stmt: stmt, order: order, writes: mayWrite(text), once: kept != nil}
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

var changesTable = regexp.MustCompile(`\b(?:INSERT INTO|UPDATE|DELETE FROM)\b`)

// mayWrite is false for queries, with or without WITH.
func mayWrite(text string) bool {
	text = strings.TrimSpace(text)
	return !strings.HasPrefix(text, "SELECT") && (!strings.HasPrefix(text, "WITH") || changesTable.MatchString(text))
}

// script runs statements without arguments, one after the other.
func (c *conn) script(sql string) error {
	for sql = strings.TrimSpace(sql); sql != ""; {
		stmt, rest, err := c.PrepareTransient(sql)
		if err != nil {
			return meaning(err)
		}
		for more := stmt.BindParamCount() == 0; more && err == nil; {
			more, err = stmt.Step()
		}
		stmt.Finalize()
		if err != nil {
			return meaning(err)
		}
		sql = strings.TrimSpace(sql[len(sql)-rest:])
	}
	return nil
}

// ready prepares a statement and binds its arguments.
func (c *conn) ready(sql string, args []any) (*statement, error) {
	s, err := c.prepare(sql)
	if err != nil {
		return nil, err
	}
	if err := s.bindAll(args); err != nil {
		c.end(s)
		return nil, err
	}
	return s, nil
}

// end resets a statement for its next run.
func (c *conn) end(s *statement) {
	if s.busy = false; s.once {
		s.Finalize()
		return
	}
	s.Reset() // returns again the error that Step has returned
}

// cachedText bounds the memory that a connection keeps for texts, in bytes; it begins with room for short ones.
const (
	cachedText = 64 << 10
	passing    = 512
)

// textOf is a text of the statement's row, "" for NULL. It reads the bytes: for a text, the library makes a copy
// first, with a zero byte at its end, in memory that all connections share. It reads the size only if the text may be
// larger than the memory.
func (c *conn) textOf(s *statement, i int) string {
	if c.passing == nil {
		c.passing = make([]byte, passing)
	}
	if n := s.ColumnBytes(i, c.passing); n < len(c.passing) {
		return string(c.passing[:n])
	}
	to := make([]byte, s.ColumnLen(i))
	if len(to) > len(c.passing) && len(to) <= cachedText {
		c.passing = to
	}
	return string(to[:s.ColumnBytes(i, to)])
}

// text runs a query for one text.
func (c *conn) text(sql string) (text string, err error) {
	rows, err := c.Query(sql, nil)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	if rows.Next() {
		err = rows.Scan(&text)
	}
	return text, errors.Join(err, rows.Err())
}
