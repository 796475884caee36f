package connector

import (
	"context"
	"errors"
	"strconv"
)

// ErrGatewayTimeout is the cause of a failure that says that something before the shop gave up waiting for it.
var ErrGatewayTimeout = errors.New("a gateway's timeout")

// PageSize is how many orders a shop is asked for at once: Most, or fewer, but never less than Least, if it is too slow for so many.
type PageSize struct{ Most, Least int }

// pageFact keeps how many a shop that is slow gives at once.
const pageFact = "orderPage"

// Of is how many this shop is asked for.
func (p PageSize) Of(shop Facts) int {
	if n, err := strconv.Atoi(shop.Fact(pageFact)); err == nil && n >= p.Least && n < p.Most {
		return n
	}
	return p.Most
}

// Failed keeps that the shop is asked for half as many from now on, if it took too long for so many: its answer did not come, or something
// before it gave up waiting.
func (p PageSize) Failed(shop Facts, size int, err error) {
	if size > p.Least && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrGatewayTimeout)) {
		shop.Keep(pageFact, strconv.Itoa(max(size/2, p.Least)))
	}
}
