package connector

import (
	"sync"
	"time"
)

// limiter keeps a channel's requests within its platform's limits. golang.org/x/time/rate has the rate alone;
// platforms also bound how many requests run at once, name a time before which none may come, and change the rate
// while they are called.
type limiter struct {
	mu      sync.Mutex
	buckets map[string]*bucket
}

// bucket receives one permit each Every, up to Burst.
type bucket struct {
	Limit
	permits  float64
	at       time.Time // the time for which permits is correct
	underWay int
	held     time.Time // no request before this time
}

// busyRest is how long a request waits before it checks again whether another one has ended.
const busyRest = 5 * time.Millisecond

func newLimiter(limits []Limit) *limiter {
	l := &limiter{buckets: map[string]*bucket{}}
	for _, limit := range limits {
		l.buckets[limit.Name] = &bucket{Limit: limit, permits: float64(max(limit.Burst, 1))}
	}
	return l
}

// bucket is the bucket of a name, else the one for all others.
func (l *limiter) bucket(name string) *bucket {
	b := l.buckets[name]
	if b == nil {
		b = l.buckets[""]
	}
	if b == nil {
		b = &bucket{}
		l.buckets[""] = b
	}
	return b
}

// enter takes a permit, or returns the time to wait before the next try.
func (l *limiter) enter(name string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.bucket(name)
	switch {
	case b.held.After(now):
		return b.held.Sub(now)
	case b.AtOnce > 0 && b.underWay >= b.AtOnce:
		return busyRest
	}
	if b.Every > 0 {
		if !b.at.IsZero() {
			b.permits = min(float64(max(b.Burst, 1)), b.permits+float64(now.Sub(b.at))/float64(b.Every))
		}
		b.at = now
		if b.permits < 1 {
			return max(time.Millisecond, time.Duration((1-b.permits)*float64(b.Every)))
		}
		b.permits--
	}
	b.underWay++
	return 0
}

// leave ends a request that entered.
func (l *limiter) leave(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bucket(name).underWay--
}

// hold stops requests until a time.
func (l *limiter) hold(name string, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.bucket(name); b.held.Before(until) {
		b.held = until
	}
}

// every is the time in which a bucket receives a permit.
func (l *limiter) every(name string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bucket(name).Every
}

// pace sets the rate of an existing bucket.
func (l *limiter) pace(name string, every time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.buckets[name]; b != nil && b.Every > 0 {
		b.Every = every
	}
}
