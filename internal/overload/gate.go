// Package overload keeps a node useful when it receives more requests than it can handle: some are refused at once, so
// that the others are answered in time (interface §8).
package overload

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"entrepot/internal/budget"
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
	looks    = 3                      // measurements in a row that must find growth: clients who begin together cause at most two
	standing = 100 * time.Millisecond // how long the oldest request has waited in overload, at least
	patience = 5 * time.Second        // how long a request waits in a rush
	hurry    = 100 * time.Millisecond // how long a request waits in overload: its turn comes soon or never
)

// Gate limits how many requests run at once. The others wait, and the oldest goes first, so that a rush is worked off.
// Overload means that more arrive than are completed, so that the number of waiting requests grows from measurement to
// measurement. Then the newest goes first, because its caller is the most likely to be still waiting, and because
// otherwise all would be answered too late.
type Gate struct {
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

// NewGate makes an open gate.
func NewGate() *Gate { return &Gate{limit: initial} }

// Enter waits for the request's turn. Errors: Unavailable if it does not come in time; the context's. After nil, the
// caller must call Leave.
func (g *Gate) Enter(ctx context.Context) error {
	g.mu.Lock()
	if g.running < g.limit && len(g.waiting) == 0 {
		g.running++
		g.mu.Unlock()
		return nil
	}
	now := time.Now()
	if len(g.waiting) == 0 {
		if !g.quiet.IsZero() && now.Sub(g.quiet) > measure {
			g.overload = false
		}
		g.measured, g.finished, g.fewest, g.before, g.grown = now, 0, math.MaxInt, math.MaxInt, 0
	}
	wait := g.assess(now)
	p := &place{came: now, turn: make(chan struct{})}
	if len(g.waiting) == queue {
		g.refuseOldest(1)
	}
	g.waiting = append(g.waiting, p)
	g.mu.Unlock()
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case <-p.turn:
		if p.refused {
			return budget.Full()
		}
		return nil
	case <-late.C:
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, other := range g.waiting {
		if other == p {
			g.waiting = slices.Delete(g.waiting, i, i+1)
			g.overload = g.overload || ctx.Err() == nil
			g.emptied(time.Now())
			if err := ctx.Err(); err != nil {
				return err
			}
			return budget.Full()
		}
	}
	if p.refused {
		return budget.Full()
	}
	return nil // its turn came at the last moment
}

// Again is Enter for a request that has left to wait for something else: it does not wait again.
func (g *Gate) Again() {
	g.mu.Lock()
	g.running++
	g.mu.Unlock()
}

// Leave ends what Enter or Again began; done says that the request was answered.
func (g *Gate) Leave(done bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	if done {
		g.finished++
	}
	if len(g.waiting) == 0 {
		return
	}
	now := time.Now()
	g.assess(now)
	for g.running < g.limit && len(g.waiting) > 0 {
		g.running++
		close(g.take().turn)
		g.fewest = min(g.fewest, g.running+len(g.waiting))
	}
	g.emptied(now)
}

// Running is how many requests run, and how many wait.
func (g *Gate) Running() (running, waiting int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.running, len(g.waiting)
}

// take removes the request whose turn it is.
func (g *Gate) take() (next *place) {
	if last := len(g.waiting) - 1; g.overload {
		next, g.waiting[last], g.waiting = g.waiting[last], nil, g.waiting[:last]
		return next
	}
	next, g.waiting[0], g.waiting = g.waiting[0], nil, g.waiting[1:]
	return next
}

// refuseOldest refuses the n requests that have waited longest.
func (g *Gate) refuseOldest(n int) {
	for _, p := range g.waiting[:n] {
		p.refused = true
		close(p.turn)
	}
	clear(g.waiting[:n])
	g.waiting = g.waiting[n:]
}

// assess decides whether this is overload, adapts the limit to the throughput, and returns how long a request may wait.
// The mutex is held, and requests wait.
func (g *Gate) assess(now time.Time) time.Duration {
	if past := now.Sub(g.measured); past >= measure {
		fit := int(time.Duration(g.finished) * aim / past)
		g.limit = min(most, max(least, (g.limit+fit)/2))
		fewest := min(g.fewest, g.running+len(g.waiting))
		if g.before < math.MaxInt && fewest > g.before+max(g.limit, initial)/8 {
			g.grown++
		} else {
			g.grown = 0
		}
		if g.grown >= looks && now.Sub(g.waiting[0].came) > standing {
			g.overload = true
		}
		if g.overload {
			g.refuseLate(now)
		}
		g.measured, g.finished, g.fewest, g.before = now, 0, math.MaxInt, fewest
	}
	if g.overload {
		return hurry
	}
	return patience
}

// refuseLate refuses the requests that have waited longer than allowed in overload.
func (g *Gate) refuseLate(now time.Time) {
	late := slices.IndexFunc(g.waiting, func(p *place) bool { return now.Sub(p.came) <= hurry })
	if late < 0 {
		late = len(g.waiting)
	}
	g.refuseOldest(late)
}

// emptied records when no request waits any more.
func (g *Gate) emptied(now time.Time) {
	if len(g.waiting) == 0 {
		g.quiet = now
	}
}
