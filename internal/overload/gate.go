// Package overload keeps a node useful when more is asked of it than it can do: some requests are refused at once, so that the
// others are answered in time (interface §8).
package overload

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"entrepot/internal/budget"
)

// The limit's figures. It is at least more than the clients of an ordinary installation have under way at once, and at most what one
// node can keep in memory; between them it follows what the node gets done: as many as it finishes in aim. More would not get done
// sooner, and keep each other and everything else of the node waiting for a processor.
const (
	least    = 36
	most     = 512
	initial  = 128 // until it is known what the node gets done
	queue    = 1024
	aim      = 40 * time.Millisecond
	measure  = 100 * time.Millisecond // between two looks at what gets done
	looks    = 3                      // that must find growth: clients who begin together are growth to two at most
	standing = 100 * time.Millisecond // what the oldest request has waited in overload, at least
	patience = 5 * time.Second        // of a request that waits in a rush
	hurry    = 100 * time.Millisecond // of one that waits in overload: either it is soon its turn or never
)

// Gate bounds how many requests run at once. The others wait, and the oldest goes first: a rush is worked off. Overload is when more keep
// coming than get done, so that those who wait become more from look to look. The newest goes first then, because its caller is
// the most likely to be waiting still, and because otherwise all would be answered too late.
type Gate struct {
	mu       sync.Mutex
	limit    int
	running  int
	waiting  []*place  // the newest stands last
	quiet    time.Time // since when none waits
	overload bool
	measured time.Time // the last look
	finished int       // since then
	fewest   int       // that ran or waited at any time since then
	before   int       // fewest of the look before; math.MaxInt when there was none since requests wait
	grown    int       // looks one after the other that found more than the look before them
}

// place is a waiting request.
type place struct {
	came    time.Time
	turn    chan struct{}
	refused bool
}

// NewGate makes an open gate.
func NewGate() *Gate { return &Gate{limit: initial} }

// Enter waits for the request's turn. Errors: Unavailable when it does not come in time; the context's. After nil, Leave must follow.
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
	wait := g.judge(now)
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
	return nil // its turn came in the last moment
}

// Again is Enter for a request that was in before and left to wait for something else: it does not wait again.
func (g *Gate) Again() {
	g.mu.Lock()
	g.running++
	g.mu.Unlock()
}

// Leave ends what Enter or Again began; done says that the request has its answer now.
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
	g.judge(now)
	for g.running < g.limit && len(g.waiting) > 0 {
		g.running++
		close(g.take().turn)
		g.fewest = min(g.fewest, g.running+len(g.waiting))
	}
	g.emptied(now)
}

// Running is how many requests are in, and Waiting how many would like to be.
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

// judge looks whether this is overload, fits the limit to what gets done, and gives how long a request may wait. It is called with
// the mutex, while requests wait.
func (g *Gate) judge(now time.Time) time.Duration {
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

// refuseLate refuses who has waited longer than one may in overload: since before it began.
func (g *Gate) refuseLate(now time.Time) {
	late := slices.IndexFunc(g.waiting, func(p *place) bool { return now.Sub(p.came) <= hurry })
	if late < 0 {
		late = len(g.waiting)
	}
	g.refuseOldest(late)
}

// emptied notes when no request waits any longer.
func (g *Gate) emptied(now time.Time) {
	if len(g.waiting) == 0 {
		g.quiet = now
	}
}
