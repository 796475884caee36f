package sqlite

import (
	"sync"

	"entrepot/internal/db/engine"
)

// durability knows which groups have reached the disk.
type durability struct {
	mu     sync.Mutex
	moved  sync.Cond
	begun  int64 // the last group whose commit has begun
	synced int64 // all up to this one are on the disk
	err    error // the disk refused: nothing that came after is sure
}

// begin numbers a group that is about to be committed.
func (d *durability) begin() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begun++
	return d.begun
}

// reached notes that a group is on the disk, or why it is not.
func (d *durability) reached(number int64, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.synced = number
	d.err = err
	d.moved.Broadcast()
}

// inFlight reports whether a group is on its way to the disk.
func (d *durability) inFlight() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.synced < d.begun
}

// failed is why the disk refused a group. From then on every write is refused: what the system says of the file is no longer
// what the disk holds, and only opening it again shows that.
func (d *durability) failed() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// last is the last group whose commit has begun: whoever has just read has seen none beyond it.
func (d *durability) last() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.begun
}

// wait waits until a group is on the disk, so that no answer rests on what a power cut could still undo.
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
