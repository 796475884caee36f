package worker

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// queue serves one endpoint while this node holds it. A feeder reads what is due, without long payloads; as many
// goroutines as the endpoint allows make the attempts, and end when there is nothing to send.
type queue struct {
	webhooks.Queue
	w        *Worker
	node     string // the node's name when it claimed the queue
	before   *queue // the same queue from an earlier claim, which must end first
	gone     chan struct{}
	live     context.Context    // ends when the queue must send nothing more: the endpoint is paused or gone, the queue lost, or the worker stops
	end      context.CancelFunc // ends live
	target   atomic.Pointer[target]
	health   *health
	notified chan struct{}  // makes the feeder read again
	making   sync.WaitGroup // goroutines that make attempts
	dueAt    int64          // the newest due time that the store had when it was notified; used by serve's loop only

	mu      sync.Mutex
	ready   []waiting        // read, and not started
	more    bool             // there was more than could be read
	after   webhooks.Mark    // where to read on; zero: from the beginning
	reads   int              // since the last read from the beginning
	taken   map[int64]string // position → ordering key of deliveries that are read and not settled
	keys    map[string]int   // how many deliveries in taken have each ordering key
	settled []int64          // settled since the last read
	workers int
}

// Bounds of what a queue reads ahead, and of all queues of a node together.
const (
	maxPage = 128
	minPage = 8
	ahead   = 8192
	rewind  = 16              // reads until it starts from the beginning: another node's clock may have made deliveries due earlier
	keepDry = 2 * time.Second // a queue without due deliveries is held this long
)

// failed logs an error, unless the queue has ended.
func (q *queue) failed(doing string, err error) {
	if q.live.Err() == nil {
		q.w.failed(doing, err)
	}
}

// notify makes the feeder read again.
func (q *queue) notify() {
	select {
	case q.notified <- struct{}{}:
	default:
	}
}

// feed reads what is due until nothing is left, the endpoint is paused, the queue is lost, or the worker stops; then
// it releases the queue.
func (q *queue) feed() {
	defer q.w.closed(q)
	defer q.release()
	if q.before != nil {
		select {
		case <-q.before.gone:
		case <-q.live.Done():
		}
		q.before = nil
	}
	dry := q.w.DB.Now()
	for q.live.Err() == nil {
		full, next, serves, err := q.read()
		q.failed("reading a queue", err)
		if err != nil || !serves {
			return
		}
		if q.busy() {
			dry = q.w.DB.Now()
		}
		wait := min(q.w.Poll, keepDry)
		if next > 0 && !full {
			wait = max(0, min(wait, time.UnixMicro(next).Sub(q.w.DB.Now())))
		}
		if q.w.DB.Now().Sub(dry) >= keepDry || !pause(q.live, q.notified, wait) {
			return
		}
	}
}

// read reads the endpoint, and as many due deliveries that are not under way as there is room for. serves is false
// when the endpoint is paused or gone; full says that there may be more.
func (q *queue) read() (full bool, next int64, serves bool, err error) {
	room, after, taken := q.room()
	var b webhooks.Backlog
	begun := time.Now()
	err = q.lookUp(func(tx *db.Tx) (err error) {
		b, err = webhooks.ReadBacklog(tx, q.Endpoint, after, taken, room)
		return err
	})
	if err != nil || b.Endpoint == nil || b.Endpoint.State() != webhooks.Active {
		return false, 0, false, err
	}
	q.aim(b.Endpoint)
	full = len(b.Ready) == room
	q.push(b.Ready, full, begun)
	return full, b.Next, true, nil
}

// lookUp runs a read when a slot for reads of queues is free, so that the queues of an account leave connections for
// its requests.
func (q *queue) lookUp(read func(*db.Tx) error) error {
	if err := q.w.reading.Acquire(q.live, 1); err != nil {
		return err
	}
	defer q.w.reading.Release(1)
	return q.w.DB.Read(q.live, q.Tenant, read)
}

// room returns how many deliveries may be read, and after which mark or without which positions. Deliveries settled
// earlier are removed from taken here, before the snapshot: a delivery that is settled during the read is still in
// taken when its row arrives.
func (q *queue) room() (room int, after webhooks.Mark, taken []int64) {
	page := q.w.page()
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, position := range q.settled {
		q.free(position)
	}
	q.settled = q.settled[:0]
	if len(q.ready) > page/2 {
		return 0, after, nil
	}
	if q.reads++; q.reads < rewind && q.after != after {
		return page - len(q.ready), q.after, nil
	}
	q.reads = 0
	taken = make([]int64, 0, len(q.taken))
	for position := range q.taken {
		taken = append(taken, position)
	}
	return page - len(q.ready), after, taken
}

// push takes deliveries that were read at a time and has them attempted, except those that are under way or share an
// ordering key with one under way.
func (q *queue) push(list []webhooks.Ready, full bool, at time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.more = full
	if full && len(list) == 0 { // there was no room to read any
		return
	}
	before := len(q.ready)
	for i := range list {
		if q.take(&list[i]) {
			q.ready = append(q.ready, waiting{Ready: list[i], at: at})
		}
	}
	if q.after = (webhooks.Mark{}); full {
		q.after = list[len(list)-1].Mark()
		if len(q.ready) == before {
			q.notify()
		}
	}
	q.staff()
}

// take marks a delivery as under way. It returns false if the delivery, or another one with its ordering key, is
// already under way.
func (q *queue) take(d *webhooks.Ready) bool {
	if _, taken := q.taken[d.Position]; taken || d.Ordered && q.keys[d.Resource] > 0 {
		return false
	}
	key := ""
	if d.Ordered {
		key = d.Resource
		q.keys[key]++
	}
	q.taken[d.Position] = key
	return true
}

func (q *queue) free(position int64) {
	if key := q.taken[position]; key != "" {
		if q.keys[key]--; q.keys[key] == 0 {
			delete(q.keys, key)
		}
	}
	delete(q.taken, position)
}

// drop unmarks a delivery that was not attempted: it stays due.
func (q *queue) drop(position int64) {
	q.mu.Lock()
	q.free(position)
	q.after = webhooks.Mark{}
	q.mu.Unlock()
	q.notify()
}

// done records that outcomes are stored. changed says that a delivery may now be due earlier than the queue knows: one
// that waited, or one that is attempted again. A queue that ends waits for its last outcome.
func (q *queue) done(positions []int64, changed bool) {
	q.mu.Lock()
	q.settled = append(q.settled, positions...)
	q.mu.Unlock()
	if changed || q.live.Err() != nil {
		q.notify()
	}
}

// busy reports whether anything is under way.
func (q *queue) busy() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.taken) > len(q.settled)
}

// most returns how many attempts to the endpoint may run at once.
func (q *queue) most() int {
	switch {
	case q.health.circuit():
		return probes
	case q.health.silent.Load() > 0:
		return someWorkers
	}
	return q.w.share()
}

// staff starts goroutines for the deliveries that are ready, as many as the endpoint allows. The lock is held.
func (q *queue) staff() {
	for range min(q.most()-q.workers, len(q.ready)) {
		q.workers++
		q.making.Go(q.work)
	}
}

// next returns the next delivery to attempt; false ends the goroutine that called it.
func (q *queue) next() (d waiting, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.ready) == 0 || q.workers > q.most() {
		q.workers--
		return d, false
	}
	d = q.ready[0]
	q.ready[0] = waiting{}
	if q.ready = q.ready[1:]; len(q.ready) == 0 {
		q.ready = nil
	}
	if q.more && len(q.ready) <= q.w.page()/2 {
		q.more = false
		q.notify()
	}
	return d, true
}

// work attempts what is ready until nothing is left, or until the endpoint allows fewer.
func (q *queue) work() {
	for {
		d, ok := q.next()
		if !ok {
			return
		}
		o, answered, ok := q.serve(&d)
		if !ok {
			q.drop(d.Position)
			continue
		}
		q.w.outcomes <- settled{q, o}
		q.health.record(answered)
		if answered {
			q.mu.Lock()
			q.staff()
			q.mu.Unlock()
		} else if q.health.circuit() {
			pause(q.live, nil, probePause)
		}
	}
}

// serve waits for what an attempt needs, and makes it; ok is false if it was not made.
func (q *queue) serve(d *waiting) (o webhooks.Outcome, answered, ok bool) {
	leave := q.enter(&d.Ready)
	if leave == nil {
		return o, false, false
	}
	defer leave()
	if err := q.load(d); err != nil {
		q.failed("reading an event", err)
		pause(q.live, nil, q.w.Poll)
		return o, false, false
	}
	return q.attempt(&d.Ready)
}

// enter waits for one of the node's slots and for room for the payload, and returns the function that releases them;
// nil when nothing may be sent any more. Endpoints without a recent answer have slots and room of their own.
func (q *queue) enter(d *webhooks.Ready) (leave func()) {
	pool := q.w.answering
	if q.health.circuit() {
		pool = q.w.silent
	}
	leave = pool.enter(q.live, d.Size)
	for leave != nil && q.w.lease.current().Err() != nil { // the next beat prolongs the lease, or another node takes over
		if !pause(q.live, nil, lookEvery/4) {
			leave()
			return nil
		}
	}
	return leave
}

// release waits for the attempts under way, and releases the queue.
func (q *queue) release() {
	defer close(q.gone)
	q.end()
	q.mu.Lock()
	for i := range q.ready {
		q.free(q.ready[i].Position)
	}
	q.ready = nil
	q.mu.Unlock()
	q.making.Wait()
	for q.busy() {
		select {
		case <-q.notified:
		case <-q.w.running.Done():
			return
		}
	}
	// Until the release succeeds, the queue belongs to this node, which does not serve it.
	q.w.insist("releasing a queue", func() error {
		return q.w.DB.Write(q.w.running, q.Tenant, func(tx *db.Tx) error { return webhooks.Release(tx, q.Endpoint, q.node) })
	})
}
