package worker

import (
	"time"

	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// Short payloads are read together with their deliveries. One that has waited for longer than freshFor, or that was
// read before this process last rewrote payloads of the log, is read again before it is sent: an erasure may have
// removed a person's data from it.
const (
	freshFor = 250 * time.Millisecond
	along    = 16 // payloads that are read at once
)

// waiting is a delivery that waits for its attempt, and when it was read.
type waiting struct {
	webhooks.Ready
	at      time.Time
	loading bool // its payload is being read again
}

// fresh reports whether the payload may be sent as it was read.
func (w *Worker) fresh(d *waiting) bool {
	return d.Size <= webhooks.ShortPayload && time.Since(d.at) < freshFor && d.at.UnixNano() > w.edited.Load()
}

// watchEdits records when this process last rewrote payloads of the log.
func (w *Worker) watchEdits() {
	woken := w.DB.Woken(webhooks.Edited)
	for {
		select {
		case <-w.stopping.Done():
			return
		case <-woken:
			w.edited.Store(time.Now().UnixNano())
		}
	}
}

// load reads the payload of a delivery unless it is fresh, together with those of the next ones that wait.
func (q *queue) load(d *waiting) error {
	if q.w.fresh(d) {
		return nil
	}
	at, stamps := time.Now(), []int64{d.EventStamp}
	if d.Size <= webhooks.ShortPayload {
		stamps = append(stamps, q.stale()...)
	}
	var payloads map[int64]string
	err := q.lookUp(func(tx *db.Tx) (err error) {
		payloads, err = webhooks.Payloads(tx, stamps)
		return err
	})
	if err != nil {
		return err
	}
	d.Payload = payloads[d.EventStamp]
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.ready {
		next := &q.ready[i]
		if payload, read := payloads[next.EventStamp]; read && next.loading {
			next.Payload, next.at, next.loading = payload, at, false
		}
	}
	return nil
}

// stale returns the events of the next deliveries whose payloads must be read again and that no other goroutine is
// reading. A goroutine that takes one of these before it is read reads it alone.
func (q *queue) stale() (stamps []int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.ready {
		if next := &q.ready[i]; next.Size <= webhooks.ShortPayload && !next.loading && !q.w.fresh(next) {
			next.loading = true
			if stamps = append(stamps, next.EventStamp); len(stamps) == along-1 {
				break
			}
		}
	}
	return stamps
}
