// Package sqlite is the engine that keeps the store in one SQLite file of this machine.
//
//	sqlite.go      open, write, close
//	readers.go     the reading connections
//	read.go        snapshots on them
//	writer.go      the one goroutine that writes; group.go puts transactions into one commit
//	durability.go  which commits are on the disk
//	checkpoint.go  the log is copied into the file while the writer works
//	conn.go        a connection and its prepared statements; session.go what a transaction does on it; rows.go its results
//	file.go        ownership of the file; copy.go backup and restore
//	scrub.go       removes erased data from the pages (pages.go)
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/base/processors"
	"entrepot/internal/db/engine"
)

// File is the name of the store's file in the data folder.
const File = "entrepot.db"

// Config says which store to open.
type Config struct {
	Dir    string           // the data folder; created if it is missing
	Now    func() time.Time // the clock of every transaction
	Log    *slog.Logger
	Pool   int          // reading connections; 0 = a good default
	Unsafe bool         // do not wait for the disk: only for tests and throw-away stores
	Failed func()       // called once, when the disk refuses a commit
	Sync   func() error // for tests: replaces syncing the log to the disk; nil for none
}

// Engine is an open store: one writer with its own connection, and a pool of reading connections on snapshots.
type Engine struct {
	now      func() time.Time
	path     string
	settings []string // of readers
	writer   *writer
	readers  *readers
	closing  sync.RWMutex // guards closed; held for reading while something is handed to the writer
	closed   bool
	log      *os.File // SQLite's write-ahead log

	dir     string
	rawOnce sync.Once
	raw     *os.File // for reading the file's bytes, see Files
	rawErr  error
}

// mapped is how many bytes of the store's file all readers together map into memory. Each reader's mapped pages count
// as memory of the process once they were read.
const mapped = 64 << 20

// Open opens the store of a folder, or creates an empty one. A file of another program is refused and left unchanged.
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
		size = max(8, 4*processors.Count())
	}
	// The writer syncs the log itself after every commit, while the next commit is prepared. With NORMAL, SQLite
	// keeps the order of what reaches the disk, and each answer waits for the sync as it would with FULL.
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
	e := &Engine{now: c.Now, path: path, log: log, writer: newWriter(c, first, another), dir: c.Dir,
		settings: append(settings, "cache_size(-400)", "query_only(ON)", fmt.Sprintf("mmap_size(%d)", mapped/size))}
	e.readers = newReaders(size, e.openReader)
	return e, nil
}

// openLog marks the store as entrepot's and opens the write-ahead log that this connection writes. It stays the same
// file as long as any connection is open.
func (c *conn) openLog(path string) (*os.File, error) {
	if err := c.markFile(); err != nil {
		return nil, err
	}
	// the first read creates the log
	if _, err := c.text("SELECT CAST(count(*) AS TEXT) FROM sqlite_schema"); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR, 0)
}

// Name is "sqlite".
func (e *Engine) Name() string { return "sqlite" }

// Connections is how many reading connections there are.
func (e *Engine) Connections() int { return e.readers.size }

// InUse is how many reads run.
func (e *Engine) InUse() int { return e.readers.size - len(e.readers.idle) }

// ClockMargin is short: a second process that serves is refused, and commands that write at the same time take a
// moment.
func (e *Engine) ClockMargin() time.Duration { return 10 * time.Second }

// Write runs one transaction. The writer runs all of them one after the other, those of mode Serial too.
func (e *Engine) Write(ctx context.Context, _ id.Tenant, how engine.Mode, work engine.Work) error {
	queue := e.writer.waiting
	if how.Has(engine.Bulk) {
		queue = e.writer.pieces
	}
	return e.serial(ctx, queue, work)
}

// serial hands a transaction to a queue of the writer and waits for its end.
func (e *Engine) serial(ctx context.Context, queue chan<- *transaction, work engine.Work) error {
	t := &transaction{ctx: ctx, work: work, done: make(chan struct{})}
	e.closing.RLock()
	if e.closed {
		e.closing.RUnlock()
		return engine.Unavailable(engine.ErrClosed)
	}
	queue <- t
	e.closing.RUnlock()
	<-t.done
	return t.err
}

// Settle waits for the writer once: every transaction that got a stamp earlier has then ended.
func (e *Engine) Settle(ctx context.Context, _ id.Tenant) (at int64, err error) {
	at = e.now().UnixMicro()
	return at, e.serial(ctx, e.writer.waiting, func(engine.Session) ([]*engine.Step, error) { return nil, nil })
}

// Script runs statements in one transaction.
func (e *Engine) Script(ctx context.Context, sql string) error {
	return e.serial(ctx, e.writer.waiting, func(s engine.Session) ([]*engine.Step, error) {
		c := s.(*conn)
		c.written = true
		return nil, c.script(sql)
	})
}

// DDL is a migration's text for SQLite, which keeps ids as text and clusters some tables by their key. Lines for
// PostgreSQL alone start with "--postgres " and are comments here; those for SQLite alone start with "--sqlite ".
func (e *Engine) DDL(text string) string { return ddlWords.Replace(text) }

var ddlWords = strings.NewReplacer("--sqlite ", "", " UUID", " TEXT", "strpos(", "instr(", "UNLOGGED ", "", ` COLLATE "C"`, "")

// Catalog lists tables from SQLite's catalog.
func (e *Engine) Catalog() engine.Catalog {
	return engine.Catalog{
		Made: "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'schema_versions'",
		Texts: "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' AND c.type = 'TEXT' ORDER " +
			"BY t.name, c.cid",
		Size: "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
		Columns: `SELECT t.name, c.name, lower(c.type) FROM sqlite_master t, pragma_table_info(t.name) c
			WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.name`,
	}
}

// Ping reports whether the store answers, and whether the disk still takes writes.
func (e *Engine) Ping(ctx context.Context) error {
	if e.writer.refused.Load() { // while this fails, a balancer may send no writes, so Ping tries one
		mark := &engine.Step{SQL: fmt.Sprintf("PRAGMA application_id = %d", applicationID), Want: -1}
		if err := e.serial(ctx, e.writer.waiting, func(engine.Session) ([]*engine.Step, error) { return []*engine.Step{mark}, nil }); err != nil {
			return err
		}
	}
	return e.Read(ctx, 0, engine.Stored, func(s engine.Session) error {
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
	close(e.writer.pieces)
	e.closing.Unlock()
	<-e.writer.done
	e.readers.close()
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
