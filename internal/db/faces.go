package db

import (
	"time"

	"entrepot/internal/base/id"
)

// A function's parameter says what it does with a transaction. *Tx allows everything. A function that only reads
// takes a Reader; one that only queues writes takes a Writer. Writers cannot read and return no error: the
// transaction that sends a queued write returns its error.

// Reader reads in a transaction.
type Reader interface {
	TenantID() id.Tenant
	Now() time.Time
	Micros() int64
	Try() int
	Query(sql string, args ...any) (Rows, error)
	Each(each func(Rows) error, sql string, args ...any) error
	Row(sql string, args []any, into ...any) error
	Prefetch(each func(Rows) error, sql string, args ...any) *PendingRead
}

// Writer queues writes.
type Writer interface {
	TenantID() id.Tenant
	Author() Author
	Now() time.Time
	Micros() int64
	Queue(sql string, args ...any) *Step
	Change(sql string, args ...any) *Step
	Require(n int64, miss error, sql string, args ...any)
	LockRows(sql string, args ...any)
	Share(name string)
	Stamps(n int) (offset int64)
	Tally(name, key string, n int64)
	RequestScrub(tables ...string)
	AtEnd(do func(*Tx) error)
	Wake(topic string)
}

var (
	_ Reader = (*Tx)(nil)
	_ Writer = (*Tx)(nil)
)
