package ebay

import (
	"context"
	"errors"
	"sync"
	"time"
)

// maxCached bounds each cache; merchants choose some of what is in a key.
const maxCached = 1000

// cache keeps fetched values until they expire. Callers who want the same value at once share one fetch. Failures are
// not kept.
type cache[V any] struct {
	now     func() time.Time
	mu      sync.Mutex
	entries map[string]*entry[V]
}

// entry is a value, or the fetch of one. Value, err and expires may be read once done is closed.
type entry[V any] struct {
	done    chan struct{}
	value   V
	err     error
	expires time.Time
}

func newCache[V any](now func() time.Time) *cache[V] {
	return &cache[V]{now: now, entries: map[string]*entry[V]{}}
}

// get returns the value of key, from fetch if there is none. Fetch says how long the value lives; it has callTimeout,
// whatever becomes of the first caller, because others may wait for it.
func (c *cache[V]) get(ctx context.Context, key string, fetch func(context.Context) (V, time.Duration, error)) (V, error) {
	c.mu.Lock()
	if e := c.entries[key]; e != nil && !c.expired(e) {
		c.mu.Unlock()
		return e.wait(ctx)
	}
	c.makeRoom()
	e := &entry[V]{done: make(chan struct{}), err: errors.New("the fetch did not end")}
	c.entries[key] = e
	c.mu.Unlock()

	defer c.settle(key, e) // also when fetch panics
	fetchCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	value, life, err := fetch(fetchCtx)
	e.value, e.err, e.expires = value, err, c.now().Add(life)
	return value, err
}

// forget drops the value of key.
func (c *cache[V]) forget(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.entries, key)
}

// settle lets the waiting callers go on, and drops a failure.
func (c *cache[V]) settle(key string, e *entry[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.err != nil && c.entries[key] == e {
		delete(c.entries, key)
	}
	close(e.done)
}

// makeRoom drops what has expired, and if that is not enough any value that is not being fetched.
func (c *cache[V]) makeRoom() {
	if len(c.entries) < maxCached {
		return
	}
	for key, e := range c.entries {
		if c.expired(e) {
			delete(c.entries, key)
		}
	}
	for key, e := range c.entries {
		if len(c.entries) < maxCached {
			return
		}
		if e.settled() {
			delete(c.entries, key)
		}
	}
}

func (c *cache[V]) expired(e *entry[V]) bool { return e.settled() && !c.now().Before(e.expires) }

func (e *entry[V]) settled() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

func (e *entry[V]) wait(ctx context.Context) (V, error) {
	select {
	case <-e.done:
		return e.value, e.err
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}

// guesses counts, per application and clock hour, the keys that eBay did not know. Anybody can send a signature that
// names a made-up key; without a bound that would spend the application's daily quota of calls.
type guesses struct {
	now    func() time.Time
	mu     sync.Mutex
	hour   int64
	counts map[string]int
}

// maxGuesses is far above what eBay's few keys need and far below its 10,000 calls a day.
const maxGuesses = 60

func (g *guesses) spent(app string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turn()
	return g.counts[app] >= maxGuesses
}

func (g *guesses) count(app string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turn()
	g.counts[app]++
}

// turn starts anew when the hour has changed.
func (g *guesses) turn() {
	if hour := g.now().Unix() / 3600; hour != g.hour || g.counts == nil {
		g.hour, g.counts = hour, map[string]int{}
	}
}
