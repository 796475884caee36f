package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"entrepot/internal/id"
)

// File is the name of SQLite's file in the data folder.
const File = "entrepot.db"

// sqliteEngine has one writer, which owns one connection, and a pool of reading connections on snapshots.
type sqliteEngine struct {
	db       *DB
	path     string
	settings []string // of readers
	writer   *sqliteWriter
	readers  chan *sqliteConn // idle readers; nil places stand for connections not opened yet
	size     int
	closing  sync.RWMutex
	closed   bool

	log *os.File // SQLite's write-ahead log

	dir     string
	rawOnce sync.Once
	raw     *os.File // for reading the file's bytes, see files
	rawErr  error
}

// mapped is how many bytes of the store's file all readers together map into the process's memory. What is mapped counts as the
// process's own, once for each reader, as soon as it was read.
const mapped = 64 << 20

func openSQLite(c Config, d *DB) (*sqliteEngine, error) {
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the data folder: %w", err)
	}
	size := c.Pool
	if size == 0 {
		size = max(4, 2*runtime.GOMAXPROCS(0))
	}
	// The writer syncs the log itself after every commit, beside the next one: with NORMAL, SQLite keeps the order of what reaches
	// the disk, and the answer waits for the sync as it would with FULL.
	sync := "NORMAL"
	if c.Unsafe {
		sync = "OFF"
	}
	path := filepath.Join(c.Dir, File)
	if err := claimFile(path); err != nil {
		return nil, err
	}
	settings := []string{"busy_timeout(15000)", "journal_mode(WAL)", "synchronous(" + sync + ")", "foreign_keys(ON)",
		"temp_store(MEMORY)", "secure_delete(ON)"}
	conn, err := openConn(path, append(settings, "cache_size(-32768)", fmt.Sprintf("wal_autocheckpoint(%d)", hugeLog))...)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	if err := markFile(conn); err != nil {
		conn.close()
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	log, err := openLog(conn, path+"-wal")
	if err != nil {
		conn.close()
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	force := func() error { return forceFile(log) }
	if c.Unsafe {
		force = nil
	}
	if c.force != nil {
		force = c.force
	}
	open := func() (*sqliteConn, error) { return openConn(path, settings...) }
	e := &sqliteEngine{db: d, path: path, settings: append(settings, "cache_size(-400)", "query_only(ON)", fmt.Sprintf("mmap_size(%d)", mapped/size)), writer: newWriter(d, conn, open, force), log: log,
		readers: make(chan *sqliteConn, size), size: size, dir: c.Dir}
	for range size {
		e.readers <- nil
	}
	return e, nil
}

// openLog opens the write-ahead log that a connection writes. It stays the same file for as long as any connection is open.
func openLog(conn *sqliteConn, path string) (*os.File, error) {
	if _, err := conn.text("SELECT CAST(count(*) AS TEXT) FROM sqlite_schema"); err != nil { // the first look makes the log
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR, 0)
}

// openReader opens another connection that only reads.
func (e *sqliteEngine) openReader() (*sqliteConn, error) { return openConn(e.path, e.settings...) }

func (e *sqliteEngine) name() string { return "sqlite" }

func (e *sqliteEngine) write(ctx context.Context, tenant id.Tenant, how mode, run func(*Tx) error) error {
	if how == optimistic {
		steps, err := e.ahead(ctx, tenant, run)
		if err == nil && len(steps) == 0 {
			return nil
		}
		if err == nil {
			return e.serial(ctx, tenant, func(tx *Tx) error {
				for _, s := range steps {
					if s.clock { // stamps count from when the transaction gets its turn, behind every reader who has pending meanwhile
						s.args[1] = tx.Micros()
					}
				}
				return tx.session.send(steps)
			})
		}
		if !errors.Is(err, errNotAhead) {
			return err
		}
	}
	return e.serial(ctx, tenant, run)
}

// serial gives a transaction to the writer and waits for its end.
func (e *sqliteEngine) serial(ctx context.Context, tenant id.Tenant, run func(*Tx) error) error {
	a := &act{ctx: ctx, tenant: tenant, run: run, done: make(chan struct{})}
	e.closing.RLock()
	if e.closed {
		e.closing.RUnlock()
		return unavailable(errClosed)
	}
	e.writer.acts <- a
	e.closing.RUnlock()
	<-a.done
	return a.err
}

// errNotAhead is met by a transaction that wants to lock or to see what it has just written.
var errNotAhead = errors.New("db: only the writer can run this act")

// ahead runs a optimistic transaction on a snapshot, beside the writer, and gives what it queued.
func (e *sqliteEngine) ahead(ctx context.Context, tenant id.Tenant, run func(*Tx) error) (steps []*Step, err error) {
	seen, err := e.snapshot(ctx, func(conn *sqliteConn) error {
		tx := &Tx{Tenant: tenant, db: e.db, session: onlyReading{conn}, now: e.db.Now()}
		if err := guarded(tx, run); err != nil {
			return err
		}
		steps = tx.steps()
		return nil
	})
	if len(steps) > 0 || errors.Is(err, errNotAhead) {
		return steps, err // nobody is told yet
	}
	return nil, cmp.Or(e.writer.durability.wait(seen), err)
}

// onlyReading is the session of a transaction that runs ahead.
type onlyReading struct{ *sqliteConn }

func (onlyReading) exec(string, []any) (int64, error) { return 0, errNotAhead }
func (onlyReading) send([]*Step) error                { return errNotAhead }
func (onlyReading) lockName(id.Tenant, int64) error   { return errNotAhead }
func (onlyReading) lockClock(id.Tenant) error         { return errNotAhead }

func (o onlyReading) query(sql string, args []any) (Rows, error) {
	s, err := o.prepare(sql)
	if err != nil {
		return nil, err
	}
	if s.writes || s.locks {
		return nil, errNotAhead
	}
	return o.sqliteConn.query(sql, args)
}

func (o onlyReading) answer(pending []*PendingRead) int {
	pending[0].read(o.query(pending[0].sql, pending[0].args))
	return 1
}

func (e *sqliteEngine) read(ctx context.Context, tenant id.Tenant, sure bool, run func(*Tx) error) error {
	seen, err := e.snapshot(ctx, func(conn *sqliteConn) error {
		return run(&Tx{Tenant: tenant, db: e.db, session: conn, now: e.db.Now(), readOnly: true})
	})
	if !sure {
		return err
	}
	return cmp.Or(e.writer.durability.wait(seen), err)
}

// snapshot lends a reading connection inside a transaction, and reports the newest group that could be seen: it may not be on the disk yet.
func (e *sqliteEngine) snapshot(ctx context.Context, run func(*sqliteConn) error) (seen int64, err error) {
	conn, err := e.borrow(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { e.readers <- conn }()
	conn.durability, conn.seen = &e.writer.durability, 0
	if _, err := conn.exec("BEGIN", nil); err != nil {
		return 0, unavailable(err)
	}
	defer conn.exec("ROLLBACK", nil)
	err = run(conn)
	return conn.seen, err
}

func (e *sqliteEngine) borrow(ctx context.Context) (*sqliteConn, error) {
	if err := ctx.Err(); err != nil { // a caller that hung up gets no connection, also where one is free
		return nil, err
	}
	var conn *sqliteConn
	select {
	case conn = <-e.readers:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if conn != nil {
		return conn, nil
	}
	conn, err := e.openReader()
	if err != nil {
		e.readers <- nil
		return nil, unavailable(err)
	}
	return conn, nil
}

// settle passes through the writer: what was stamped before is committed after.
func (e *sqliteEngine) settle(ctx context.Context, tenant id.Tenant) (at int64, err error) {
	at = e.db.Now().UnixMicro()
	return at, e.serial(ctx, tenant, func(*Tx) error { return nil })
}

func (e *sqliteEngine) script(ctx context.Context, sql string) error {
	return e.serial(ctx, Across, func(tx *Tx) error {
		conn := tx.session.(*sqliteConn)
		conn.written = true
		return conn.script(sql)
	})
}

func (e *sqliteEngine) ping(ctx context.Context) error {
	return e.read(ctx, Across, true, func(tx *Tx) error {
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
	close(e.writer.acts)
	e.closing.Unlock()
	<-e.writer.done
	for range e.size {
		if conn := <-e.readers; conn != nil {
			conn.close()
		}
	}
	e.log.Close()
	if e.raw != nil {
		e.raw.Close()
	}
	return nil
}
