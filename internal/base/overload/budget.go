package overload

import (
	"cmp"
	"context"
	"math"
	"sync"
	"time"

	"entrepot/internal/base/apperr"
)

// shareWait is the default time for which a share waits for room.
const shareWait = 2 * time.Second

// Forever is a wait that only the context ends.
const Forever time.Duration = math.MaxInt64

// Budget limits how many bytes of memory a node uses at once: for request bodies while they are read and parsed, and
// for answers until they are sent. A share for which there is no room waits a little and is then refused, so that
// callers, however many and however slow, never take more than the node has (interface §8).
type Budget struct {
	mu      sync.Mutex
	limit   int64
	used    int64
	by      map[int64]int64 // bytes held by each account
	waiting []*waiter       // oldest first
}

// waiter is a share that waits for room.
type waiter struct {
	share *Share
	bytes int64
	ready chan struct{}
}

// NewBudget makes a budget of so many bytes.
func NewBudget(limit int64) *Budget { return &Budget{limit: limit, by: map[int64]int64{}} }

// Limit is the whole budget in bytes.
func (b *Budget) Limit() int64 { return b.limit }

// Used is how many bytes shares hold now.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// Waiting is how many shares wait for room.
func (b *Budget) Waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waiting)
}

// Share is the bytes that one request holds. It is not safe for concurrent use.
type Share struct {
	Account int64         // its owner; 0 for callers without an account. One account gets at most half of the budget
	Wait    time.Duration // how long it waits for room; 0: two seconds; Forever: until the context ends
	of      *Budget
	free    int64 // its first bytes, which are not counted
	held    int64 // bytes that are counted
}

// Share returns a share that holds nothing. Its first free bytes are not counted: the number of requests limits them.
func (b *Budget) Share(free int64) Share { return Share{of: b, free: free} }

// Grow takes n more bytes, and waits for them if necessary. Errors: Unavailable, with retryAfter, when there is still
// no room; the context's. A share that would exceed what an account may have gets that much.
func (s *Share) Grow(ctx context.Context, n int64) error {
	if s.of == nil {
		return nil
	}
	if s.free >= n {
		s.free -= n
		return nil
	}
	n, s.free = n-s.free, 0
	b := s.of
	b.mu.Lock()
	n = min(n, max(0, b.limit/2-s.held))
	if b.fits(s, n) && len(b.waiting) == 0 {
		b.lend(s, n)
		b.mu.Unlock()
		return nil
	}
	w := &waiter{share: s, bytes: n, ready: make(chan struct{})}
	b.waiting = append(b.waiting, w)
	b.serve()
	b.mu.Unlock()
	late := time.NewTimer(cmp.Or(s.Wait, shareWait))
	defer late.Stop()
	select {
	case <-w.ready:
		return nil
	case <-late.C:
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, other := range b.waiting {
		if other == w {
			b.waiting = append(b.waiting[:i], b.waiting[i+1:]...)
			b.serve()
			if err := ctx.Err(); err != nil {
				return err
			}
			return Full()
		}
	}
	return nil // it was served at the last moment
}

// Full is the error for a share without room.
func Full() error {
	return apperr.New(apperr.Unavailable, "overloaded", "the service has too much to do just now, try again").With("retryAfter", 2)
}

// Release returns everything.
func (s *Share) Release() { s.Shrink(s.held) }

// Shrink returns n bytes, or all if that is less.
func (s *Share) Shrink(n int64) {
	if n = min(n, s.held); n <= 0 {
		return
	}
	b := s.of
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	if b.by[s.Account] -= n; b.by[s.Account] <= 0 {
		delete(b.by, s.Account)
	}
	s.held -= n
	b.serve()
}

// fits reports whether there is room: in total, and in the account's half. The mutex is held, as for the functions
// below.
func (b *Budget) fits(s *Share, n int64) bool {
	return b.used+n <= b.limit && b.by[s.Account]+n <= b.limit/2
}

func (b *Budget) lend(s *Share, n int64) {
	b.used += n
	b.by[s.Account] += n
	s.held += n
}

// serve gives waiting shares what fits, oldest first; an account with its full half does not delay the others.
func (b *Budget) serve() {
	kept := b.waiting[:0]
	for _, w := range b.waiting {
		if b.fits(w.share, w.bytes) {
			b.lend(w.share, w.bytes)
			close(w.ready)
		} else {
			kept = append(kept, w)
		}
	}
	clear(b.waiting[len(kept):])
	b.waiting = kept
}
