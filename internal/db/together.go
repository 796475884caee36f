package db

import (
	"errors"
	"fmt"
	"iter"

	"entrepot/internal/db/engine"
)

// branch is a transaction that reads concurrently with others on the same snapshot (see Together).
type branch struct {
	top   *Tx                     // the transaction they all belong to: it has the pending reads
	pause func(*PendingRead) bool // lets the other branches run until the read is answered; false: it never will be
}

// Together runs functions that read and do not need each other's results. Each is written as if it ran alone; the
// reads at which they all wait travel in one message on PostgreSQL, so that together they cost as many messages as
// the longest of them. Only one runs at a time, so they may write to shared variables. All run to their end; the
// error is that of the first failed function in the list. It works inside Read only.
func (tx *Tx) Together(runs ...func(*Tx) error) error {
	if !tx.readOnly {
		panic("db: Together outside Read")
	}
	failed := make([]error, len(runs))
	branches := make([]func() (*PendingRead, bool), len(runs))
	for i, run := range runs {
		next, stop := iter.Pull(func(pause func(*PendingRead) bool) {
			own := *tx
			own.pending, own.branch = nil, &branch{top: tx.whole(), pause: pause}
			failed[i] = run(&own)
		})
		defer stop()
		branches[i] = next
	}
	for {
		var wanted []*PendingRead
		for _, next := range branches {
			if read, waits := next(); waits {
				wanted = append(wanted, read)
			}
		}
		if len(wanted) == 0 {
			break
		}
		for _, read := range wanted {
			tx.await(read)
		}
	}
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// whole returns the transaction of which this one is a branch, or itself.
func (tx *Tx) whole() *Tx {
	if tx.branch != nil {
		return tx.branch.top
	}
	return tx
}

// errAbandoned is the error of reads in branches that end because another branch panicked.
var errAbandoned = errors.New("db: the reads beside this one were given up")

// await runs the read if it has not run yet.
func (tx *Tx) await(read *PendingRead) {
	for !read.Done {
		switch {
		case len(tx.whole().pending) == 0:
			read.End(fmt.Errorf("db: the transaction of this read has ended: %s", engine.Head(read.SQL)))
		case tx.branch == nil:
			tx.answer()
		case !tx.branch.pause(read):
			read.End(errAbandoned)
		}
	}
}

// rowPending is Row in a branch, where every read is a pending one.
func (tx *Tx) rowPending(sql string, args, into []any) error {
	found := false
	err := tx.Prefetch(func(r Rows) error {
		if found {
			return nil
		}
		found = true
		return r.Scan(into...)
	}, sql, args...).Wait()
	if err == nil && !found {
		err = ErrNoRow
	}
	return err
}
