package worker

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/fault"
	"entrepot/internal/webhooks"
)

// queue serves one endpoint while this node holds its lease. A feeder reads what is due into a channel; attempts are made from it by
// as many goroutines as the endpoint bears.
type queue struct {
	webhooks.Queue
	w      *Worker
	until  atomic.Int64 // end of the lease
	ended  atomic.Bool  // nothing more is to be sent: the endpoint is paused or gone, or the lease is lost
	target atomic.Pointer[target]
	ready  chan webhooks.Ready
	poked  chan struct{}
	making sync.WaitGroup // goroutines that attempt
	again  bool           // the feeder was poked while it could not look

	mu      sync.Mutex
	taken   map[int64]string // position → lane of what is read and not settled yet
	lanes   map[string]int   // how many of them are in a lane
	settled []int64          // settled since the last read
	workers int
	silent  int // attempts without an answer, in a row
}

// An endpoint is given more attempts at once as long as it answers, and few when it does not: one that is dead or slow costs the
// others nothing but idle sockets.
const (
	readPage   = 256
	minWorkers = 8
	maxWorkers = 64
	linger     = 2 * time.Second // a queue that has run dry is kept this long
)

func newQueue(w *Worker, name webhooks.Queue, until time.Time) *queue {
	q := &queue{Queue: name, w: w, ready: make(chan webhooks.Ready, readPage), poked: make(chan struct{}, 1), taken: map[int64]string{}, lanes: map[string]int{}}
	q.until.Store(until.UnixMicro())
	return q
}

// poke has the feeder look again.
func (q *queue) poke() {
	select {
	case q.poked <- struct{}{}:
	default:
	}
}

// feed reads what is due until the queue has run dry, is paused or lost, or the worker stops; then it gives the lease back.
func (q *queue) feed() {
	defer q.w.closed(q)
	defer q.release()
	dry := q.w.DB.Now()
	var after webhooks.After
	for q.w.stopping.Err() == nil && !q.ended.Load() {
		list, next, serves, err := q.read(after)
		q.w.failed("reading a queue", err)
		if err != nil || !serves || !q.push(list) {
			return
		}
		if len(list) == readPage {
			last := list[len(list)-1]
			after = webhooks.After{DueAt: last.DueAt, Position: last.Position}
			continue
		}
		after = webhooks.After{} // what is committed late may be due earlier than what was read: never look only behind it
		if len(list) > 0 || q.busy() {
			dry = q.w.DB.Now()
		}
		if q.again {
			q.again = false
			continue
		}
		rest := min(q.w.Poll, linger)
		if next > 0 {
			rest = max(0, min(rest, time.UnixMicro(next).Sub(q.w.DB.Now())))
		}
		if q.w.DB.Now().Sub(dry) >= linger || !q.w.pause(q.poked, rest) {
			return
		}
	}
}

// read looks up the endpoint as it is now and what is due after a place. serves is false when it is paused or gone.
func (q *queue) read(after webhooks.After) (list []webhooks.Ready, next int64, serves bool, err error) {
	q.forget() // before the snapshot: what settles during the read is still known as taken when its rows come
	err = q.w.DB.Read(q.w.stopping, q.Tenant, func(tx *db.Tx) (err error) {
		if serves, err = q.look(tx); err == nil && serves {
			list, next, err = webhooks.ReadReady(tx, q.Endpoint, after, readPage)
		}
		return err
	})
	return list, next, serves, err
}

// look aims at the endpoint as it is now and tells whether it is to be served.
func (q *queue) look(tx *db.Tx) (serves bool, err error) {
	e, err := webhooks.ByID(tx, q.Endpoint)
	if fault.Is(err, fault.NotFound) || err == nil && e.Status != webhooks.Active {
		return false, nil
	}
	if err == nil {
		q.aim(e)
	}
	return err == nil, err
}

// push hands deliveries to the attempts, except those under way; it blocks while they have enough to do.
func (q *queue) push(list []webhooks.Ready) bool {
	for i := range list {
		if !q.take(&list[i]) {
			continue
		}
		q.staff(minWorkers)
		if !q.hand(&list[i]) {
			q.drop(list[i].Position)
			return false
		}
	}
	return true
}

// hand waits until a delivery is taken over by the attempts. Meanwhile the endpoint may be paused, or changed.
func (q *queue) hand(d *webhooks.Ready) bool {
	select {
	case q.ready <- *d:
		return true
	default:
	}
	ticker := time.NewTicker(q.w.Poll)
	defer ticker.Stop()
	for {
		select {
		case q.ready <- *d:
			return true
		case <-q.w.stopping.Done():
			return false
		case <-q.poked:
			q.again = true
		case <-ticker.C:
		}
		serves := false
		err := q.w.DB.Read(q.w.stopping, q.Tenant, func(tx *db.Tx) (err error) {
			serves, err = q.look(tx)
			return err
		})
		q.w.failed("reading an endpoint", err)
		if !serves || q.ended.Load() {
			return false
		}
	}
}

// take notes a delivery as under way; false when it, or another one of its lane, is already.
func (q *queue) take(d *webhooks.Ready) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, taken := q.taken[d.Position]; taken || d.Ordered && q.lanes[d.Resource] > 0 {
		return false
	}
	lane := ""
	if d.Ordered {
		lane = d.Resource
		q.lanes[lane]++
	}
	q.taken[d.Position] = lane
	return true
}

// forget frees what was settled before now.
func (q *queue) forget() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, position := range q.settled {
		q.free(position)
	}
	q.settled = q.settled[:0]
}

func (q *queue) free(position int64) {
	if lane := q.taken[position]; lane != "" {
		if q.lanes[lane]--; q.lanes[lane] == 0 {
			delete(q.lanes, lane)
		}
	}
	delete(q.taken, position)
}

// drop frees a delivery that was not attempted: it stays due.
func (q *queue) drop(position int64) {
	q.mu.Lock()
	q.free(position)
	q.mu.Unlock()
	q.poke()
}

// done notes that outcomes are stored; look says that a waiting delivery may have become due by it.
func (q *queue) done(positions []int64, look bool) {
	q.mu.Lock()
	q.settled = append(q.settled, positions...)
	look = look || len(q.settled) == len(q.taken)
	q.mu.Unlock()
	if look {
		q.poke()
	}
}

// busy tells whether anything is under way.
func (q *queue) busy() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.taken) > len(q.settled)
}

// staff starts one more goroutine that attempts, up to most.
func (q *queue) staff(most int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.workers < most {
		q.workers++
		q.making.Go(q.work)
	}
}

// work attempts what the feeder gives until it ends, or until the endpoint seems to bear less.
func (q *queue) work() {
	defer func() {
		q.mu.Lock()
		q.workers--
		q.mu.Unlock()
	}()
	for d := range q.ready {
		leave := q.enter()
		if leave == nil {
			q.drop(d.Position)
			continue
		}
		o, answered, ok := q.attempt(&d)
		leave()
		if !ok {
			q.drop(d.Position)
			continue
		}
		q.w.outcomes <- settled{q, o}
		if !q.learn(answered) {
			return
		}
	}
}

// enter waits for one of the node's slots and gives what leaves it; nil when nothing may be sent any more. Endpoints that do not
// answer have slots of their own. An attempt that begins now must end within the lease.
func (q *queue) enter() (leave func()) {
	slots := q.w.slots
	if q.troubled() {
		slots = q.w.trouble
	}
	select {
	case slots <- struct{}{}:
	case <-q.w.stopping.Done():
		return nil
	}
	if q.ended.Load() || q.w.stopping.Err() != nil || q.until.Load() < q.w.DB.Now().Add(attemptTime+2*time.Second).UnixMicro() {
		<-slots
		return nil
	}
	return func() { <-slots }
}

func (q *queue) troubled() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.silent >= minWorkers
}

// learn adapts the number of attempts at once; false ends this goroutine.
func (q *queue) learn(answered bool) bool {
	if answered {
		q.mu.Lock()
		q.silent = 0
		q.mu.Unlock()
		if len(q.ready) > 0 {
			q.staff(maxWorkers)
		}
		return true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.silent++
	return q.workers <= minWorkers
}

// release waits for what is under way, and gives the lease back.
func (q *queue) release() {
	q.ended.Store(true)
	close(q.ready)
	q.making.Wait()
	for q.busy() {
		select {
		case <-q.poked:
		case <-q.w.running.Done():
			return // the lease runs out
		}
	}
	err := q.w.DB.Write(q.w.running, q.Tenant, func(tx *db.Tx) error { return webhooks.Release(tx, q.Endpoint, q.w.node) })
	if err != nil && !errors.Is(err, q.w.running.Err()) {
		q.w.Log.Error("worker: giving a queue back failed, its lease runs out", "endpoint", q.Endpoint, "error", err)
	}
}
