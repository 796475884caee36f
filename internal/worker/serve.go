package worker

import (
	"time"

	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// A lease outlasts the attempts made under it: none begins that could end after it, so that no two nodes ever serve one queue.
const (
	lease      = 30 * time.Second
	renewEvery = 5 * time.Second
)

// serve takes over queues that are due and tells those it holds when something new waits in them.
func (w *Worker) serve() {
	woken := w.DB.Woken(webhooks.Due)
	var since int64
	for {
		start := time.Now()
		next, err := w.take(&since)
		w.failed("taking over queues", err)
		if !w.breathe(start) {
			return
		}
		rest := w.Poll
		if next > 0 {
			rest = max(0, min(rest, time.UnixMicro(next).Sub(w.DB.Now())))
		}
		if !w.pause(woken, rest) {
			return
		}
	}
}

// take claims what is free and pokes what is held; next is when the next queue is due, 0 for none.
func (w *Worker) take(since *int64) (next int64, err error) {
	w.mu.Lock()
	room := maxQueues - len(w.queues)
	w.mu.Unlock()
	var free, held []webhooks.Queue
	now := *since
	err = w.DB.Read(w.stopping, db.Across, func(tx *db.Tx) (err error) {
		now = tx.Micros()
		free, held, next, err = webhooks.Called(tx, w.node, *since, room)
		return err
	})
	if err != nil {
		return 0, err
	}
	*since = now
	for _, q := range held {
		w.poke(q)
	}
	if len(free) == 0 {
		return next, nil
	}
	until := w.DB.Now().Add(lease)
	var claimed []webhooks.Queue
	err = w.DB.Write(w.stopping, db.Across, func(tx *db.Tx) (err error) {
		claimed, err = webhooks.Claim(tx, w.node, until.UnixMicro(), len(free))
		return err
	})
	for _, q := range claimed {
		w.open(q, until)
	}
	return next, err
}

// open starts serving a claimed queue.
func (w *Worker) open(name webhooks.Queue, until time.Time) {
	q := newQueue(w, name, until)
	w.mu.Lock()
	w.queues[name] = q
	w.mu.Unlock()
	w.loops.Go(q.feed)
}

// closed forgets a queue that is given back.
func (w *Worker) closed(q *queue) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.queues[q.Queue] == q {
		delete(w.queues, q.Queue)
	}
}

func (w *Worker) poke(name webhooks.Queue) {
	w.mu.Lock()
	q := w.queues[name]
	w.mu.Unlock()
	if q != nil {
		q.poke()
	}
}

// renew prolongs the leases of the queues held; those that are lost are served no more.
func (w *Worker) renew() {
	for w.pause(nil, renewEvery) {
		w.failed("renewing leases", w.renewAll())
	}
}

func (w *Worker) renewAll() error {
	w.mu.Lock()
	held := make(map[webhooks.Queue]*queue, len(w.queues))
	for name, q := range w.queues {
		held[name] = q
	}
	w.mu.Unlock()
	if len(held) == 0 {
		return nil
	}
	until := w.DB.Now().Add(lease)
	var renewed []webhooks.Queue
	err := w.DB.Write(w.stopping, db.Across, func(tx *db.Tx) (err error) {
		renewed, err = webhooks.Renew(tx, w.node, until.UnixMicro())
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range renewed {
		if q := held[name]; q != nil {
			q.until.Store(until.UnixMicro())
			delete(held, name)
		}
	}
	for _, q := range held {
		q.ended.Store(true)
		q.poke()
	}
	return nil
}
