// Package db is the only place that knows that there are two engines: an embedded SQLite file and
// PostgreSQL. It knows no schema beyond the change clock and the scrubs it owes.
//
//	Write   one business transaction = one transaction; on SQLite many transactions share a commit, on PostgreSQL the
//	        last statements and COMMIT travel in one message
//	Read    a snapshot that never waits for writers
//	Tx      what both get: Query, Exec, and Queue for writes whose result nobody needs
//	clock   per tenant; gives each changed row a stamp that grows in commit order (interface §4.3)
//	Scrub   takes what was erased out of the files, too (interface §4.4)
//
// One SQL text serves both engines. It is written in PostgreSQL's words: $N placeholders, casts (::UUID) and
// row locks (FOR UPDATE); what SQLite does not have is taken out by text.go.
package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"entrepot/internal/apperr"
	"entrepot/internal/id"
)

// ErrNoRow is the answer of a Row that matched nothing.
var ErrNoRow = errors.New("db: no row")

// Retry is returned by a transaction that found the world changed under it; Write runs it again.
var Retry = errors.New("db: the data changed meanwhile, run again")

// Config says which store to open and what is injected into it.
type Config struct {
	URL    string           // postgres://…; empty for SQLite
	Dir    string           // SQLite's folder
	Now    func() time.Time // the clock of every transaction
	Log    *slog.Logger
	Pool   int  // connections of the read pool (SQLite) or of the whole pool (PostgreSQL); 0 = a good default
	Unsafe bool // SQLite without waiting for the disk: only for tests and throw-away stores

	StatementTimeout time.Duration // PostgreSQL: bounds each statement; 0 for none

	force    func() error // of tests, in the place of forcing SQLite's log to the disk
	injected bool         // Now was given
}

// engine is what an engine must do; two exist.
type engine interface {
	write(ctx context.Context, tenant id.Tenant, how mode, run func(*Tx) error) error
	read(ctx context.Context, tenant id.Tenant, sure bool, run func(*Tx) error) error
	settle(ctx context.Context, tenant id.Tenant) (at int64, err error)
	script(ctx context.Context, sql string) error
	afterMigration(ctx context.Context) error // what holds for all tables of the schema
	scrub(ctx context.Context, tables []string) (left []string, err error)
	texts(ctx context.Context, each func(table, column, text string) error) error
	files(ctx context.Context, each func(name string, content io.Reader) error) ([]string, error)
	ping(ctx context.Context) error
	close() error
	name() string
}

// DB is an open store; safe for concurrent use.
type DB struct {
	engine engine
	now    func() time.Time
	log    *slog.Logger
	mu     sync.Mutex
	wakers map[string][]chan struct{}
	failed chan struct{}

	scrubbing scrubbing
}

// Open opens the store without changing it; Migrate brings it up to date.
func Open(ctx context.Context, c Config) (*DB, error) {
	if c.injected = c.Now != nil; !c.injected {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	d := &DB{now: c.Now, log: c.Log, wakers: map[string][]chan struct{}{}, failed: make(chan struct{})}
	var err error
	switch {
	case c.URL == "":
		d.engine, err = openSQLite(c, d)
	case strings.HasPrefix(c.URL, "postgres://"), strings.HasPrefix(c.URL, "postgresql://"):
		d.engine, err = openPostgres(ctx, c, d)
	default:
		return nil, errors.New("the database address must start with postgres://")
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Close waits for running writes and closes every connection.
func (d *DB) Close() error { return d.engine.close() }

// Engine is "sqlite" or "postgres", for people to read.
func (d *DB) Engine() string { return d.engine.name() }

// Ping reports whether the store answers.
func (d *DB) Ping(ctx context.Context) error { return d.engine.ping(ctx) }

// Now is the injected clock in UTC, cut to microseconds as the store keeps it.
func (d *DB) Now() time.Time { return d.now().UTC().Truncate(time.Microsecond) }

// maxTries bounds how often Write runs one transaction again after a race.
const maxTries = 20

// mode is how an engine runs a transaction.
type mode int

const (
	normal     mode = iota
	optimistic      // its writes check what its reads relied on
	alone           // it has lost a race: in its tenant, one such transaction at a time
)

// Write runs one business transaction of one tenant in a transaction and commits it. An error rolls the transaction back and comes back unchanged. The
// transaction may run more than once after a race, so it must not keep state between runs. Acts of a tenant that have lost a race go one by one
// from then on, so that they do not lose to each other again.
func (d *DB) Write(ctx context.Context, tenant id.Tenant, act func(*Tx) error) error {
	return d.write(ctx, tenant, normal, act)
}

// OptimisticWrite is Write for a transaction whose queued writes check whatever its reads relied on (Step.Rows, Step.Unique, unique keys,
// writes by difference), and which reads nothing that it has queued. Its reads may then run beside other writers, on a snapshot.
func (d *DB) OptimisticWrite(ctx context.Context, tenant id.Tenant, act func(*Tx) error) error {
	return d.write(ctx, tenant, optimistic, func(tx *Tx) error {
		tx.optimistic = true
		return act(tx)
	})
}

func (d *DB) write(ctx context.Context, tenant id.Tenant, how mode, act func(*Tx) error) error {
	var err error
	for try := range maxTries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if try > 0 {
			if how = alone; tenant == Across {
				how = normal
			}
		}
		var tx *Tx
		err = d.engine.write(ctx, tenant, how, func(t *Tx) error {
			tx, t.try = t, try
			err := act(t)
			t.pending = nil // nobody waits for it
			return err
		})
		if err == nil {
			tx.wakeAll()
			return nil
		}
		if !errors.Is(err, Retry) {
			return err
		}
		d.log.Debug("write runs again", "try", try+1, "cause", err)
	}
	return tooLong(fmt.Errorf("gave up after %d races: %w", maxTries, err))
}

// Read runs reads of one tenant on one snapshot.
func (d *DB) Read(ctx context.Context, tenant id.Tenant, run func(*Tx) error) error {
	return d.again(ctx, func() error { return d.engine.read(ctx, tenant, true, run) })
}

// Peek is Read for a look of which nobody is told before a surer one: what it sees may still be undone by a power cut. Whether a caller
// may go on is such a look.
func (d *DB) Peek(ctx context.Context, tenant id.Tenant, run func(*Tx) error) error {
	return d.again(ctx, func() error { return d.engine.read(ctx, tenant, false, run) })
}

// Across is the tenant of transactions that serve every tenant: due deliveries, key look-up. Each statement
// run so sits in a file that says so.
const Across id.Tenant = 0

// Settle waits until every change stamp given so far in the tenant is committed or gone, so that a reader that keeps its own clock
// misses nothing (interface §4.3). It reports the store's time before it waited: whatever is not committed when Settle returns gets a
// later stamp.
func (d *DB) Settle(ctx context.Context, tenant id.Tenant) (at int64, err error) {
	err = d.again(ctx, func() error {
		at, err = d.engine.settle(ctx, tenant)
		return err
	})
	return at, err
}

// again runs a read anew for as long as it loses races.
func (d *DB) again(ctx context.Context, read func() error) (err error) {
	for range maxTries {
		if err = read(); !errors.Is(err, Retry) || ctx.Err() != nil {
			return err
		}
	}
	return tooLong(fmt.Errorf("gave up after %d races: %w", maxTries, err))
}

// Woken gives a channel that receives after a commit that called Tx.Wake(topic); signals may merge.
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

// Failed receives once the disk has refused a commit: the store takes nothing any more until it is opened again. On PostgreSQL it
// never does.
func (d *DB) Failed() <-chan struct{} { return d.failed }

// unavailable is the error for a store that does not answer (interface §7: 503).
func unavailable(err error) error {
	return shown(apperr.New(apperr.Unavailable, "unavailable", "the store does not answer, try again"), err)
}

// tooLong is the error for what waited or ran longer than it may: others are in the way (interface §7: 503).
func tooLong(err error) error {
	return shown(apperr.New(apperr.Unavailable, "busy", "the store is busy, try again"), err)
}

// unknownOutcome is the error for a commit of which nobody knows whether it happened (interface §7: 503).
func unknownOutcome(err error) error {
	return shown(apperr.New(apperr.Unavailable, "outcome_unknown",
		"the store went away while this was being stored and it is not known whether it was: repeat the request with the same Idempotency-Key"), err)
}

func shown(f *apperr.Error, cause error) error { return fmt.Errorf("%w: %w", f, cause) }
