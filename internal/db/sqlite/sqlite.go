// Package sqlite is the engine that keeps the store in one SQLite file of this machine.
//
//	sqlite.go      open, write, close
//	read.go        snapshots of the reading connections; transactions that run ahead of the writer
//	writer.go      the one goroutine that writes; group.go puts transactions into one commit
//	durability.go  what is on the disk already
//	checkpoint.go  the log is copied into the file beside the writer
//	conn.go        a connection and its prepared statements; session.go what a transaction does on it; rows.go its answers
//	file.go        whose file it is; copy.go backup and restore
//	scrub.go       takes what was erased out of the pages (pages.go)
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"entrepot/internal/db/engine"
	"entrepot/internal/id"
)

// File is the name of the store's file in the data folder.
const File = "entrepot.db"

// Config says which store to open.
type Config struct {
	Dir    string           // the data folder; made if it is not there
	Now    func() time.Time // the clock of every transaction
	Log    *slog.Logger
	Pool   int          // reading connections; 0 = a good default
	Unsafe bool         // without waiting for the disk: only for tests and throw-away stores
	Failed func()       // called once, when the disk has refused a commit
	Sync   func() error // of tests, in the place of syncing the log to the disk; nil for none
}

// Engine is an open store. One writer owns one connection, and a pool of reading connections is on snapshots.
type Engine struct {
	now      func() time.Time
	path     string
	settings []string // of readers
	writer   *writer
	readers  chan *conn // idle readers; nil places stand for connections not opened yet
	size     int
	closing  sync.RWMutex
	closed   bool

	log *os.File // SQLite's write-ahead log

	dir     string
	rawOnce sync.Once
	raw     *os.File // for reading the file's bytes, see Files
	rawErr  error
}

// mapped is how many bytes of the store's file all readers together map into the process's memory. What is mapped counts as the
// process's own, once for each reader, as soon as it was read.
const mapped = 64 << 20

// Open opens the store of a folder, or makes an empty one. A file of another program is refused and left untouched.
func Open(c Config) (*Engine, error) {
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the data folder: %w", err)
	}
	path := filepath.Join(c.Dir, File)
	if err := claimFile(path); err != nil {
		return nil, err
	}
	e, err := open(c, path)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	return e, nil
}

func open(c Config, path string) (*Engine, error) {
	size := c.Pool
	if size == 0 {
		size = max(8, 4*runtime.GOMAXPROCS(0))
	}
	// The writer syncs the log itself after every commit, beside the next one: with NORMAL, SQLite keeps the order of what reaches
	// the disk, and the answer waits for the sync as it would with FULL.
	synchronous := "NORMAL"
	if c.Unsafe {
		synchronous = "OFF"
	}
	settings := []string{"busy_timeout(15000)", "journal_mode(WAL)", "synchronous(" + synchronous + ")", "foreign_keys(ON)",
		"temp_store(MEMORY)", "secure_delete(ON)"}
	first, err := openConn(path, append(settings, "cache_size(-32768)", fmt.Sprintf("wal_autocheckpoint(%d)", hugeLog))...)
	if err != nil {
		return nil, err
	}
	log, err := first.openLog(path + "-wal")
	if err != nil {
		first.close()
		return nil, err
	}
	switch {
	case c.Sync != nil:
	case c.Unsafe:
		c.Sync = func() error { return nil }
	default:
		c.Sync = func() error { return syncLog(log) }
	}
	another := func() (*conn, error) { return openConn(path, settings...) }
	e := &Engine{now: c.Now, path: path, log: log, writer: newWriter(c, first, another), readers: make(chan *conn, size), size: size,
		dir:      c.Dir,
		settings: append(settings, "cache_size(-400)", "query_only(ON)", fmt.Sprintf("mmap_size(%d)", mapped/size))}
	for range size {
		e.readers <- nil
	}
	return e, nil
}

// openLog marks the store as ours and opens the write-ahead log that this connection writes. It stays the same file for as long as any
// connection is open.
func (c *conn) openLog(path string) (*os.File, error) {
	if err := c.markFile(); err != nil {
		return nil, err
	}
	if _, err := c.text("SELECT CAST(count(*) AS TEXT) FROM sqlite_schema"); err != nil { // the first read makes the log
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR, 0)
}

// Name is "sqlite".
func (e *Engine) Name() string { return "sqlite" }

// Connections is how many reading connections there are.
func (e *Engine) Connections() int { return e.size }

// Write runs one transaction. An optimistic one runs on a snapshot first, beside the writer, which then only writes.
func (e *Engine) Write(ctx context.Context, tenant id.Tenant, how engine.Mode, work engine.Work) error {
	if how != engine.Optimistic {
		return e.serial(ctx, work)
	}
	steps, err := e.ahead(ctx, work)
	if err != nil || len(steps) == 0 {
		return err
	}
	return e.serial(ctx, func(engine.Session) ([]*engine.Step, error) {
		for _, s := range steps {
			if s.Clock != nil { // stamps count from when the transaction gets its turn, behind every reader who has asked meanwhile
				s.Clock.Now = e.now().UnixMicro()
			}
		}
		return steps, nil
	})
}

// serial gives a transaction to the writer and waits for its end.
func (e *Engine) serial(ctx context.Context, work engine.Work) error {
	t := &transaction{ctx: ctx, work: work, done: make(chan struct{})}
	e.closing.RLock()
	if e.closed {
		e.closing.RUnlock()
		return engine.Unavailable(engine.ErrClosed)
	}
	e.writer.waiting <- t
	e.closing.RUnlock()
	<-t.done
	return t.err
}

// Settle passes through the writer: what was stamped before is committed after.
func (e *Engine) Settle(ctx context.Context, _ id.Tenant) (at int64, err error) {
	at = e.now().UnixMicro()
	return at, e.serial(ctx, func(engine.Session) ([]*engine.Step, error) { return nil, nil })
}

// Script runs statements in one transaction.
func (e *Engine) Script(ctx context.Context, sql string) error {
	return e.serial(ctx, func(s engine.Session) ([]*engine.Step, error) {
		c := s.(*conn)
		c.written = true
		return nil, c.script(sql)
	})
}

// DDL is a migration's text for SQLite, which keeps ids as text and clusters some tables by their key. What only PostgreSQL has stands
// behind "--postgres " and is a comment here.
func (e *Engine) DDL(text string) string { return ddlWords.Replace(text) }

var ddlWords = strings.NewReplacer(" UUID", " TEXT", "strpos(", "instr(", "UNLOGGED ", "", ` COLLATE "C"`, "")

// AfterMigration does nothing: a SQLite file has no users to keep apart, and its planner keeps no statistics.
func (e *Engine) AfterMigration(context.Context) error { return nil }

// Catalog is where SQLite lists its tables.
func (e *Engine) Catalog() engine.Catalog {
	return engine.Catalog{
		Made: "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'schema_versions'",
		Texts: "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' AND c.type = 'TEXT' ORDER " +
			"BY t.name, c.cid",
		Columns: `SELECT t.name, c.name, lower(c.type) FROM sqlite_master t, pragma_table_info(t.name) c
			WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.name`,
	}
}

// Ping reports whether the store answers, and whether the disk still takes what is written.
func (e *Engine) Ping(ctx context.Context) error {
	if e.writer.refused.Load() { // nobody may ask for a write as long as this says that there can be none: so it tries one
		mark := &engine.Step{SQL: fmt.Sprintf("PRAGMA application_id = %d", applicationID), Want: -1}
		if err := e.serial(ctx, func(engine.Session) ([]*engine.Step, error) { return []*engine.Step{mark}, nil }); err != nil {
			return err
		}
	}
	return e.Read(ctx, 0, true, func(s engine.Session) error {
		rows, err := s.Query("SELECT 1", nil)
		if err != nil {
			return err
		}
		defer rows.Close()
		rows.Next()
		return rows.Err()
	})
}

// Close waits for running writes and closes every connection.
func (e *Engine) Close() error {
	e.closing.Lock()
	if e.closed {
		e.closing.Unlock()
		return nil
	}
	e.closed = true
	close(e.writer.waiting)
	e.closing.Unlock()
	<-e.writer.done
	for range e.size {
		if c := <-e.readers; c != nil {
			c.close()
		}
	}
	err := e.log.Close()
	if e.raw != nil {
		err = errors.Join(err, e.raw.Close())
	}
	return err
}

func (e *Engine) isClosed() bool {
	e.closing.RLock()
	defer e.closing.RUnlock()
	return e.closed
}
