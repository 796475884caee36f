package db

import (
	"time"

	"entrepot/internal/id"
)

// The type of its transaction says what a function may do. *Tx allows everything. A function that only reads takes a
// Reader; one that only queues writes takes a Writer or, if an optimistic transaction may call it, a GuardedWriter.
// Writers cannot read and return no error: an error of a queued write is returned by the transaction that sends it.

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
	PrefetchKeys(each func(Rows) error, k *Keyed, head []any, keys []any) *PendingRead
}

// GuardedWriter queues writes that stay correct when the data read before has changed meanwhile: each names its Guard.
type GuardedWriter interface {
	TenantID() id.Tenant
	Author() Author
	Now() time.Time
	Micros() int64
	Put(g Guard, sql string, args ...any)
	PutStamped(g Guard, sql string, args ...any)
	PutRows(g Guard, f *Form, args ...any)
	PutRowsStamped(g Guard, f *Form, args ...any)
	Require(n int64, miss error, sql string, args ...any)
	Share(name string)
	Stamps(n int) (offset int64)
	Tally(name, key string, n int64)
	Wake(topic string)
}

// Writer queues writes.
type Writer interface {
	GuardedWriter
	Queue(sql string, args ...any) *Step
	Change(sql string, args ...any) *Step
	LockRows(sql string, args ...any)
	RequestScrub(tables ...string)
	AtEnd(do func(*Tx) error)
}

var (
	_ Reader = (*Tx)(nil)
	_ Writer = (*Tx)(nil)
)
