package sqlite

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"entrepot/internal/db/engine"
)

// writer is the one goroutine that writes. A second one syncs commits to the disk: while one group of transactions is
// being synced, the next is being written. A caller is answered only when the disk holds its transaction.
type writer struct {
	log     *slog.Logger
	conn    *conn
	waiting chan *transaction
	pieces  chan *transaction // of bulk operations
	tasks   chan func(*conn)  // work done between two groups
	batch   bool              // the last group had many transactions
	delay   *time.Timer
	groups  chan group
	synced  chan struct{} // a group has reached the disk

	grown   chan struct{} // the log has grown
	written chan struct{} // closed when the writer has ended
	copied  chan struct{} // closed when the copying of the log has ended
	done    chan struct{} // closed when everything has ended

	refused    atomic.Bool  // the store refused the last write
	sync       func() error // returns when the disk holds what was committed
	failed     func()       // called when the disk has refused
	durability durability
}

// transaction is one waiting call of Write.
type transaction struct {
	ctx  context.Context
	work engine.Work
	err  error
	done chan struct{}
}

// end answers the caller.
func (t *transaction) end(err error) {
	t.err = err
	close(t.done)
}

func newWriter(c Config, own *conn, open func() (*conn, error)) *writer {
	w := &writer{log: c.Log, conn: own, sync: c.Sync, failed: c.Failed, waiting: make(chan *transaction, groupSize),
		pieces: make(chan *transaction, groupSize), tasks: make(chan func(*conn)),
		delay: time.NewTimer(time.Hour), groups: make(chan group, 1), synced: make(chan struct{}, 1), grown: make(chan struct{}, 1),
		written: make(chan struct{}), copied: make(chan struct{}), done: make(chan struct{})}
	w.durability.moved.L = &w.durability.mu
	go w.write()
	go w.syncGroups()
	go w.copyLog(open)
	return w
}

// write takes all waiting transactions, runs each, commits once, and passes the group on. A piece of a bulk operation
// has a commit of its own; transactions that wait when it ends run before the next piece.
func (w *writer) write() {
	piece := false // the last commit was one
	for waiting, pieces := w.waiting, w.pieces; waiting != nil || pieces != nil; {
		next := pieces
		if piece && len(waiting) > 0 {
			next = nil
		}
		select {
		case first, more := <-waiting:
			if piece = false; !more {
				waiting = nil
			} else {
				w.group(first)
			}
		case one, more := <-next:
			if piece = true; !more {
				pieces = nil
			} else {
				w.piece(one)
			}
		case task := <-w.tasks:
			task(w.conn)
		}
	}
	close(w.written)
	close(w.grown)
	close(w.groups)
}

// syncGroups syncs each group to the disk and answers its transactions.
func (w *writer) syncGroups() {
	defer close(w.done)
	for g := range w.groups {
		err := w.durability.failed()
		if err == nil {
			if err = w.sync(); err != nil {
				w.log.Error("the disk refused what was committed: nothing is taken any more until the store is opened again", "error", err)
				w.failed()
			}
		}
		w.durability.reached(g.number, err)
		for _, t := range g.transactions {
			if err != nil && t.err == nil {
				t.err = engine.UnknownOutcome(err)
			}
			close(t.done)
		}
		select {
		case w.synced <- struct{}{}:
		default:
		}
	}
	<-w.copied
	w.conn.Exec("PRAGMA wal_checkpoint(TRUNCATE)", nil) // if it fails, the next start recovers the log
	w.conn.close()
}
