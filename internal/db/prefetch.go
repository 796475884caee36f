package db

import "entrepot/internal/db/engine"

// PendingRead is a read that is answered when its caller waits for it.
type PendingRead struct {
	tx *Tx
	engine.Pending
}

// Prefetch takes a read that does not depend on the answers of others, and calls each for every row of its answer: not before Wait.
// On PostgreSQL all pending reads travel in one message at the first Wait; SQLite answers one after the other, and only what is
// waited for. So a transaction prefetches all it may need, and then waits in the order in which its errors count. Writes queued before are
// sent first. Each keeps what it scans and must not use the transaction.
func (tx *Tx) Prefetch(each func(Rows) error, sql string, args ...any) *PendingRead {
	q := &PendingRead{tx: tx, Pending: engine.Pending{SQL: sql, Args: args, Each: each}}
	if err := tx.beforeRead(sql); err != nil {
		q.End(err)
		return q
	}
	tx.trace(sql, args)
	whole := tx.whole()
	whole.pending = append(whole.pending, &q.Pending)
	return q
}

// Wait has the read answered, if it was not yet, and gives what went wrong with it.
func (q *PendingRead) Wait() error {
	q.tx.await(q)
	return q.Err
}

// answer has pending reads answered: all that fit one message, at least one.
func (tx *Tx) answer() {
	n := tx.session.Answer(tx.pending)
	tx.pending = tx.pending[n:]
	tx.sent(n)
}

// WaitAll waits for several reads, in their order, to the first that failed.
func WaitAll(list []*PendingRead) error {
	for _, q := range list {
		if err := q.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// Pending is a value that was asked for, of one read or several.
type Pending[T any] struct {
	Value T // filled by the reads; whoever wants it calls Wait
	reads []*PendingRead
}

// Await adds a read that fills Value.
func (p *Pending[T]) Await(reads ...*PendingRead) *Pending[T] {
	p.reads = append(p.reads, reads...)
	return p
}

// Wait waits for the reads in their order, and gives the value, or the error of the first that failed. A nil Pending was not asked for:
// it gives the zero value.
func (p *Pending[T]) Wait() (value T, err error) {
	if p == nil {
		return value, nil
	}
	if err := WaitAll(p.reads); err != nil {
		return value, err
	}
	return p.Value, nil
}

// Last says that all that is read from here on is read by the next statement, or prefetched before the next Wait: the end of a Read then
// travels with it. Whoever reads on nevertheless does so on a new snapshot.
func (tx *Tx) Last() {
	if tx.readOnly && tx.branch == nil { // beside others, no branch knows what comes last
		tx.session.Last()
	}
}
