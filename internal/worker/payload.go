package worker

import (
	"sync"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// Short payloads are read together with their deliveries. A payload is read again before it is sent if it has waited
// for longer than freshFor, or was read before this process last rewrote payloads of the log: an erasure may have
// removed a person's data from it. A payload that is read again serves every endpoint that is to get the event.
const (
	freshFor  = 250 * time.Millisecond
	along     = 16   // payloads that are read at once
	maxShared = 1024 // payloads in memory for several endpoints
)

// waiting is a delivery that waits for its attempt, and when it was read.
type waiting struct {
	webhooks.Ready
	at time.Time
}

// fresh reports whether the payload may be sent as it was read.
func (w *Worker) fresh(d *waiting) bool { return d.Size <= webhooks.ShortPayload && w.usable(d.at) }

// usable reports whether a payload that was read at a time may be sent.
func (w *Worker) usable(at time.Time) bool {
	return time.Since(at) < freshFor && at.UnixNano() > w.edited.Load()
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

// payloads are short payloads that were read a moment ago, or that a queue is reading.
type payloads struct {
	mu sync.Mutex
	of map[eventKey]*payload
}

type eventKey struct {
	tenant id.Tenant
	stamp  int64
}

// payload is what an event sends. The fields are set when done is closed.
type payload struct {
	done chan struct{}
	at   time.Time        // before it was read
	sent webhooks.Payload // "" if the event was deleted after its retention
	err  error
}

// claim returns an event's payload; mine says that the caller must read the payload and call finish. A payload that is
// no longer usable is claimed again.
func (c *payloads) claim(key eventKey, usable func(time.Time) bool) (p *payload, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.of[key]; p != nil && !p.past(usable) {
		return p, false
	}
	if len(c.of) >= maxShared {
		for other, p := range c.of {
			if p.past(usable) {
				delete(c.of, other)
			}
		}
	}
	p = &payload{done: make(chan struct{})}
	if len(c.of) < maxShared {
		c.of[key] = p
	}
	return p, true
}

// past reports whether the payload was read and is not usable.
func (p *payload) past(usable func(time.Time) bool) bool {
	select {
	case <-p.done:
		return p.err != nil || !usable(p.at)
	default:
		return false
	}
}

func (p *payload) finish(sent webhooks.Payload, at time.Time, err error) {
	p.sent, p.at, p.err = sent, at, err
	close(p.done)
}

// load reads the payload of a delivery unless it is fresh.
func (q *queue) load(d *waiting) error {
	if d.Size > webhooks.ShortPayload {
		read, err := q.readPayloads([]int64{d.EventStamp})
		d.Payload = read[d.EventStamp]
		return err
	}
	for !q.w.fresh(d) {
		p, mine := q.w.payloads.claim(eventKey{q.Tenant, d.EventStamp}, q.w.usable)
		if mine {
			q.fill(d.EventStamp, p)
			d.Payload, d.at = p.sent, p.at
			return p.err
		}
		select {
		case <-p.done:
		case <-q.live.Done():
			return q.live.Err()
		}
		if p.err == nil {
			d.Payload, d.at = p.sent, p.at
		}
	}
	return nil
}

// fill reads a payload that this queue has claimed, together with those of its next deliveries.
func (q *queue) fill(stamp int64, p *payload) {
	claimed, stamps := q.outdated(stamp), []int64{stamp}
	claimed[stamp] = p
	for other := range claimed {
		if other != stamp {
			stamps = append(stamps, other)
		}
	}
	at := time.Now()
	read, err := q.readPayloads(stamps)
	for stamp, p := range claimed {
		p.finish(read[stamp], at, err)
	}
}

// outdated claims the payloads of the next deliveries that must be read again and that no queue is reading. It leaves
// out the event with the stamp but.
func (q *queue) outdated(but int64) map[int64]*payload {
	q.mu.Lock()
	defer q.mu.Unlock()
	claimed := map[int64]*payload{}
	for i := range q.ready {
		next := &q.ready[i]
		if next.Size > webhooks.ShortPayload || next.EventStamp == but || q.w.fresh(next) {
			continue
		}
		if p, mine := q.w.payloads.claim(eventKey{q.Tenant, next.EventStamp}, q.w.usable); mine {
			if claimed[next.EventStamp] = p; len(claimed) == along-1 {
				break
			}
		}
	}
	return claimed
}

// readPayloads reads payloads by the stamps of their events.
func (q *queue) readPayloads(stamps []int64) (read map[int64]webhooks.Payload, err error) {
	err = q.lookUp(func(tx *db.Tx) (err error) {
		read, err = webhooks.Payloads(tx, stamps)
		return err
	})
	return read, err
}
