package db

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"entrepot/internal/id"
)

// Bounds of one group commit: as many transactions as wait, but no new one after groupTime. When others are about, the writer waits for
// the next transaction up to batchDelay, because one commit for thirty costs hardly more than one for three.
const (
	groupSize  = 256
	groupTime  = 4 * time.Millisecond
	batchDelay = 400 * time.Microsecond
)

// sqliteWriter is the one goroutine that writes, and beside it the one that syncs what was committed to the disk: while a group
// of transactions is on its way there, the next one is being written. Nobody is answered before the disk has said that it holds the transaction.
type sqliteWriter struct {
	db     *DB
	conn   *sqliteConn
	acts   chan *act
	tasks  chan func(*sqliteConn) // what is done between two transactions
	batch  bool                   // the last group had more than one transaction
	delay  *time.Timer
	groups chan group
	synced chan struct{} // a group has reached the disk

	grown   chan struct{} // the log has grown
	written chan struct{} // closed when the writer has ended
	copied  chan struct{} // closed when copying has
	done    chan struct{} // closed when all has

	sync       func() error // syncs what was committed to the disk; nil does not
	durability durability
}

// transaction is one waiting call of Write.
type act struct {
	ctx    context.Context
	tenant id.Tenant
	run    func(*Tx) error
	err    error
	done   chan struct{}
}

// end answers the caller.
func (a *act) end(err error) {
	a.err = err
	close(a.done)
}

// group is what one commit holds.
type group struct {
	number int64
	acts   []*act
}

// durability knows which groups have reached the disk.
type durability struct {
	mu     sync.Mutex
	moved  sync.Cond
	left   int64 // the last group whose commit has begun
	synced int64 // all up to this one are on the disk
	err    error // the disk refused: nothing that came after is sure
}

func newWriter(d *DB, conn *sqliteConn, open func() (*sqliteConn, error), sync func() error) *sqliteWriter {
	w := &sqliteWriter{db: d, conn: conn, sync: sync, acts: make(chan *act, groupSize), tasks: make(chan func(*sqliteConn)), delay: time.NewTimer(time.Hour),
		groups: make(chan group, 1), synced: make(chan struct{}, 1), grown: make(chan struct{}, 1), written: make(chan struct{}),
		copied: make(chan struct{}), done: make(chan struct{})}
	w.durability.moved.L = &w.durability.mu
	go w.write()
	go w.force()
	go w.copyLog(open)
	return w
}

// write takes every waiting transaction, runs each, commits once, and hands the group on.
func (w *sqliteWriter) write() {
	for open := true; open; {
		select {
		case first, more := <-w.acts:
			if open = more; more {
				w.group(first)
			}
		case task := <-w.tasks:
			task(w.conn)
		}
	}
	close(w.written)
	close(w.grown)
	close(w.groups)
}

// sync syncs every group to the disk and answers its transactions.
func (w *sqliteWriter) force() {
	defer close(w.done)
	for g := range w.groups {
		err := w.durability.failed()
		if err == nil && w.sync != nil {
			if err = w.sync(); err != nil {
				w.db.log.Error("the disk refused what was committed: nothing is taken any more until the store is opened again", "error", err)
				close(w.db.failed)
			}
		}
		w.durability.land(g.number, err)
		for _, a := range g.acts {
			if err != nil && a.err == nil {
				a.err = unknownOutcome(err)
			}
			close(a.done)
		}
		select {
		case w.synced <- struct{}{}:
		default:
		}
	}
	<-w.copied
	w.conn.exec("PRAGMA wal_checkpoint(TRUNCATE)", nil) // best effort: the next start has nothing to recover
	w.conn.close()
}

// leave numbers a group that is about to be committed.
func (s *durability) leave() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left++
	return s.left
}

func (s *durability) land(number int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.synced = number
	s.err = err
	s.moved.Broadcast()
}

// inFlight reports whether a group is on its way to the disk.
func (s *durability) inFlight() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.synced < s.left
}

// failed is why the disk refused a group. From then on every write is refused: what the system says of the file is no longer
// what the disk holds, and only opening it again tells.
func (s *durability) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// last is the last group whose commit has begun: whoever has just looked has seen none beyond it.
func (s *durability) last() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
}

// wait waits until a group is on the disk, so that nobody is told what a power cut could still undo.
func (s *durability) wait(number int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.synced < number && s.err == nil {
		s.moved.Wait()
	}
	if s.err != nil {
		return unavailable(s.err)
	}
	return nil
}

// group runs transactions in one transaction without savepoints, which would copy every page they touch. Most transactions that fail have
// written nothing yet, because writes are queued to their end. After one that has, everything is rolled back and the others
// run again, the refused ones too: what they were refused for may be gone, or have another id. Nobody was answered, and transactions must
// bear running twice anyway. The one that failed runs by itself after the group, so that its refusal rests on what is stored.
func (w *sqliteWriter) group(first *act) {
	if err := w.durability.failed(); err != nil {
		first.end(unavailable(err))
		return
	}
	if _, err := w.conn.exec("BEGIN IMMEDIATE", nil); err != nil {
		first.end(storeError(err))
		return
	}
	acts, later := make([]*act, 0, 64), []*act(nil) // refused ones are among them: all are told together
	start := time.Now()
	for next := first; next != nil; {
		acts = append(acts, next)
		if w.run(next) {
			acts, later = acts[:len(acts)-1], append(later, next)
			var err error
			if acts, later, err = w.again(acts, later); err != nil {
				w.fail(append(acts, later...), err)
				return
			}
		}
		next = nil
		if len(acts) < groupSize && time.Since(start) < groupTime {
			next = w.next()
		}
	}
	w.commit(acts)
	for _, a := range later {
		w.alone(a)
	}
}

// again rolls back and runs transactions anew. One that fails now after it has written is put off, too, and all begins once more.
func (w *sqliteWriter) again(acts, later []*act) (kept, putOff []*act, err error) {
	for {
		w.conn.exec("ROLLBACK", nil) // SQLite may have rolled back by itself (disk full, I/O error)
		if _, err := w.conn.exec("BEGIN IMMEDIATE", nil); err != nil {
			return acts, later, err
		}
		spoilt := slices.IndexFunc(acts, w.run)
		if spoilt < 0 {
			return acts, later, nil
		}
		later = append(later, acts[spoilt])
		acts = slices.Delete(acts, spoilt, spoilt+1)
	}
}

// alone runs one transaction in a transaction of its own.
func (w *sqliteWriter) alone(a *act) {
	if _, err := w.conn.exec("BEGIN IMMEDIATE", nil); err != nil {
		a.end(storeError(err))
		return
	}
	if w.run(a) {
		w.conn.exec("ROLLBACK", nil)
		if _, err := w.conn.exec("BEGIN", nil); err != nil {
			a.end(storeError(err))
			return
		}
	}
	w.commit([]*act{a})
}

// commit ends the transaction and hands its transactions on to be answered when the disk holds them.
func (w *sqliteWriter) commit(acts []*act) {
	good := 0
	for _, a := range acts {
		if a.err == nil {
			good++
		}
	}
	w.batch = good > 1
	number := w.durability.leave()
	if _, err := w.conn.exec("COMMIT", nil); err != nil {
		w.fail(acts, err)
		acts = nil
	}
	w.grew()
	w.groups <- group{number, acts}
}

// next is a transaction that waits. While the last group is on its way to the disk, nobody of this one could be told sooner, so it waits
// for more; and in a batch for one that comes within batchDelay. It is nil when there is none.
func (w *sqliteWriter) next() *act {
	for {
		select {
		case a := <-w.acts: // nil once the channel is closed
			return a
		default:
		}
		if !w.durability.inFlight() {
			break
		}
		select {
		case a := <-w.acts:
			return a
		case <-w.synced:
		}
	}
	if !w.batch {
		return nil
	}
	w.delay.Reset(batchDelay)
	select {
	case a := <-w.acts:
		w.delay.Stop()
		return a
	case <-w.delay.C:
		return nil
	}
}

// run runs one transaction and reports whether it has failed with something written: then the transaction must be rolled back.
func (w *sqliteWriter) run(a *act) (spoilt bool) {
	if a.err = a.ctx.Err(); a.err != nil {
		return false
	}
	w.conn.written = false
	tx := &Tx{Tenant: a.tenant, db: w.db, session: w.conn, now: w.db.Now()}
	if a.err = guarded(tx, a.run); a.err == nil {
		a.err = tx.Flush()
	}
	return a.err != nil && (w.conn.written || isStoreError(a.err))
}

// guarded turns a panic of a transaction into an error, so that one bad transaction cannot take the writer with it.
func guarded(tx *Tx, run func(*Tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a transaction: %v\n%s", p, debug.Stack())
		}
	}()
	return run(tx)
}

// fail answers the transactions of a group that the store did not take.
func (w *sqliteWriter) fail(acts []*act, err error) {
	w.conn.exec("ROLLBACK", nil)
	for _, a := range acts {
		a.end(storeError(err))
	}
}

// storeError is what the caller of a transaction hears that could not begin or end: to run again behind another process, or to come
// again. After a failed write of the log nobody knows what a crash would leave of it.
func storeError(err error) error {
	switch err = sqliteMeaning(err); {
	case errors.Is(err, Retry):
		return err
	case sqliteCode(err).ToPrimary() == sqlite.ResultIOErr:
		return unknownOutcome(err)
	}
	return unavailable(err)
}

// isStoreError reports whether a transaction failed for the store's sake. SQLite may have rolled everything back by itself then.
func isStoreError(err error) bool {
	code := sqliteCode(err).ToPrimary()
	return code != sqlite.ResultOK && code != sqlite.ResultConstraint
}

var errClosed = errors.New("db: closed")
