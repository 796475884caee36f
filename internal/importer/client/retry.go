package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"
)

// Retry says how often and how long a client retries. Zero fields mean the defaults.
type Retry struct {
	Attempts int           // tries of one request that end in a network error or 5xx; default 8, 1 = never again
	First    time.Duration // pause after the first such try, doubled each time; default 500 ms
	Longest  time.Duration // bound of one such pause; default 30 s
	Quota    time.Duration // total time one request may wait for its quota (429); default 30 minutes
}

func (r Retry) orDefault() Retry {
	set := func(field *time.Duration, value time.Duration) {
		if *field <= 0 {
			*field = value
		}
	}
	if r.Attempts <= 0 {
		r.Attempts = 8
	}
	set(&r.First, 500*time.Millisecond)
	set(&r.Longest, 30*time.Second)
	set(&r.Quota, 30*time.Minute)
	return r
}

// retries are the remaining tries of a Retry for one request.
type retries struct {
	Retry
	failed int
	waited time.Duration
}

func (r Retry) begin() *retries { return &retries{Retry: r} }

// after decides what follows a failed try: how long to wait, and whether to try again. With 429 and 503 nothing was
// done, so any call may be repeated; after other errors it must be repeatable.
func (p *retries) after(err error, repeatable bool) (time.Duration, bool) {
	refused, ok := errors.AsType[*Error](err)
	if ok && refused.StatusCode == http.StatusTooManyRequests {
		wait := max(refused.RetryAfter, p.First)
		p.waited += wait
		return wait, p.waited <= p.Quota
	}
	if ok && refused.StatusCode < 500 {
		return 0, false
	}
	away := ok && refused.StatusCode == http.StatusServiceUnavailable
	if !repeatable && !away {
		return 0, false
	}
	p.failed++
	if p.failed >= p.Attempts {
		return 0, false
	}
	pause := p.Longest
	if p.failed < 20 {
		pause = min(p.Longest, p.First<<(p.failed-1))
	}
	pause = pause/2 + rand.N(pause/2+1) // spread callers that failed together
	if ok {
		pause = max(pause, refused.RetryAfter)
	}
	return pause, true
}

func tooFast(err error) bool { return StatusOf(err) == http.StatusTooManyRequests }

// restFor stops every caller of this client for a while.
func (c *Client) restFor(d time.Duration) {
	until := time.Now().Add(d).UnixNano()
	for {
		old := c.restUntil.Load()
		if old >= until || c.restUntil.CompareAndSwap(old, until) {
			return
		}
	}
}

// rest waits until the server's quota allows requests again.
func (c *Client) rest(ctx context.Context) error {
	for {
		left := c.restUntil.Load() - time.Now().UnixNano()
		if left <= 0 {
			return ctx.Err()
		}
		if err := sleep(ctx, time.Duration(left)); err != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
