package worker

import (
	"sync/atomic"
	"time"

	"entrepot/internal/webhooks"
)

// The number of concurrent attempts to an endpoint depends on its answers. An endpoint that has not answered yet, or
// not for circuitAfter attempts in a row, gets only probes, which have slots of their own: however many endpoints are
// dead, those that answer never wait for them. The first answer closes the circuit, and everything due is sent.
const (
	maxWorkers   = 64
	someWorkers  = 8 // for an endpoint whose last attempt had no answer
	probes       = 2
	circuitAfter = 4
	probePause   = 20 * time.Millisecond // between probes of an endpoint that refuses connections at once
	maxHealth    = 16_384                // endpoints in the map
)

// health is how an endpoint has answered this node's attempts.
type health struct {
	silent  atomic.Int64 // attempts in a row without any answer
	answers atomic.Bool  // it has answered this node before

	failed   atomic.Int64 // attempts without success since the last line about them in the log
	loggedAt atomic.Int64 // when that was, in microseconds since 1970
}

// failuresEvery is how often the log has a line about an endpoint that fails.
const failuresEvery = time.Minute

// fail counts an attempt without success at a time. n is the number of such attempts since the last line of the log
// about them, or 0 while no further line is due.
func (h *health) fail(at time.Time) (n int64) {
	h.failed.Add(1)
	last, now := h.loggedAt.Load(), at.UnixMicro()
	// Concurrent attempts may end in another order than they began. A clock that was set back by more begins a new
	// minute.
	if max(now-last, last-now) < failuresEvery.Microseconds() || !h.loggedAt.CompareAndSwap(last, now) {
		return 0
	}
	return h.failed.Swap(0)
}

// circuit reports whether the endpoint gets probes only.
func (h *health) circuit() bool { return !h.answers.Load() || h.silent.Load() >= circuitAfter }

// record counts an attempt; answered says whether it had an answer, with any status.
func (h *health) record(answered bool) {
	if answered {
		h.silent.Store(0)
		h.answers.Store(true)
	} else {
		h.silent.Add(1)
	}
}

// healthOf returns the health of a queue's endpoint. The worker's lock is held.
func (w *Worker) healthOf(name webhooks.Queue) *health {
	h := w.health[name]
	if h == nil {
		if len(w.health) >= maxHealth {
			for other := range w.health { // any of them: its next attempts show its health again
				delete(w.health, other)
				break
			}
		}
		h = &health{}
		w.health[name] = h
	}
	return h
}
