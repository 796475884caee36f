package connector

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// ErrGatewayTimeout is the cause of a failure that says that something before the shop gave up waiting for it.
var ErrGatewayTimeout = errors.New("a gateway's timeout")

// cloudTimeout is Cloudflare's status of a gateway's timeout.
const cloudTimeout = 524

// GaveUp reports whether something before the shop gave up waiting for it.
func GaveUp(answer *Response) bool {
	return answer.Status == http.StatusGatewayTimeout || answer.Status == cloudTimeout
}

// PageSize is how many orders a shop is asked for at once: Most, or fewer, but never less than Least, if it is too slow for so many.
type PageSize struct{ Most, Least int }

// pageFact keeps how many a shop that is slow gives at once, and since when.
const pageFact = "orderPage"

// Of is how many this shop is asked for: after each day in which it was not too slow, twice as many.
func (p PageSize) Of(shop Facts, now time.Time) int {
	var n int
	var since int64
	if _, err := fmt.Sscan(shop.Fact(pageFact), &n, &since); err != nil || n < p.Least {
		return p.Most
	}
	for ; n < p.Most && now.Sub(time.Unix(since, 0)) >= 24*time.Hour; n *= 2 {
		since += 24 * 60 * 60
	}
	return min(n, p.Most)
}

// Failed keeps that the shop is asked for half as many from now on, if it took too long for so many: its answer did not come, or something
// before it gave up waiting.
func (p PageSize) Failed(shop Facts, now time.Time, size int, err error) {
	if size > p.Least && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrGatewayTimeout)) {
		shop.Keep(pageFact, fmt.Sprint(max(size/2, p.Least), " ", now.Unix()))
	}
}
