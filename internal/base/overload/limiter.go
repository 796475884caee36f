// Package overload keeps a node useful when it receives more requests than it can handle: it refuses some early, so
// that the others are answered in time, and bounds the bytes of all together by a Budget (interface §8).
//
// A Limiter lets as many requests run as the node completes in 40 ms; the others wait, the oldest first. If more and
// more wait, it is overload: the newest go first, and those that have waited too long are refused (decision 17).
package overload

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

// Figures of the limit. It is at least what the clients of an ordinary installation have under way at once, and at
// most what one node can hold in memory. Between these it adapts to the node's throughput: as many requests as it
// completes in the time aim. More would not be completed sooner, and would make each other and all other work wait for
// a processor.
const (
	least    = 36
	most     = 512
	initial  = 128 // until the throughput is known
	queue    = 1024
	aim      = 40 * time.Millisecond
	measure  = 100 * time.Millisecond // between two measurements of the throughput
	growths  = 3                      // measurements in a row that must find growth: clients who begin together cause at most two
	standing = 100 * time.Millisecond // how long the oldest request has waited in overload, at least
	maxWait  = 5 * time.Second        // how long a request waits in a rush
	hurry    = 100 * time.Millisecond // how long a request waits in overload: its turn comes soon or never
)

// Limiter limits how many requests run at once. The others wait, and the oldest goes first, so that a rush is worked
// off. Overload means that more arrive than are completed, so that the number of waiting requests grows from
// measurement to measurement. Then the newest goes first, because its caller is the most likely to be still waiting,
// and because otherwise all would be answered too late.
type Limiter struct {
	mu       sync.Mutex
	limit    int
	running  int
	waiting  []*place  // the newest is last
	quiet    time.Time // since when none waits
	overload bool
	measured time.Time // time of the last measurement
	finished int       // requests completed since then
	fewest   int       // least number of running or waiting requests since then
	before   int       // fewest at the measurement before; math.MaxInt if requests did not wait then
	grown    int       // measurements in a row that found more than the one before
}

// place is a waiting request.
type place struct {
	came    time.Time
	turn    chan struct{}
	refused bool
}

// NewLimiter makes a limiter for a node that has nothing to do yet.
func NewLimiter() *Limiter { return &Limiter{limit: initial} }

// Enter waits for the request's turn. Errors: Unavailable if it does not come in time; the context's. After nil, the
// caller must call Leave.
func (l *Limiter) Enter(ctx context.Context) error {
	l.mu.Lock()
	if l.running < l.limit && len(l.waiting) == 0 {
		l.running++
		l.mu.Unlock()
		return nil
	}
	now := time.Now()
	if len(l.waiting) == 0 {
		if !l.quiet.IsZero() && now.Sub(l.quiet) > measure {
			l.overload = false
		}
		l.measured, l.finished, l.fewest, l.before, l.grown = now, 0, math.MaxInt, math.MaxInt, 0
	}
	wait := l.assess(now)
	p := &place{came: now, turn: make(chan struct{})}
	if len(l.waiting) == queue {
		l.refuseOldest(1)
	}
	l.waiting = append(l.waiting, p)
	l.mu.Unlock()
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case <-p.turn:
		if p.refused {
			return Full()
		}
		return nil
	case <-late.C:
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, other := range l.waiting {
		if other == p {
			l.waiting = slices.Delete(l.waiting, i, i+1)
			l.overload = l.overload || ctx.Err() == nil
			l.emptied(time.Now())
			if err := ctx.Err(); err != nil {
				return err
			}
			return Full()
		}
	}
	if p.refused {
		return Full()
	}
	return nil // its turn came at the last moment
}

// Again is Enter for a request that has left to wait for something else: it does not wait again.
func (l *Limiter) Again() {
	l.mu.Lock()
	l.running++
	l.mu.Unlock()
}

// Leave ends what Enter or Again began; done says that the request was answered.
func (l *Limiter) Leave(done bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running--
	if done {
		l.finished++
	}
	if len(l.waiting) == 0 {
		return
	}
	now := time.Now()
	l.assess(now)
	for l.running < l.limit && len(l.waiting) > 0 {
		l.running++
		close(l.take().turn)
		l.fewest = min(l.fewest, l.running+len(l.waiting))
	}
	l.emptied(now)
}

// take removes the request whose turn it is.
func (l *Limiter) take() (next *place) {
	if last := len(l.waiting) - 1; l.overload {
		next, l.waiting[last], l.waiting = l.waiting[last], nil, l.waiting[:last]
		return next
	}
	next, l.waiting[0], l.waiting = l.waiting[0], nil, l.waiting[1:]
	return next
}

// refuseOldest refuses the n requests that have waited longest.
func (l *Limiter) refuseOldest(n int) {
	for _, p := range l.waiting[:n] {
		p.refused = true
		close(p.turn)
	}
	clear(l.waiting[:n])
	l.waiting = l.waiting[n:]
}

// assess decides whether this is overload, adapts the limit to the throughput, and returns how long a request may wait.
// The mutex is held, and requests wait.
func (l *Limiter) assess(now time.Time) time.Duration {
	if past := now.Sub(l.measured); past >= measure {
		fit := int(time.Duration(l.finished) * aim / past)
		l.limit = min(most, max(least, (l.limit+fit)/2))
		fewest := min(l.fewest, l.running+len(l.waiting))
		if l.before < math.MaxInt && fewest > l.before+max(l.limit, initial)/8 {
			l.grown++
		} else {
			l.grown = 0
		}
		if l.grown >= growths && now.Sub(l.waiting[0].came) > standing {
			l.overload = true
		}
		if l.overload {
			l.refuseLate(now)
		}
		l.measured, l.finished, l.fewest, l.before = now, 0, math.MaxInt, fewest
	}
	if l.overload {
		return hurry
	}
	return maxWait
}

// refuseLate refuses the requests that have waited longer than allowed in overload.
func (l *Limiter) refuseLate(now time.Time) {
	late := slices.IndexFunc(l.waiting, func(p *place) bool { return now.Sub(p.came) <= hurry })
	if late < 0 {
		late = len(l.waiting)
	}
	l.refuseOldest(late)
}

// emptied records when no request waits any more.
func (l *Limiter) emptied(now time.Time) {
	if len(l.waiting) == 0 {
		l.quiet = now
	}
}
