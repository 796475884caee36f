package overload

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"entrepot/internal/base/apperr"
)

// load sends requests at a rate for a time to a node that works on each for what the number of those under way makes of its
// capacity; it gives how many were answered and refused in the second half, and the longest time to an answer there.
func load(t *testing.T, g *Limiter, perSecond, capacity int, for_ time.Duration) (good, refused int, slowest time.Duration) {
	var wait sync.WaitGroup
	var mu sync.Mutex
	free := time.Now() // when the node has worked off what it has
	began := time.Now()
	for n := 0; time.Since(began) < for_; n++ {
		wait.Go(func() {
			came := time.Now()
			err := g.Enter(t.Context())
			if err == nil {
				mu.Lock()
				free = later(free, time.Now()).Add(time.Second / time.Duration(capacity))
				until := free
				mu.Unlock()
				time.Sleep(time.Until(until))
				g.Leave(true)
			}
			took := time.Since(came)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case came.Sub(began) < for_/2:
			case err == nil:
				good++
				slowest = max(slowest, took)
			case apperr.Is(err, apperr.Unavailable):
				refused++
			default:
				t.Error(err)
			}
		})
		time.Sleep(time.Second / time.Duration(perSecond))
	}
	wait.Wait()
	return good, refused, slowest
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// At twice what a node can do, it still does nearly all it can, in time.
func TestOverloadIsShed(t *testing.T) {
	for capacity, most := range map[int]time.Duration{500: 270 * time.Millisecond, 2500: 150 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			g := NewLimiter()
			const span = 4 * time.Second
			good, refused, slowest := load(t, g, 2*capacity, capacity, span)
			full := capacity * int(span/2/time.Second)
			t.Logf("capacity %d/s: %d good of %d, %d refused, slowest %s", capacity, good, full, refused, slowest)
			if good < full*9/10 || slowest > most {
				t.Errorf("capacity %d/s: %d good of %d, slowest %s", capacity, good, full, slowest)
			}
			good, refused, _ = load(t, g, capacity*8/10, capacity, span)
			if refused != 0 {
				t.Errorf("capacity %d/s: %d are refused below it, %d not", capacity, refused, good)
			}
			if running, waiting := g.now(); running != 0 || waiting != 0 {
				t.Errorf("%d run and %d wait at the end", running, waiting)
			}
		})
	}
}

// Clients that wait for their answers are never refused, however slow the node is, as long as they are few.
func TestOrdinaryClientsAreNeverRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewLimiter()
		g.limit = least
		var wait sync.WaitGroup
		for range 64 {
			wait.Go(func() {
				for range 20 {
					if err := g.Enter(t.Context()); err != nil {
						t.Error(err)
						return
					}
					time.Sleep(2 * time.Second)
					g.Leave(true)
				}
			})
		}
		wait.Wait()
	})
}

// Callers who wait for their answers before they ask again are worked off in turn, also when they are more than run at once: their
// number does not grow.
func TestCallersWhoWaitAreNotOverload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const callers, capacity = 300, 250
		g := NewLimiter()
		g.limit = least
		var mu sync.Mutex
		free := time.Now()
		ended := time.Now().Add(10 * time.Second)
		var wait sync.WaitGroup
		var slowest time.Duration
		for n := range callers {
			wait.Go(func() {
				if n%2 == 1 {
					time.Sleep(time.Second) // those who begin later are no growth that goes on
				}
				for time.Now().Before(ended) {
					came := time.Now()
					if err := g.Enter(t.Context()); err != nil {
						t.Errorf("after %s: %v", time.Since(came), err)
						return
					}
					mu.Lock()
					free = later(free, time.Now()).Add(time.Second / capacity)
					until := free
					mu.Unlock()
					time.Sleep(time.Until(until))
					g.Leave(true)
					mu.Lock()
					slowest = max(slowest, time.Since(came))
					mu.Unlock()
				}
			})
		}
		wait.Wait()
		if slowest > 2*time.Second*callers/capacity {
			t.Errorf("the slowest of %d callers at %d/s waited %s", callers, capacity, slowest)
		}
	})
}

// A short rush is worked off, not refused.
func TestRush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewLimiter()
		var wait sync.WaitGroup
		var refused atomic.Int64
		for range most + 300 {
			wait.Go(func() {
				if g.Enter(t.Context()) != nil {
					refused.Add(1)
					return
				}
				time.Sleep(200 * time.Millisecond)
				g.Leave(true)
			})
		}
		wait.Wait()
		if refused.Load() != 0 {
			t.Errorf("%d refused", refused.Load())
		}
	})
}

func TestWhoHangsUpGivesHisPlaceBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewLimiter()
		g.limit = 1
		if err := g.Enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		gone, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- g.Enter(gone) }()
		synctest.Wait()
		cancel()
		if err := <-ended; err == nil || apperr.Is(err, apperr.Unavailable) {
			t.Error(err)
		}
		g.Leave(true)
		if running, waiting := g.now(); running != 0 || waiting != 0 {
			t.Errorf("%d run, %d wait", running, waiting)
		}
	})
}

// now is how many requests run, and how many wait.
func (l *Limiter) now() (running, waiting int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running, len(l.waiting)
}
