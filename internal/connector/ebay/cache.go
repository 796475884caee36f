package ebay

import (
	"context"
	"fmt"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"
)

// maxCached limits each cache, because merchants choose a part of the keys.
const maxCached = 1000

// cache keeps fetched values until they expire, the maxCached last used ones. Callers that need the same value at once
// share one fetch. Failures are not kept.
type cache[V any] struct {
	now     func() time.Time
	kept    *lru.Cache[string, entry[V]]
	fetches singleflight.Group
}

// entry is a value that may be used before expires.
type entry[V any] struct {
	value   V
	expires time.Time
}

func newCache[V any](now func() time.Time) *cache[V] {
	kept, err := lru.New[string, entry[V]](maxCached)
	if err != nil {
		panic(err) // only a size below 1
	}
	return &cache[V]{now: now, kept: kept}
}

// get returns the value of key, fetched if necessary. fetch returns the value's lifetime; it has callTimeout even if
// the first caller hangs up, because others may wait for it.
func (c *cache[V]) get(ctx context.Context, key string, fetch func(context.Context) (V, time.Duration, error)) (V, error) {
	if value, ok := c.fresh(key); ok {
		return value, nil
	}
	result := c.fetches.DoChan(key, func() (any, error) {
		if value, ok := c.fresh(key); ok { // another fetch has just ended
			return value, nil
		}
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
		defer cancel()
		value, life, err := survive(limited, fetch)
		if err != nil {
			return nil, err
		}
		c.kept.Add(key, entry[V]{value, c.now().Add(life)})
		return value, nil
	})
	var none V
	select {
	case r := <-result:
		if r.Err != nil {
			return none, r.Err
		}
		return r.Val.(V), nil
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// survive runs a fetch and converts its panic to an error, because in a shared fetch no caller could recover from it.
func survive[V any](ctx context.Context, fetch func(context.Context) (V, time.Duration, error)) (value V, life time.Duration, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("the fetch panicked: %v", problem)
		}
	}()
	return fetch(ctx)
}

// fresh returns the value of key if it has not expired.
func (c *cache[V]) fresh(key string) (value V, ok bool) {
	e, ok := c.kept.Get(key)
	if !ok || !c.now().Before(e.expires) {
		return value, false
	}
	return e.value, true
}

// forget removes the value of key.
func (c *cache[V]) forget(key string) { c.kept.Remove(key) }

// guesses counts, by application and clock hour, keys that eBay did not know. Anyone can send a signature that names
// an invented key; without a limit that would use up the application's daily quota of calls.
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

// turn resets the counts when the hour has changed.
func (g *guesses) turn() {
	if hour := g.now().Unix() / 3600; hour != g.hour || g.counts == nil {
		g.hour, g.counts = hour, map[string]int{}
	}
}
