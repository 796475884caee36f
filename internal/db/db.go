// Package db is the store: transactions, and the types that its callers write them with. Of the schema it knows only
// the change clock, the stored counts and the list of pending scrubs.
//
//	Write   one operation is one transaction; on SQLite many transactions share a commit, on PostgreSQL the last
//	        statements and COMMIT travel in one message
//	Read    a snapshot that never waits for writers
//	Tx      what both receive: Query, Exec, and Queue for writes whose result the caller does not need
//	clock   per tenant; gives each changed row a stamp that grows in commit order (interface §4.3)
//	tally   per tenant; counts that writes keep up to date, so that lists need not count rows (tally.go)
//	Scrub   removes erased data from the store's files (interface §4.4)
//
// The packages below it: engine defines what an engine must do, sqlite and postgres implement it, migrations holds the
// schema. Nothing else knows that there are two engines. One SQL text serves both: it is written in PostgreSQL's
// dialect, with $N placeholders, casts (::UUID) and row locks (FOR UPDATE), and package sqlite removes what SQLite does
// not have.
package db

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"entrepot/internal/base/processors"
	"entrepot/internal/base/trace"
	"entrepot/internal/db/engine"
	"entrepot/internal/db/migrations"
	"entrepot/internal/db/postgres"
	"entrepot/internal/db/sqlite"
)

// Config says which store to open and what is injected into it.
type Config struct {
	URL    string           // postgres://…; empty for SQLite
	Dir    string           // SQLite's folder
	Now    func() time.Time // the clock of every transaction
	Log    *slog.Logger
	Pool   int  // connections of the read pool (SQLite) or of the whole pool (PostgreSQL); 0 = a good default
	Unsafe bool // SQLite does not wait for the disk: only for tests and throw-away stores

	StatementTimeout time.Duration // PostgreSQL: bounds each statement; 0 for none
	// commands, tests: the least time to wait for connections, locks and admission; 0: the usual times
	MinWait time.Duration

	Spans     *trace.Tracer // records the messages to the store; nil: none
	HasBackup bool          // PostgreSQL: migrations that rewrite tables may run
	Later     []Migration   // for tests: migrations after this program's own

	Trace func(sql string, args []any) // for tests: called with every statement that reads; nil for none
	Wrote func(sql string, args []any) // for tests: called with every statement that is queued to write; nil for none
	Sent  func(reads int)              // for tests: called for every message of reads, with the number of its statements; nil for none
}

// Migration is one step of the schema (package migrations).
type Migration = migrations.Migration

// NewMigration is a migration after those of this program, n from 1, with a file's name and text: for tests.
func NewMigration(n int, name, text string) Migration {
	return migrations.New(len(migrations.Known())+n, name, text)
}

// DB is an open store; safe for concurrent use.
type DB struct {
	*opened
	author Author // see By
}

// opened is what all authors of a store share.
type opened struct {
	engine    engine.Engine
	runs      engine.Engine // runs transactions: engine itself, or with spans around its messages (traced.go)
	now       func() time.Time
	trace     func(sql string, args []any)
	wrote     func(sql string, args []any)
	sent      func(reads int)
	log       *slog.Logger
	known     []Migration // of this program
	unsafe    bool        // see Config
	hasBackup bool        // see Config
	mu        sync.Mutex  // guards wakers
	wakers    map[string][]chan struct{}
	failed    chan struct{} // closed when the disk has refused what was committed

	admission *admission
	open      openWrites
	commits   atomic.Int64 // transactions of this process that were committed
	others    atomic.Int64 // the tenants' transactions among them: no pieces of bulk operations, not Background
	otherAt   atomic.Int64 // when the last of othersCommitted was committed, in nanoseconds of real time since 1970
	passed    atomic.Int64 // othersCommitted at the commit of the last piece of a bulk operation
	scrubbing scrubbing
	memo      sync.Map
}

// Memo is what packages cache about the store in the memory of this process, each under keys of a type of its own. A
// transaction may use an entry only if what the transaction reads shows that the entry is still true.
func (d *DB) Memo() *sync.Map { return &d.memo }

// Memo returns the memo of the store (DB.Memo).
func (tx *Tx) Memo() *sync.Map { return &tx.db.memo }

// Open opens the store without changing its schema; Migrate brings it up to date.
func Open(ctx context.Context, c Config) (*DB, error) {
	injected := c.Now != nil
	if !injected {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	d := &DB{opened: &opened{now: c.Now, trace: c.Trace, wrote: c.Wrote, sent: c.Sent, log: c.Log, wakers: map[string][]chan struct{}{},
		known: slices.Concat(migrations.Known(), c.Later), unsafe: c.Unsafe, hasBackup: c.HasBackup,
		failed: make(chan struct{}), open: openWrites{began: map[int64]time.Time{}}}}
	var err error
	switch {
	case c.URL == "":
		d.engine, err = sqlite.Open(sqlite.Config{Dir: c.Dir, Now: d.Now, Log: c.Log, Pool: c.Pool, Unsafe: c.Unsafe,
			Failed: func() { close(d.failed) }})
	case strings.HasPrefix(c.URL, "postgres://"), strings.HasPrefix(c.URL, "postgresql://"):
		d.engine, err = postgres.Open(ctx, postgres.Config{URL: c.URL, Now: d.Now, Injected: injected, Log: c.Log, Pool: c.Pool,
			StatementTimeout: c.StatementTimeout, MinWait: c.MinWait})
	default:
		return nil, errors.New("the database address must start with postgres://")
	}
	if err != nil {
		return nil, err
	}
	if d.runs = d.engine; c.Spans != nil {
		d.runs = traced{d.engine, c.Spans}
	}
	d.admission = newAdmission(d.engine.Connections(), processors.Count())
	d.admission.minWait = max(wideWait, c.MinWait)
	return d, nil
}

// Close waits for running writes and closes every connection.
func (d *DB) Close() error { return d.engine.Close() }

// Engine is "sqlite" or "postgres", for people to read.
func (d *DB) Engine() string { return d.engine.Name() }

// Ping reports whether the store answers.
func (d *DB) Ping(ctx context.Context) error { return d.engine.Ping(ctx) }

// Now is the injected clock in UTC, cut to microseconds as the store keeps it.
func (d *DB) Now() time.Time { return d.now().UTC().Truncate(time.Microsecond) }

// Woken returns a channel that receives after each commit that called Tx.Wake(topic); several signals may arrive as
// one.
func (d *DB) Woken(topic string) <-chan struct{} {
	c := make(chan struct{}, 1)
	d.mu.Lock()
	d.wakers[topic] = append(d.wakers[topic], c)
	d.mu.Unlock()
	return c
}

func (d *DB) wake(topic string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.wakers[topic] {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// Failed returns a channel that receives once the disk has refused a commit: the store then refuses every write until
// it is opened again. On PostgreSQL it never receives.
func (d *DB) Failed() <-chan struct{} { return d.failed }

// Lasting reports whether a transaction would fail again in the same way: the store refuses its data, or the code
// cannot handle them.
func Lasting(err error) bool {
	return errors.Is(err, errPanic) || sqlite.Lasting(err) || postgres.Lasting(err)
}
