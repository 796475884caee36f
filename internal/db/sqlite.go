package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"

	"entrepot/internal/id"
)

// File is the name of SQLite's file in the data folder.
const File = "entrepot.db"

// Bounds of one group commit: as many acts as wait, but no new one after groupTime. When others are about, the writer waits for
// the next act up to lingerGap, because one commit for thirty costs hardly more than one for three.
const (
	groupSize = 256
	groupTime = 12 * time.Millisecond
	lingerGap = 400 * time.Microsecond
)

// sqliteEngine has one writer goroutine, which owns one connection, and a pool of reading connections on snapshots.
type sqliteEngine struct {
	db      *DB
	dsn     string
	acts    chan *act
	readers chan *sqliteConn // idle readers; nil places stand for connections not opened yet
	size    int
	closing sync.RWMutex
	closed  bool
	stopped chan struct{}
	crowd   bool                   // the last group had more than one act
	linger  *time.Timer            // of the writer, for the next act
	chores  chan func(*sqliteConn) // what the writer does between two transactions

	dir     string
	rawOnce sync.Once
	raw     *os.File // for reading the file's bytes, see files
	rawErr  error
}

// act is one waiting call of Write.
type act struct {
	ctx    context.Context
	tenant id.Tenant
	run    func(*Tx) error
	err    error
	done   chan struct{}
}

func openSQLite(c Config, d *DB) (*sqliteEngine, error) {
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the data folder: %w", err)
	}
	size := c.Pool
	if size == 0 {
		size = max(4, 2*runtime.GOMAXPROCS(0))
	}
	sync := "FULL"
	if c.Unsafe {
		sync = "OFF"
	}
	pragmas := []string{"busy_timeout(15000)", "journal_mode(WAL)", "synchronous(" + sync + ")", "foreign_keys(ON)",
		"temp_store(MEMORY)", "secure_delete(ON)"}
	dsn := "file:" + filepath.Join(c.Dir, File) + "?_pragma=" + strings.Join(pragmas, "&_pragma=")
	writer, err := openConn(dsn + "&_pragma=cache_size(-32768)")
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", filepath.Join(c.Dir, File), err)
	}
	e := &sqliteEngine{db: d, dsn: dsn + "&_pragma=query_only(ON)&_pragma=mmap_size(8589934592)",
		acts: make(chan *act, groupSize), readers: make(chan *sqliteConn, size), size: size, stopped: make(chan struct{}), linger: time.NewTimer(time.Hour),
		chores: make(chan func(*sqliteConn)), dir: c.Dir}
	for range size {
		e.readers <- nil
	}
	go e.serve(writer)
	return e, nil
}

func (e *sqliteEngine) name() string { return "sqlite" }

// serve is the writer: it takes every waiting act, runs each, commits once and answers all.
func (e *sqliteEngine) serve(conn *sqliteConn) {
	defer close(e.stopped)
	defer conn.close()
	for open := true; open; {
		select {
		case first, more := <-e.acts:
			if open = more; more {
				e.group(conn, first)
			}
		case chore := <-e.chores:
			chore(conn)
		}
	}
	conn.exec("PRAGMA wal_checkpoint(TRUNCATE)", nil) // best effort: the next start has nothing to recover
}

// group runs acts in one transaction without savepoints, which would copy every page they touch. Most acts that fail have
// written nothing yet, because writes are queued to their end. After one that has, everything is rolled back and the good acts
// run again: nobody was answered, and acts must bear running twice anyway.
func (e *sqliteEngine) group(conn *sqliteConn, first *act) {
	if _, err := conn.exec("BEGIN IMMEDIATE", nil); err != nil {
		first.end(busyIsRetry(err))
		return
	}
	good := make([]*act, 0, 64)
	start := time.Now()
	for next := first; next != nil; {
		switch written := e.run(conn, next); {
		case next.err == nil:
			good = append(good, next)
		case !written:
			close(next.done)
		default:
			close(next.done)
			if !e.again(conn, &good) {
				return
			}
		}
		next = nil
		if len(good) < groupSize && time.Since(start) < groupTime {
			next = e.next()
		}
	}
	e.crowd = len(good) > 1
	if _, err := conn.exec("COMMIT", nil); err != nil {
		e.fail(conn, good, err)
		return
	}
	for _, a := range good {
		close(a.done)
	}
}

// next is an act that waits; in a crowd also one that comes within lingerGap. It is nil when there is none.
func (e *sqliteEngine) next() *act {
	select {
	case a := <-e.acts: // nil once the channel is closed
		return a
	default:
	}
	if !e.crowd {
		return nil
	}
	e.linger.Reset(lingerGap)
	select {
	case a := <-e.acts:
		e.linger.Stop()
		return a
	case <-e.linger.C:
		return nil
	}
}

// again rolls back and runs the good acts anew, without those that fail now. It is false when the store has failed them all.
func (e *sqliteEngine) again(conn *sqliteConn, good *[]*act) bool {
	conn.exec("ROLLBACK", nil) // SQLite may have rolled back by itself (disk full, I/O error)
	if _, err := conn.exec("BEGIN IMMEDIATE", nil); err != nil {
		e.fail(conn, *good, err)
		return false
	}
	for i, a := range *good {
		written := e.run(conn, a)
		if a.err == nil {
			continue
		}
		close(a.done)
		rest := slices.Delete(slices.Clone(*good), i, i+1)
		*good = rest
		if written || i < len(rest) {
			return e.again(conn, good)
		}
	}
	return true
}

// run runs one act and tells whether it has written.
func (e *sqliteEngine) run(conn *sqliteConn, a *act) (written bool) {
	if a.err = a.ctx.Err(); a.err != nil {
		return false
	}
	conn.written = false
	tx := &Tx{Tenant: a.tenant, db: e.db, session: conn, now: e.db.Now()}
	if a.err = guarded(tx, a.run); a.err == nil {
		a.err = tx.Flush()
	}
	return conn.written
}

// guarded turns a panic of an act into an error, so that one bad act cannot take the writer with it.
func guarded(tx *Tx, run func(*Tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a transaction: %v\n%s", p, debug.Stack())
		}
	}()
	return run(tx)
}

func (e *sqliteEngine) fail(conn *sqliteConn, acts []*act, err error) {
	conn.exec("ROLLBACK", nil)
	for _, a := range acts {
		a.end(busyIsRetry(err))
	}
}

func (a *act) end(err error) {
	a.err = err
	close(a.done)
}

var errClosed = errors.New("db: closed")

func (e *sqliteEngine) write(ctx context.Context, tenant id.Tenant, _ bool, run func(*Tx) error) error {
	a := &act{ctx: ctx, tenant: tenant, run: run, done: make(chan struct{})}
	e.closing.RLock()
	if e.closed {
		e.closing.RUnlock()
		return unavailable(errClosed)
	}
	e.acts <- a
	e.closing.RUnlock()
	<-a.done
	return a.err
}

func (e *sqliteEngine) read(ctx context.Context, tenant id.Tenant, run func(*Tx) error) error {
	conn, err := e.borrow(ctx)
	if err != nil {
		return err
	}
	defer func() { e.readers <- conn }()
	if _, err := conn.exec("BEGIN", nil); err != nil {
		return unavailable(err)
	}
	defer conn.exec("ROLLBACK", nil)
	return run(&Tx{Tenant: tenant, db: e.db, session: conn, now: e.db.Now(), readOnly: true})
}

func (e *sqliteEngine) borrow(ctx context.Context) (*sqliteConn, error) {
	var conn *sqliteConn
	select {
	case conn = <-e.readers:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if conn != nil {
		return conn, nil
	}
	conn, err := openConn(e.dsn)
	if err != nil {
		e.readers <- nil
		return nil, unavailable(err)
	}
	return conn, nil
}

// settle passes through the writer: what was stamped before is committed after.
func (e *sqliteEngine) settle(ctx context.Context, tenant id.Tenant) error {
	return e.write(ctx, tenant, false, func(*Tx) error { return nil })
}

func (e *sqliteEngine) script(ctx context.Context, sql string) error {
	return e.write(ctx, Across, false, func(tx *Tx) error {
		conn := tx.session.(*sqliteConn)
		conn.written = true
		return conn.script(sql)
	})
}

func (e *sqliteEngine) ping(ctx context.Context) error {
	return e.read(ctx, Across, func(tx *Tx) error {
		var one int64
		return tx.Row("SELECT 1", nil, &one)
	})
}

func (e *sqliteEngine) close() error {
	e.closing.Lock()
	if e.closed {
		e.closing.Unlock()
		return nil
	}
	e.closed = true
	close(e.acts)
	e.closing.Unlock()
	<-e.stopped
	for range e.size {
		if conn := <-e.readers; conn != nil {
			conn.close()
		}
	}
	if e.raw != nil {
		e.raw.Close()
	}
	return nil
}

// sqliteConn is one connection with its own prepared statements, keyed by the text before translation.
type sqliteConn struct {
	conn  driver.Conn
	stmts map[string]*sqliteStmt
	named []driver.NamedValue // reused between calls

	written bool // something was written since it was last set to false
}

// sqliteStmt is a prepared statement and which argument each of its placeholders takes.
type sqliteStmt struct {
	stmt   driver.Stmt
	order  []int
	writes bool // it is no SELECT
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
	s := &sqliteStmt{stmt: stmt, order: order, writes: !strings.HasPrefix(strings.TrimSpace(text), "SELECT")}
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
	c.written = true
	result, err := s.stmt.(driver.StmtExecContext).ExecContext(context.Background(), values)
	if err != nil {
		return 0, busyIsRetry(err)
	}
	return result.RowsAffected()
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

// answer runs one question: there is nothing to save by sending several.
func (c *sqliteConn) answer(asked []*Question) int {
	asked[0].read(c.query(asked[0].sql, asked[0].args))
	return 1
}

func (c *sqliteConn) last() {}

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
