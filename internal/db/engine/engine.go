// Package engine is the contract between package db and its two engines, packages sqlite and postgres. Nothing else
// uses it.
//
//	Engine   an open store; Work is what a transaction does, Mode how it runs with others
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
	InUse() int       // how many of the connections are in use at this moment

	// ClockMargin bounds how much later than its own time of beginning, by this process's clock, another process may
	// commit.
	ClockMargin() time.Duration
	// Write runs one transaction of one tenant and commits it. Errors: ErrRetry after a lost race; what work returns,
	// unchanged; the store is away or busy; the outcome of the commit is unknown (errors.go).
	Write(ctx context.Context, tenant id.Tenant, how Mode, work Work) error
	// Read runs reads of one tenant.
	Read(ctx context.Context, tenant id.Tenant, how ReadMode, read func(Session) error) error
	// Settle waits until every change stamp reserved so far in the tenant is committed or abandoned, and returns the
	// time before the wait, in microseconds since 1970.
	Settle(ctx context.Context, tenant id.Tenant) (at int64, err error)

	// statements without arguments, in one transaction if the engine supports it
	Script(ctx context.Context, sql string) error
	DDL(text string) string                   // a migration's text in the engine's dialect
	AfterMigration(ctx context.Context) error // applies what every table of the schema needs
	// Prepared reports whether AfterMigration was done: a process may have died between its last migration and that.
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

// Work is what a transaction does with its session. The steps that it returns are written last, in the message that
// commits.
type Work func(Session) (last []*Step, err error)

// Mode says how a transaction runs with others.
type Mode int

// The modes.
const (
	Normal Mode = 0
	Serial Mode = 1 << (iota - 1) // transactions of this mode run one after the other within a tenant, on all nodes
	Alone                         // the transaction lost a race: such transactions run one at a time within a tenant
	Bulk                          // a piece of a bulk operation: other transactions run before the next piece
)

// ReadMode says what a read may see.
type ReadMode int

// The modes of reads.
const (
	Stored   ReadMode = iota // one snapshot; the read returns only when the disk holds everything that it saw
	Peek                     // one snapshot; a power cut may undo what the read saw
	Yielding                 // as Stored; on SQLite it pauses between rows, so that others get the processor
)

// Has reports whether a mode is among m.
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

	Size    string // bytes of the store's tables and indexes
	Columns string // table, column and type of every column, by table and column
}
