package db

import (
	"errors"
	"fmt"
	"iter"

	"entrepot/internal/db/engine"
)

// branch is a transaction that reads beside others of the same snapshot (see Together).
type branch struct {
	top   *Tx                     // the transaction of all of them: it has the pending reads
	pause func(*PendingRead) bool // gives way to the others until the read may be answered; false: never
}

// Together runs functions that read, none of which needs what another has found. Each reads one thing after the other, as if it were
// alone; what all of them have come to read travels in one message on PostgreSQL, so that together they cost as many messages as the
// longest of them. They take turns: one runs at a time, and they may write to what they share. All of them run to their end; the error
// is that of the first in the list that failed. It is for Read alone.
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

// whole is the transaction of which this one is a branch, or itself.
func (tx *Tx) whole() *Tx {
	if tx.branch != nil {
		return tx.branch.top
	}
	return tx
}

// errAbandoned is what a branch reads when another has ended all of them by a panic.
var errAbandoned = errors.New("db: the reads beside this one were given up")

// await has a read answered.
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

// rowPending is Row for a branch, whose reads are all pending ones.
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
