package db

import "fmt"

// PendingRead is a read that was pending for and is answered when somebody waits for it.
type PendingRead struct {
	tx   *Tx
	sql  string
	args []any
	each func(Rows) error
	done bool
	err  error
}

// Ask takes a read that does not depend on the answers of others, and calls each for every row of its answer: not before Wait.
// On PostgreSQL all that was pending travels in one message at the first Wait; SQLite answers one after the other, and only what is
// waited for. So a transaction asks for all it may need, and then waits in the order in which its errors count. Writes queued before are
// sent first, but for those of a optimistic transaction. Each keeps what it scans and must not use the transaction.
func (tx *Tx) Prefetch(each func(Rows) error, sql string, args ...any) *PendingRead {
	q := &PendingRead{tx: tx, sql: sql, args: args, each: each}
	if !tx.optimistic {
		if err := tx.Flush(); err != nil {
			q.end(err)
			return q
		}
	}
	tx.pending = append(tx.pending, q)
	return q
}

// Wait has the question answered, if it was not yet, and gives what went wrong with it.
func (q *PendingRead) Wait() error {
	for !q.done {
		if len(q.tx.pending) == 0 {
			return fmt.Errorf("db: pending in a transaction that has ended: %s", head(q.sql))
		}
		n := q.tx.session.answer(q.tx.pending)
		q.tx.pending = q.tx.pending[n:]
	}
	return q.err
}

// WaitAll waits for several questions, in their order, to the first that failed.
func WaitAll(list []*PendingRead) error {
	for _, q := range list {
		if err := q.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// read walks the rows of the answer.
func (q *PendingRead) read(rows Rows, err error) {
	if err != nil {
		q.end(fmt.Errorf("%w in %s", err, head(q.sql)))
		return
	}
	defer rows.Close()
	for rows.Next() {
		if err := q.each(rows); err != nil {
			q.end(err)
			return
		}
	}
	q.end(rows.Err())
}

func (q *PendingRead) end(err error) { q.done, q.err = true, err }

// Last says that all that is read from here on is read by the next statement, or pending before the next Wait: the end of a Read then
// travels with it. Whoever reads on nevertheless does so on a new snapshot.
func (tx *Tx) Last() {
	if tx.readOnly {
		tx.session.last()
	}
}
