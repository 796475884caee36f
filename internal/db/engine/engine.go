// Package engine is what package db and the packages of its two engines, sqlite and postgres, agree on: what an engine does, what a
// connection inside a transaction does, and which errors they share. Only these packages use it.
package engine

import (
	"context"
	"io"

	"entrepot/internal/id"
)

// Engine is an open store. It is safe for concurrent use.
type Engine interface {
	Name() string     // "sqlite" or "postgres"
	Connections() int // that reads may have at once

	// Write runs one transaction of one tenant and commits it. Errors: ErrRetry after a lost race; what work returns, unchanged; that the
	// store is away, busy, or that nobody knows whether it committed (errors.go).
	Write(ctx context.Context, tenant id.Tenant, how Mode, work Work) error
	// Read runs reads on one snapshot. A sure one returns after the disk holds what it may have seen.
	Read(ctx context.Context, tenant id.Tenant, sure bool, read func(Session) error) error
	// Settle waits until every change stamp given so far in the tenant is committed or gone, and reports the time before it waited, in
	// microseconds since 1970.
	Settle(ctx context.Context, tenant id.Tenant) (at int64, err error)

	Script(ctx context.Context, sql string) error // statements without arguments, in one transaction where the engine can
	DDL(text string) string                       // a migration's text in the engine's own words
	AfterMigration(ctx context.Context) error     // does what holds for all tables of the schema
	Catalog() Catalog

	// Scrub takes out of the store's files what deleted and changed rows of some tables left there. left are tables in use, to be
	// scrubbed later.
	Scrub(ctx context.Context, tables []string) (left []string, err error)
	// Files reads the store's files as the bytes they are. left names, for people, those that cannot be read.
	Files(ctx context.Context, each func(name string, content io.Reader) error) (left []string, err error)

	Ping(ctx context.Context) error
	Close() error // waits for running writes
}

// Work is what a transaction does on its session. What it returns is written last, in the message that commits.
type Work func(Session) (last []*Step, err error)

// Mode is how an engine runs a transaction.
type Mode int

// The modes.
const (
	Normal     Mode = iota
	Optimistic      // its work only reads, and what it returns checks what the reads relied on
	Alone           // it has lost a race: in its tenant, one such transaction at a time
)

// Session is one connection inside one transaction. It is not safe for concurrent use.
type Session interface {
	Query(sql string, args []any) (Rows, error)
	Exec(sql string, args []any) (int64, error)
	Send(steps []*Step) error      // in order, in one message where the engine can
	Answer(pending []*Pending) int // runs the first of them, or as many as fit one message, and reports how many
	Last()                         // the next statement, or the next pending ones, are the transaction's last
	LockName(tenant id.Tenant, number int64) error
	LockClock(tenant id.Tenant) error
}

// Catalog is SQL about the tables of the store, which each engine keeps elsewhere.
type Catalog struct {
	Made  string // how many tables are named schema_versions: 0 or 1
	Texts string // table and column of every column of text, by table

	Columns string // table, column and type of every column, by table and column
}
