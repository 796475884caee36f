package worker

import (
	"context"
	"sync"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// A node that holds queues updates its row regularly: its beat. The others take over the queues of a node whose beat
// has not changed for deadAfter on their own clock; the node itself relies on its last beat for leaseTime, counted
// from the start of that update. So a node stops before others start, although their clocks are never compared, and
// the queues of a killed node are served again within deadAfter + 2 lookEvery.
const (
	beatEvery = time.Second
	lookEvery = 500 * time.Millisecond
	leaseTime = 2500 * time.Millisecond
	deadAfter = 3 * time.Second
)

// lease is the time for which this node may serve its queues. Attempts begin only within the lease; attempts to ordered
// endpoints also end with it.
type lease struct {
	forever bool // no other node serves the store

	mu    sync.Mutex
	until time.Time // by this process' monotonic clock
	timer *time.Timer
	held  context.Context // ends with the lease; the next lease has another one
	end   context.CancelFunc
}

func newLease(forever bool) *lease {
	l := &lease{forever: forever}
	l.held, l.end = context.WithCancel(context.Background())
	if !forever {
		l.end()
	}
	return l
}

// extend prolongs the lease after a beat that was begun at a time and is stored.
func (l *lease) extend(begun time.Time) {
	until := begun.Add(leaseTime)
	left := time.Until(until)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.forever || left <= 0 || !until.After(l.until) {
		return
	}
	if l.until = until; l.held.Err() != nil {
		l.held, l.end = context.WithCancel(context.Background())
	}
	if l.timer == nil {
		l.timer = time.AfterFunc(left, l.expire)
	} else {
		l.timer.Reset(left)
	}
}

// expire ends the lease unless it was prolonged in the same moment.
func (l *lease) expire() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !time.Now().Before(l.until) {
		l.end()
	}
}

// drop ends the lease at once.
func (l *lease) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = time.Time{}
	if !l.forever {
		l.end()
	}
}

// current returns the context that ends with the lease.
func (l *lease) current() context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held
}

// sighting is what this node has seen of another one's beat.
type sighting struct {
	beat   int64
	silent time.Duration // how long the beat has been seen unchanged
}

// live updates this node's row while it holds queues, and takes over from nodes that have died.
func (w *Worker) live() {
	defer close(w.lived)
	seen := map[string]*sighting{}
	var beaten time.Time
	for looked := time.Now(); pause(w.living, nil, lookEvery); {
		if begun := time.Now(); begun.Sub(beaten) >= beatEvery-lookEvery/2 && w.open.Load() > 0 {
			beaten = begun
			w.failed("updating this node's row", w.beat(begun))
		}
		// A round that was delayed counts as a short one: while the store or the processor hangs, no node is declared dead.
		now := time.Now()
		passed := min(now.Sub(looked), 2*lookEvery)
		looked = now
		w.failed("looking for dead nodes", w.lookAround(seen, passed))
	}
}

// beat records that this node is alive. If the others have declared the node dead, it no longer holds any queue and
// continues under another name.
func (w *Worker) beat(begun time.Time) error {
	node := w.name()
	var alive bool
	err := w.DB.Write(w.living, db.Across, func(tx *db.Tx) (err error) {
		alive, err = webhooks.Beat(tx, node)
		return err
	})
	switch {
	case err != nil:
		return err
	case alive:
		w.lease.extend(begun)
	default:
		w.Log.Warn("worker: other nodes have taken over the queues of this one, which had not updated its row for seconds")
		w.rename(node)
	}
	return nil
}

// lookAround reads the beats of the other nodes and ends the nodes whose beat was unchanged for too long.
func (w *Worker) lookAround(seen map[string]*sighting, passed time.Duration) error {
	var beats map[string]int64
	err := w.DB.Read(w.living, db.Across, func(tx *db.Tx) (err error) {
		tx.Last()
		beats, err = webhooks.Beats(tx, w.name())
		return err
	})
	if err != nil {
		return err
	}
	for node := range seen {
		if _, is := beats[node]; !is {
			delete(seen, node)
		}
	}
	for node, beat := range beats {
		s := seen[node]
		if s == nil || s.beat != beat {
			seen[node] = &sighting{beat: beat}
			continue
		}
		if s.silent += passed; s.silent < deadAfter {
			continue
		}
		var ended bool
		err := w.DB.Write(w.living, db.Across, func(tx *db.Tx) (err error) {
			ended, err = webhooks.EndNode(tx, node, beat)
			return err
		})
		if err != nil {
			return err
		}
		if ended {
			w.Log.Warn("worker: taking over the queues of a node that no longer updates its row", "node", node)
		}
		delete(seen, node)
	}
	return nil
}
