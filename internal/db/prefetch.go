package db

import (
	"slices"

	"entrepot/internal/db/engine"
)

// PendingRead is a read that runs when its caller waits for it, or earlier with others.
type PendingRead struct {
	tx *Tx
	engine.Pending
}

// Prefetch queues a read that does not depend on the results of others. At Wait, and not before, each is called for
// every row. On PostgreSQL all pending reads travel in one message at the first Wait; SQLite runs only the reads that
// are waited for, one after the other. So a transaction prefetches everything that it may need, and then waits in the
// order in which its errors matter. Earlier queued writes are sent first. each stores the scanned row and must not
// use the transaction.
func (tx *Tx) Prefetch(each func(Rows) error, sql string, args ...any) *PendingRead {
	q := &PendingRead{tx: tx, Pending: engine.Pending{SQL: sql, Args: args, Each: each}}
	if err := tx.Flush(); err != nil {
		q.End(err)
		return q
	}
	tx.trace(sql, args)
	whole := tx.whole()
	whole.pending = append(whole.pending, &q.Pending)
	return q
}

// Keyed is a read of the rows of 1 to 256 keys, see PrefetchOf.
type Keyed struct {
	Build func(keys int) string // the statement for that many keys: the tenant is $1, then come other arguments, then the keys
	texts Text
}

// KeyedBy reads the rows that have one of some keys in a column. selection ends before WHERE; rest follows the
// conditions.
func KeyedBy(selection, column, rest string) *Keyed {
	return &Keyed{Build: func(n int) string {
		return selection + " WHERE tenant_id = $1 AND " + column + " IN " + In(n, 2) + rest
	}}
}

// PrefetchOf is Prefetch for the rows of any number of keys; more are arguments between the tenant and the keys.
func PrefetchOf[T any](r Reader, k *Keyed, keys []T, each func(Rows) error, more ...any) (list []*PendingRead) {
	for piece := range slices.Chunk(keys, 256) {
		keys := Padded(piece)
		list = append(list, r.Prefetch(each, k.texts.For(len(keys), k.Build), slices.Concat([]any{r.TenantID()}, more, keys)...))
	}
	return list
}

// Wait runs the read if it has not run yet, and returns its error.
func (q *PendingRead) Wait() error {
	q.tx.await(q)
	return q.Err
}

// answer runs pending reads: as many as fit one message, at least one.
func (tx *Tx) answer() {
	n := tx.session.Answer(tx.pending)
	tx.pending = tx.pending[n:]
	tx.sent(n)
}

// WaitAll waits for several reads in their order and returns the first error.
func WaitAll(list []*PendingRead) error {
	for _, q := range list {
		if err := q.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// Pending is a value that one or several pending reads fill.
type Pending[T any] struct {
	Value T // filled by the reads; call Wait before using it
	reads []*PendingRead
}

// Await adds a read that fills Value.
func (p *Pending[T]) Await(reads ...*PendingRead) *Pending[T] {
	p.reads = append(p.reads, reads...)
	return p
}

// Wait waits for the reads in their order and returns the value, or the first error. A nil Pending, which has no
// reads, returns the zero value.
func (p *Pending[T]) Wait() (value T, err error) {
	if p == nil {
		return value, nil
	}
	if err := WaitAll(p.reads); err != nil {
		return value, err
	}
	return p.Value, nil
}

// Last announces that the next statement, or the reads prefetched before the next Wait, are the last of a Read, so
// that the end of the transaction travels with them. A later read runs on a new snapshot.
func (tx *Tx) Last() {
	if tx.readOnly && tx.branch == nil { // a branch of Together does not know which statement is last
		tx.session.Last()
	}
}
