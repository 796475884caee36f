package worker

import (
	"context"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// How often queues are read.
const (
	dueOverlap   = time.Second // a delivery is stored a little after the time at which it is due
	compareEvery = 10 * time.Second
	peersPoll    = 250 * time.Millisecond // how often held queues are read for deliveries of other nodes, which wake no loop here
)

// serve takes over queues that are due, and notifies the held queues that have new deliveries.
func (w *Worker) serve() {
	woken := w.DB.Woken(webhooks.Due)
	var since int64
	compared := w.DB.Now()
	for {
		start := time.Now()
		next, err := w.take(&since)
		w.failed("taking over queues", err)
		if now := w.DB.Now(); now.Sub(compared) >= compareEvery {
			compared = now
			w.failed("comparing queues", w.compare())
		}
		if !w.backOff(time.Since(start)) {
			return
		}
		pause := w.Poll
		if !w.Alone {
			pause = min(pause, peersPoll)
		}
		if next > 0 {
			pause = max(0, min(pause, time.UnixMicro(next).Sub(w.DB.Now())))
		}
		if !w.pause(woken, pause) {
			return
		}
	}
}

// take claims free queues and notifies held ones; next is when the next queue is due, 0 for none.
func (w *Worker) take(since *int64) (next int64, err error) {
	w.mu.Lock()
	room, node, first := maxQueues-len(w.queues), w.node, !w.entered
	w.mu.Unlock()
	var free []webhooks.Queue
	var held []webhooks.HeldQueue
	now := *since
	err = w.DB.Read(w.stopping, db.Across, func(tx *db.Tx) (err error) {
		now = tx.Micros()
		free, held, next, err = webhooks.DueQueues(tx, node, *since-dueOverlap.Microseconds(), max(0, room))
		return err
	})
	if err != nil {
		return 0, err
	}
	*since = now
	for _, h := range held {
		if q := w.queue(h.Queue); q != nil && q.dueAt != h.DueAt {
			q.dueAt = h.DueAt
			q.notify()
		}
	}
	if len(free) == 0 {
		return next, nil
	}
	begun := time.Now()
	var claimed []webhooks.Queue
	var alive bool
	err = w.DB.Write(w.stopping, db.Across, func(tx *db.Tx) (err error) {
		claimed, alive, err = webhooks.Claim(tx, node, first, len(free))
		return err
	})
	if err != nil {
		return next, err
	}
	if !alive {
		w.rename(node)
		return 0, nil
	}
	w.lease.extend(begun)
	w.mu.Lock()
	w.entered = w.entered || w.node == node
	w.mu.Unlock()
	for _, q := range claimed {
		w.start(q, node)
	}
	return next, nil
}

// start serves a claimed queue.
func (w *Worker) start(name webhooks.Queue, node string) {
	q := &queue{Queue: name, w: w, node: node, gone: make(chan struct{}), notified: make(chan struct{}, 1), taken: map[int64]string{},
		keys: map[string]int{}}
	q.live, q.end = context.WithCancel(w.stopping)
	w.mu.Lock()
	q.before, q.health = w.queues[name], w.healthOf(name)
	if w.queues[name] = q; w.node != node { // other nodes have declared this one dead meanwhile
		q.end()
	}
	w.open.Store(int64(len(w.queues)))
	w.mu.Unlock()
	w.loops.Go(q.feed)
}

// closed removes a queue that was released.
func (w *Worker) closed(q *queue) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.queues[q.Queue] == q {
		delete(w.queues, q.Queue)
	}
	w.open.Store(int64(len(w.queues)))
}

func (w *Worker) queue(name webhooks.Queue) *queue {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.queues[name]
}

// name is this node's name in the store.
func (w *Worker) name() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.node
}

// rename ends the queues held under a name that the other nodes have declared dead. Those of ordered endpoints end at
// once; attempts to others run to their end, and their outcomes count unless another node was first.
func (w *Worker) rename(node string) {
	w.lease.drop()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.node != node {
		return
	}
	w.node, w.entered = id.New[string](), false
	for _, q := range w.queues {
		q.end()
	}
}

// compare releases queues that the store says this node holds and that it does not serve: the answer to a claim was
// lost.
func (w *Worker) compare() error {
	node := w.name()
	held, err := list(w, func(tx *db.Tx) ([]webhooks.Queue, error) { return webhooks.Held(tx, node) })
	if err != nil {
		return err
	}
	for _, name := range held {
		if w.queue(name) == nil {
			if err := w.DB.Write(w.stopping, name.Tenant, func(tx *db.Tx) error { return webhooks.Release(tx, name.Endpoint, node) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// page returns how many deliveries a queue reads ahead, and share how many concurrent attempts it may make. Both shrink
// as the number of queues grows.
func (w *Worker) page() int { return max(minPage, min(maxPage, ahead/max(1, int(w.open.Load())))) }
func (w *Worker) share() int {
	return max(probes, min(maxWorkers, maxAnswering/max(1, int(w.open.Load()))))
}
