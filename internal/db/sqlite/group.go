package sqlite

import (
	"slices"
	"time"

	"entrepot/internal/db/engine"
)

// Bounds of one group commit. A group takes all waiting transactions, but no new one after groupTime. While many
// callers write, so that the last group had more than batchLeast transactions, the writer waits up to batchDelay for
// the next one: one commit for thirty costs hardly more than one for ten. With fewer callers none would come, because
// all of them wait for this group.
const (
	groupSize  = 256
	batchLeast = 8
	batchDelay = 400 * time.Microsecond
)

// groupTime is a variable for tests, which raise it.
var groupTime = 4 * time.Millisecond

// group is the transactions of one commit.
type group struct {
	number       int64
	transactions []*transaction
}

// group runs transactions in one commit without savepoints, which would copy every page they touch. Most transactions
// that fail have written nothing yet, because writes are queued to their end. If one that has written fails,
// everything is rolled back and the others run again, also those that were refused: the reason for their refusal may
// be gone or have another id. No caller was answered yet, and any transaction may run twice. The transaction that
// failed runs alone after the group, so that its refusal depends on stored data only.
func (w *writer) group(first *transaction) {
	if err := w.durability.failed(); err != nil {
		first.end(engine.Unavailable(err))
		return
	}
	if _, err := w.conn.Exec("BEGIN IMMEDIATE", nil); err != nil {
		first.end(storeError(err))
		return
	}
	all, later := make([]*transaction, 0, 64), []*transaction(nil) // includes refused ones: all are answered together
	start := time.Now()
	for next := first; next != nil; {
		all = append(all, next)
		if w.run(next) {
			all, later = all[:len(all)-1], append(later, next)
			var err error
			if all, later, err = w.again(all, later); err != nil {
				w.fail(append(all, later...), err)
				return
			}
		}
		next = nil
		if len(all) < groupSize && time.Since(start) < groupTime {
			next = w.next()
		}
	}
	w.commit(all)
	for _, t := range later {
		w.alone(t)
	}
}

// again rolls back and runs transactions again. One that fails this time after it has written is postponed too, and
// all start once more.
func (w *writer) again(all, later []*transaction) (kept, putOff []*transaction, err error) {
	for {
		w.rollBack()
		if _, err := w.conn.Exec("BEGIN IMMEDIATE", nil); err != nil {
			return all, later, err
		}
		spoilt := slices.IndexFunc(all, w.run)
		if spoilt < 0 {
			return all, later, nil
		}
		later = append(later, all[spoilt])
		all = slices.Delete(all, spoilt, spoilt+1)
	}
}

// piece runs a piece of a bulk operation. It does not count for how many callers there are.
func (w *writer) piece(t *transaction) {
	if err := w.durability.failed(); err != nil {
		t.end(engine.Unavailable(err))
		return
	}
	batch := w.batch
	w.alone(t)
	w.batch = batch
}

// alone runs one transaction in a commit of its own.
func (w *writer) alone(t *transaction) {
	if _, err := w.conn.Exec("BEGIN IMMEDIATE", nil); err != nil {
		t.end(storeError(err))
		return
	}
	if w.run(t) {
		w.rollBack()
		if _, err := w.conn.Exec("BEGIN", nil); err != nil {
			t.end(storeError(err))
			return
		}
	}
	w.commit([]*transaction{t})
}

// commit commits the group and passes its transactions on, to be answered when the disk holds them.
func (w *writer) commit(all []*transaction) {
	good := 0
	for _, t := range all {
		if t.err == nil {
			good++
		}
	}
	w.batch = good > batchLeast
	number := w.durability.begin()
	if _, err := w.conn.Exec("COMMIT", nil); err != nil {
		w.fail(all, err)
		all = nil
	} else if good > 0 {
		w.refused.Store(false)
	}
	w.grew()
	w.groups <- group{number, all}
}

// next returns a waiting transaction, or nil if there is none. While the last group is being written to the disk,
// waiting for more delays nobody, because no caller of this group could be answered earlier; in a batch, next waits
// up to batchDelay.
func (w *writer) next() *transaction {
	for {
		select {
		case t := <-w.waiting: // nil after the channel is closed
			return t
		default:
		}
		if !w.durability.inFlight() {
			break
		}
		select {
		case t := <-w.waiting:
			return t
		case <-w.synced:
		}
	}
	if !w.batch {
		return nil
	}
	w.delay.Reset(batchDelay)
	select {
	case t := <-w.waiting:
		w.delay.Stop()
		return t
	case <-w.delay.C:
		return nil
	}
}

// run runs one transaction and reports whether it failed after it had written something: then the group must be
// rolled back.
func (w *writer) run(t *transaction) (spoilt bool) {
	if t.err = t.ctx.Err(); t.err != nil {
		return false
	}
	w.conn.written = false
	steps, err := t.work(w.conn)
	if err == nil {
		err = w.conn.Send(steps)
	}
	t.err = err
	if isStoreError(err) {
		w.refused.Store(true)
	}
	return err != nil && (w.conn.written || isStoreError(err))
}

// rollBack undoes everything since BEGIN. SQLite may have done so by itself (disk full, I/O error).
func (w *writer) rollBack() { w.conn.Exec("ROLLBACK", nil) }

// fail answers the transactions of a group that could not be stored.
func (w *writer) fail(all []*transaction, err error) {
	w.rollBack()
	w.refused.Store(true)
	for _, t := range all {
		t.end(storeError(err))
	}
}
