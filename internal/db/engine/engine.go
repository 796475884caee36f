// Package engine is what package db and the packages of its two engines, sqlite and postgres, agree on. Only these use it.
//
//	Engine   an open store; Work is what a transaction does, Mode how it is run together with others
//	Session  a connection inside a transaction
//	Step     a queued write; Pending a read that is sent with others
//	Loader   fills the tables of a store that is moved here
//
// errors.go has the errors that both engines share.
package engine

import (
	"context"
	"io"
	"time"

	"entrepot/internal/base/id"
)

// Engine is an open store. It is safe for concurrent use.
type Engine interface {
	Name() string     // "sqlite" or "postgres"
	Connections() int // how many reads may run at once

	// ClockMargin is how much later than the time of its beginning, on this process's clock, another process may commit a transaction.
	ClockMargin() time.Duration
	// Write runs one transaction of one tenant and commits it. Errors: ErrRetry after a lost race; what work returns,
	// unchanged; the store is away or busy; the outcome of the commit is unknown (errors.go).
	Write(ctx context.Context, tenant id.Tenant, how Mode, work Work) error
	// Read runs reads of one tenant.
	Read(ctx context.Context, tenant id.Tenant, how ReadMode, read func(Session) error) error
	// Settle waits until every change stamp reserved so far in the tenant is committed or abandoned, and returns the
	// time before the wait, in microseconds since 1970.
	Settle(ctx context.Context, tenant id.Tenant) (at int64, err error)

	Script(ctx context.Context, sql string) error // statements without arguments, in one transaction if the engine supports it
	DDL(text string) string                       // a migration's text in the engine's dialect
	AfterMigration(ctx context.Context) error     // applies what every table of the schema needs
	// Prepared reports whether that is done: a process may have died behind its last migration.
	Prepared(ctx context.Context) (bool, error)
	Catalog() Catalog

	// Scrub removes from the store's files what deleted and changed rows of the given tables left there. left are
	// tables in use, to be scrubbed later.
	Scrub(ctx context.Context, tables []string) (left []string, err error)
	// Files reads the store's files byte by byte. left describes the files that cannot be read.
	Files(ctx context.Context, each func(name string, content io.Reader) error) (left []string, err error)

	Ping(ctx context.Context) error
	Close() error // waits for running writes
}

// Work is what a transaction does with its session. The steps that it returns are written last, in the message that commits.
type Work func(Session) (last []*Step, err error)

// Mode is how an engine runs a transaction: Normal, or others together.
type Mode int

// The modes.
const (
	Normal Mode = 0
	Turn   Mode = 1 << (iota - 1) // transactions of this mode of a tenant run one after the other, on all nodes
	Alone                         // it has lost a race: such transactions of a tenant run one at a time
	Bulk                          // a piece of a bulk operation: other transactions run before the next piece
)

// ReadMode is what reads may rest on.
type ReadMode int

// The modes of reads.
const (
	Stored  ReadMode = iota // one snapshot; it returns only when the disk holds everything that was seen
	Peek                    // one snapshot; a power cut may undo what was seen
	Patient                 // as Stored; on SQLite it rests between rows, so that others get the processor
)

// Has reports whether a mode is one of m.
func (m Mode) Has(mode Mode) bool { return m&mode != 0 }

// Session is one connection inside one transaction. It is not safe for concurrent use.
type Session interface {
	Query(sql string, args []any) (Rows, error)
	Exec(sql string, args []any) (int64, error)
	Send(steps []*Step) error      // in order, in one message if the engine supports it
	Answer(pending []*Pending) int // runs the first of them, or as many as fit one message, and reports how many
	Last()                         // the next statement, or the next pending ones, are the transaction's last
	LockName(tenant id.Tenant, number int64) error
	LockClock(tenant id.Tenant) error
}

// Catalog is SQL about the tables of the store, which differs between the engines.
type Catalog struct {
	Made  string // how many tables are named schema_versions: 0 or 1
	Texts string // table and column of every text column, by table

	Columns string // table, column and type of every column, by table and column
}
