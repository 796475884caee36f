package connector

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// ErrGatewayTimeout is the cause of a failure which says that a gateway before the shop gave up waiting for it.
var ErrGatewayTimeout = errors.New("a gateway's timeout")

// Cloudflare's statuses of a shop that it could not reach, from the first to that of a gateway's timeout.
const (
	cloudUnknown = 520
	cloudTimeout = 524
)

// GaveUp reports whether a gateway before the shop gave up waiting for it.
func GaveUp(answer *Response) bool {
	return answer.Status == http.StatusGatewayTimeout || answer.Status == cloudTimeout
}

// PageSize is how much a shop is asked for, or sent, at once: Most, or less if the shop is too slow for that, but
// never less than Least.
type PageSize struct {
	Most, Least int
	Fact        string // keeps how much a shop that is slow takes at once, and since when
}

// Of is the size for this shop: it doubles after each day in which the shop was not too slow.
func (p PageSize) Of(shop Facts, now time.Time) int {
	var n int
	var since int64
	if _, err := fmt.Sscan(shop.Fact(p.Fact), &n, &since); err != nil || n < p.Least {
		return p.Most
	}
	for ; n < p.Most && now.Sub(time.Unix(since, 0)) >= 24*time.Hour; n *= 2 {
		since += 24 * 60 * 60
	}
	return min(n, p.Most)
}

// Failed halves the size from now on, if it was too much for the shop, whose answer did not come or before which a
// gateway gave up waiting, or for the client, which accepts no larger answer. It returns the error; a smaller try may
// succeed.
func (p PageSize) Failed(shop Facts, now time.Time, size int, err error) error {
	large := errors.Is(err, ErrTooLarge)
	if size <= p.Least || !large && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, ErrGatewayTimeout) {
		return err
	}
	shop.Keep(p.Fact, fmt.Sprint(max(size/2, p.Least), " ", now.Unix()))
	if large {
		return &Failure{Kind: Temporary, Message: FailureOf(err).Message + ": it is asked for less the next time", Err: err}
	}
	return err
}
