package worker

import (
	"sync/atomic"
	"time"

	"entrepot/internal/webhooks"
)

// How much goes to an endpoint at once follows what it answers. One that has not answered yet, or not for circuitAfter attempts in a
// row, gets probes only, which have slots of their own: however many endpoints are dead, those that answer never wait for them. The
// first answer closes the circuit, and everything that is due goes out.
const (
	maxWorkers   = 64
	someWorkers  = 8 // for one that was silent just now
	probes       = 2
	circuitAfter = 4
	probePause   = 20 * time.Millisecond // between the probes of an endpoint that refuses connections as fast as they come
	maxHealth    = 16_384                // endpoints remembered
)

// health is how an endpoint has answered this node.
type health struct {
	silent  atomic.Int64 // attempts without any answer, in a row
	answers atomic.Bool  // it has answered this node before
}

// circuit reports whether the endpoint gets probes only.
func (h *health) circuit() bool { return !h.answers.Load() || h.silent.Load() >= circuitAfter }

// record notes whether an attempt was answered, by any status.
func (h *health) record(answered bool) {
	if answered {
		h.silent.Store(0)
		h.answers.Store(true)
	} else {
		h.silent.Add(1)
	}
}

// healthOf is what is known of a queue's endpoint. The worker's lock is held.
func (w *Worker) healthOf(name webhooks.Queue) *health {
	h := w.health[name]
	if h == nil {
		if len(w.health) >= maxHealth {
			for other := range w.health { // any of them: what it was is found out again
				delete(w.health, other)
				break
			}
		}
		h = &health{}
		w.health[name] = h
	}
	return h
}
