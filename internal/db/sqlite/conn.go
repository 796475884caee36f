package sqlite

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"entrepot/internal/db/engine"
	"entrepot/internal/id"
)

// conn is one connection with its own prepared statements, keyed by the text before translation. Only one goroutine may use it
// at a time. database/sql would box and lock each value: a page of orders takes four times as long. github.com/ncruces/go-sqlite3 needs
// an eighth less processor time for an order, but is built without sqlite_dbpage, through which scrubs work.
type conn struct {
	*sqlite.Conn
	stmts map[string]*statement

	written bool // something was written since it was last reset

	sums   engine.Sums    // of the writer: what the transactions of the group add to kept sums, not yet written
	adding []*engine.Form // the forms that were ever among them
	summed []string       // the tables of these

	clocks map[id.Tenant]*clock // of the writer: as the transactions of the group have moved them

	changed []string // tables that may have changed since the last commit
	commits int64    // how many commits there were

	stop chan struct{} // of a reader: closing it interrupts the running statement and every later one

	durability *durability // of a reader: what it sees may not be on the disk yet
	seen       int64       // the newest group that it may see

	passing []byte // memory that a text passes through on its way into a string

	rested time.Time // of a patient read: when it last rested; zero for all others
	rows   int       // that it has read since it last looked
}

// statement is a prepared statement and which argument each of its placeholders takes.
type statement struct {
	*sqlite.Stmt
	order  []int
	writes bool // it may change data

	changes []string // the tables that it may change
	noted   int64    // the commit before which they were noted last, from 1

	asked int  // how many of the connection's summed tables were looked for in its text
	sums  bool // it names one of them

	clocks bool // it names their table

	locks bool // on PostgreSQL it locks what it reads
	busy  bool // its rows are being read
	once  bool // it is not kept
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

// set makes a setting. Whoever opens a new store makes its log, under a lock for which SQLite does not wait when several processes do so
// at once.
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
	s := &statement{Stmt: stmt, order: order, writes: mayWrite(text), changes: changedBy(strings.TrimSpace(text)),
		clocks: strings.Contains(text, "change_clocks"),
		locks:  strings.Contains(sql, " FOR UPDATE") || strings.Contains(sql, " FOR SHARE"), once: kept != nil}
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

// mayWrite is false for queries, with or without WITH.
func mayWrite(text string) bool {
	text = strings.TrimSpace(text)
	return !strings.HasPrefix(text, "SELECT") && (!strings.HasPrefix(text, "WITH") || changedTable.MatchString(text))
}

// script runs statements without arguments, one after the other.
func (c *conn) script(sql string) error {
	if err := c.writePutOff(); err != nil {
		return err
	}
	c.changed = append(c.changed, anyTable)
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
	if err := c.putOffBefore(s, sql); err != nil {
		return nil, err
	}
	if err := c.bind(s, args); err != nil {
		c.end(s)
		return nil, err
	}
	if len(s.changes) > 0 && s.noted <= c.commits {
		s.noted = c.commits + 1
		c.changed = append(c.changed, s.changes...)
	}
	return s, nil
}

// committed forgets which tables changed and returns them.
func (c *conn) committed() []string {
	changed := c.changed
	c.changed = c.changed[:0]
	c.commits++
	return changed
}

// end resets a statement for its next run.
func (c *conn) end(s *statement) {
	if s.busy = false; s.once {
		s.Finalize()
		return
	}
	s.Reset() // returns again the error that Step has returned
}

// keptPassing bounds the memory that a connection keeps for texts, in bytes; it begins with room for passing ones.
const (
	keptPassing = 64 << 10
	passing     = 512
)

// textOf is a text of the statement's row, "" for NULL. It takes the bytes: if asked for a text, the library copies it first, for a zero
// byte at its end, into memory that all connections share. Its size is asked for only if it may be larger than the memory.
func (c *conn) textOf(s *statement, i int) string {
	if c.passing == nil {
		c.passing = make([]byte, passing)
	}
	if n := s.ColumnBytes(i, c.passing); n < len(c.passing) {
		return string(c.passing[:n])
	}
	to := make([]byte, s.ColumnLen(i))
	if len(to) > len(c.passing) && len(to) <= keptPassing {
		c.passing = to
	}
	return string(to[:s.ColumnBytes(i, to)])
}

// number runs a query for one number.
func (c *conn) number(sql string) (n int64, err error) {
	rows, err := c.Query(sql, nil)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	if rows.Next() {
		err = rows.Scan(&n)
	}
	return n, errors.Join(err, rows.Err())
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
