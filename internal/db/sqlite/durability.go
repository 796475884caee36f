package sqlite

import (
	"sync"

	"entrepot/internal/db/engine"
)

// durability tracks which groups have reached the disk.
type durability struct {
	mu     sync.Mutex
	moved  sync.Cond
	begun  int64 // the last group whose commit has started
	synced int64 // all groups up to this one are on the disk
	err    error // the disk refused a group: later groups may not be on it either
}

// begin numbers a group that is about to commit.
func (d *durability) begin() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begun++
	return d.begun
}

// reached records that a group is on the disk, or why it is not.
func (d *durability) reached(number int64, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.synced = number
	d.err = err
	d.moved.Broadcast()
}

// inFlight reports whether a group is being written to the disk.
func (d *durability) inFlight() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.synced < d.begun
}

// failed is the reason for which the disk refused a group. After that every write is refused: the system's cache of
// the file may differ from what the disk holds, and only opening the file again shows that.
func (d *durability) failed() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// last is the last group whose commit has started. A read that has just ended has seen no later one.
func (d *durability) last() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.begun
}

// wait waits until a group is on the disk, so that no answer depends on data that a power cut could still undo.
func (d *durability) wait(number int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.synced < number && d.err == nil {
		d.moved.Wait()
	}
	if d.err != nil {
		return engine.Unavailable(d.err)
	}
	return nil
}
