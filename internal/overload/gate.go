// Package overload keeps a node useful when more is asked of it than it can do: some requests are refused at once, so that the
// others are answered in time (interface §8).
package overload

import (
	"context"
	"sync"
	"time"

	"entrepot/internal/budget"
)

// The gate's figures. The least bound is more than the clients of an ordinary installation have under way at once, so that they
// never wait; the most is what one node can keep in memory. Between them the bound follows what the node gets done: as many as it
// finishes in aim.
const (
	least    = 80
	most     = 512
	queue    = 1024 // how many may wait
	aim      = 125 * time.Millisecond
	measure  = 250 * time.Millisecond // between two looks at what gets done; a queue that stands longer is overload
	patience = time.Second            // of a request that waits because of a short rush
	hurry    = 50 * time.Millisecond  // of one that waits in overload: either it is soon its turn or never
)

// Gate bounds how many requests run at once. The others wait; the newest goes first, because its caller is the
// most likely to be waiting still.
type Gate struct {
	mu       sync.Mutex
	limit    int
	running  int
	waiting  []*place  // the newest stands last
	crowded  time.Time // since when requests wait; zero when none does
	quiet    time.Time // since when none does
	overload bool
	measured time.Time // the last look
	finished int       // since then
}

// place is a waiting request.
type place struct {
	turn    chan struct{}
	refused bool
}

// NewGate makes an open gate.
func NewGate() *Gate { return &Gate{limit: most} }

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
		g.crowded = now
	}
	wait := g.judge(now)
	p := &place{turn: make(chan struct{})}
	if len(g.waiting) == queue {
		oldest := g.waiting[0]
		oldest.refused = true
		close(oldest.turn)
		g.waiting = append(g.waiting[:0], g.waiting[1:]...)
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
			g.waiting = append(g.waiting[:i], g.waiting[i+1:]...)
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
		next := g.waiting[len(g.waiting)-1]
		g.waiting[len(g.waiting)-1] = nil
		g.waiting = g.waiting[:len(g.waiting)-1]
		g.running++
		close(next.turn)
	}
	g.emptied(now)
}

// Running is how many requests are in, and Waiting how many would like to be.
func (g *Gate) Running() (running, waiting int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.running, len(g.waiting)
}

// judge looks whether this is overload, fits the bound to what gets done, and gives how long a request may wait. It is called with
// the mutex, while requests wait.
func (g *Gate) judge(now time.Time) time.Duration {
	if now.Sub(g.crowded) > measure {
		g.overload = true
	}
	switch past := now.Sub(g.measured); {
	case past > 2*measure: // none waited for a while: what was finished since says nothing
		g.measured, g.finished = now, 0
	case past >= measure:
		fit := int(time.Duration(g.finished) * aim / past)
		g.limit = min(most, max(least, (g.limit+fit)/2))
		g.measured, g.finished = now, 0
	}
	if g.overload {
		return hurry
	}
	return patience
}

// emptied notes when no request waits any longer.
func (g *Gate) emptied(now time.Time) {
	if len(g.waiting) == 0 {
		g.quiet = now
	}
}
