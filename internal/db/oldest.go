package db

import (
	"sync"
	"time"
)

// openWrites are the running writes of this process, with the times at which they began.
type openWrites struct {
	mu    sync.Mutex
	last  int64
	began map[int64]time.Time
}

// enter notes that a write begins, and returns its number for leave.
func (o *openWrites) enter(now time.Time) int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last++
	o.began[o.last] = now
	return o.last
}

func (o *openWrites) leave(number int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.began, number)
}

// OldestWrite returns a time before everything that is not committed yet: a transaction that commits after this call
// has a later Micros. So the times in rows show what a later snapshot lacks. The margin covers what this process does
// not see: a clock that is set back and, on PostgreSQL, clocks and transactions of other nodes. (The server ends a
// transaction of a node that stands still after seconds.)
func (d *DB) OldestWrite() (at int64) {
	oldest := d.Now()
	d.open.mu.Lock()
	defer d.open.mu.Unlock()
	for _, began := range d.open.began {
		if began.Before(oldest) {
			oldest = began
		}
	}
	return oldest.Add(-d.engine.ClockMargin()).UnixMicro()
}
