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

// Bounds of one group commit: as many acts as wait, but no new one after groupTime. When others are about, the writer waits for
// the next act up to lingerGap, because one commit for thirty costs hardly more than one for three.
const (
	groupSize = 256
	groupTime = 4 * time.Millisecond
	lingerGap = 400 * time.Microsecond
)

// sqliteWriter is the one goroutine that writes, and beside it the one that forces what was committed to the disk: while a group
// of acts is on its way there, the next one is being written. Nobody is answered before the disk has said that it holds the act.
type sqliteWriter struct {
	db     *DB
	conn   *sqliteConn
	acts   chan *act
	chores chan func(*sqliteConn) // what is done between two transactions
	crowd  bool                   // the last group had more than one act
	linger *time.Timer
	groups chan group
	landed chan struct{} // a group has reached the disk

	grown   chan struct{} // the log has grown
	written chan struct{} // closed when the writer has ended
	copied  chan struct{} // closed when copying has
	done    chan struct{} // closed when all has

	sync  func() error // forces what was committed to the disk; nil does not
	shore shore
}

// act is one waiting call of Write.
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

// shore knows which groups have reached the disk.
type shore struct {
	mu     sync.Mutex
	moved  sync.Cond
	left   int64 // the last group whose commit has begun
	landed int64 // all up to this one are on the disk
	err    error // the disk refused: nothing that came after is sure
}

func newWriter(d *DB, conn *sqliteConn, open func() (*sqliteConn, error), sync func() error) *sqliteWriter {
	w := &sqliteWriter{db: d, conn: conn, sync: sync, acts: make(chan *act, groupSize), chores: make(chan func(*sqliteConn)), linger: time.NewTimer(time.Hour),
		groups: make(chan group, 1), landed: make(chan struct{}, 1), grown: make(chan struct{}, 1), written: make(chan struct{}),
		copied: make(chan struct{}), done: make(chan struct{})}
	w.shore.moved.L = &w.shore.mu
	go w.write()
	go w.force()
	go w.copyLog(open)
	return w
}

// write takes every waiting act, runs each, commits once, and hands the group on.
func (w *sqliteWriter) write() {
	for open := true; open; {
		select {
		case first, more := <-w.acts:
			if open = more; more {
				w.group(first)
			}
		case chore := <-w.chores:
			chore(w.conn)
		}
	}
	close(w.written)
	close(w.grown)
	close(w.groups)
}

// force forces every group to the disk and answers its acts.
func (w *sqliteWriter) force() {
	defer close(w.done)
	for g := range w.groups {
		err := w.shore.failed()
		if err == nil && w.sync != nil {
			if err = w.sync(); err != nil {
				w.db.log.Error("the disk refused what was committed: nothing is taken any more until the store is opened again", "error", err)
				close(w.db.failed)
			}
		}
		w.shore.land(g.number, err)
		for _, a := range g.acts {
			if err != nil && a.err == nil {
				a.err = unknownOutcome(err)
			}
			close(a.done)
		}
		select {
		case w.landed <- struct{}{}:
		default:
		}
	}
	<-w.copied
	w.conn.exec("PRAGMA wal_checkpoint(TRUNCATE)", nil) // best effort: the next start has nothing to recover
	w.conn.close()
}

// leave numbers a group that is about to be committed.
func (s *shore) leave() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left++
	return s.left
}

func (s *shore) land(number int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.landed = number
	s.err = err
	s.moved.Broadcast()
}

// flying tells whether a group is on its way to the disk.
func (s *shore) flying() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.landed < s.left
}

// failed is why the disk refused a group. From then on every write is refused: what the system says of the file is no longer
// what the disk holds, and only opening it again tells.
func (s *shore) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// last is the last group whose commit has begun: whoever has just looked has seen none beyond it.
func (s *shore) last() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
}

// wait waits until a group is on the disk, so that nobody is told what a power cut could still undo.
func (s *shore) wait(number int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.landed < number && s.err == nil {
		s.moved.Wait()
	}
	if s.err != nil {
		return unavailable(s.err)
	}
	return nil
}

// group runs acts in one transaction without savepoints, which would copy every page they touch. Most acts that fail have
// written nothing yet, because writes are queued to their end. After one that has, everything is rolled back and the others
// run again, the refused ones too: what they were refused for may be gone, or have another id. Nobody was answered, and acts must
// bear running twice anyway. The one that failed runs by itself after the group, so that its refusal rests on what is stored.
func (w *sqliteWriter) group(first *act) {
	if err := w.shore.failed(); err != nil {
		first.end(unavailable(err))
		return
	}
	if _, err := w.conn.exec("BEGIN IMMEDIATE", nil); err != nil {
		first.end(storeFault(err))
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

// again rolls back and runs acts anew. One that fails now after it has written is put off, too, and all begins once more.
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

// alone runs one act in a transaction of its own.
func (w *sqliteWriter) alone(a *act) {
	if _, err := w.conn.exec("BEGIN IMMEDIATE", nil); err != nil {
		a.end(storeFault(err))
		return
	}
	if w.run(a) {
		w.conn.exec("ROLLBACK", nil)
		if _, err := w.conn.exec("BEGIN", nil); err != nil {
			a.end(storeFault(err))
			return
		}
	}
	w.commit([]*act{a})
}

// commit ends the transaction and hands its acts on to be answered when the disk holds them.
func (w *sqliteWriter) commit(acts []*act) {
	good := 0
	for _, a := range acts {
		if a.err == nil {
			good++
		}
	}
	w.crowd = good > 1
	number := w.shore.leave()
	if _, err := w.conn.exec("COMMIT", nil); err != nil {
		w.fail(acts, err)
		acts = nil
	}
	w.grew()
	w.groups <- group{number, acts}
}

// next is an act that waits. While the last group is on its way to the disk, nobody of this one could be told sooner, so it waits
// for more; and in a crowd for one that comes within lingerGap. It is nil when there is none.
func (w *sqliteWriter) next() *act {
	for {
		select {
		case a := <-w.acts: // nil once the channel is closed
			return a
		default:
		}
		if !w.shore.flying() {
			break
		}
		select {
		case a := <-w.acts:
			return a
		case <-w.landed:
		}
	}
	if !w.crowd {
		return nil
	}
	w.linger.Reset(lingerGap)
	select {
	case a := <-w.acts:
		w.linger.Stop()
		return a
	case <-w.linger.C:
		return nil
	}
}

// run runs one act and tells whether it has failed with something written: then the transaction must be rolled back.
func (w *sqliteWriter) run(a *act) (spoilt bool) {
	if a.err = a.ctx.Err(); a.err != nil {
		return false
	}
	w.conn.written = false
	tx := &Tx{Tenant: a.tenant, db: w.db, session: w.conn, now: w.db.Now()}
	if a.err = guarded(tx, a.run); a.err == nil {
		a.err = tx.Flush()
	}
	return a.err != nil && (w.conn.written || isStoreFault(a.err))
}

// guarded turns a panic of an act into an error, so that one bad act cannot take the writer with it.
func guarded(tx *Tx, run func(*Tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a transaction: %v\n%s", p, debug.Stack())
		}
	}()
	return run(tx)
}

// fail answers the acts of a group that the store did not take.
func (w *sqliteWriter) fail(acts []*act, err error) {
	w.conn.exec("ROLLBACK", nil)
	for _, a := range acts {
		a.end(storeFault(err))
	}
}

// storeFault is what the caller of a transaction hears that could not begin or end: to run again behind another process, or to come
// again. After a failed write of the log nobody knows what a crash would leave of it.
func storeFault(err error) error {
	switch err = sqliteMeaning(err); {
	case errors.Is(err, Retry):
		return err
	case sqliteCode(err).ToPrimary() == sqlite.ResultIOErr:
		return unknownOutcome(err)
	}
	return unavailable(err)
}

// isStoreFault tells whether an act failed for the store's sake. SQLite may have rolled everything back by itself then.
func isStoreFault(err error) bool {
	code := sqliteCode(err).ToPrimary()
	return code != sqlite.ResultOK && code != sqlite.ResultConstraint
}

var errClosed = errors.New("db: closed")
