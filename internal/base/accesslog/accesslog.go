// Package accesslog says which requests get a line in the log.
package accesslog

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
)

// Share is the share of requests that get a line, from 0 to 1. It may be changed while requests are answered. A nil
// Share is 1.
type Share struct {
	bits atomic.Uint64 // of a float64
}

// Parse parses "on", "off", or a number above 0 and up to 1.
func Parse(text string) (share float64, err error) {
	switch text {
	case "on":
		return 1, nil
	case "off":
		return 0, nil
	}
	share, err = strconv.ParseFloat(text, 64)
	if err != nil || !(share > 0 && share <= 1) {
		return 0, fmt.Errorf("must be on, off, or the share of requests that get a line, such as 0.01, not %q", text)
	}
	return share, nil
}

// New is a share of requests.
func New(share float64) *Share {
	s := &Share{}
	s.Set(share)
	return s
}

// Set changes the share.
func (s *Share) Set(share float64) { s.bits.Store(math.Float64bits(share)) }

// Shows reports whether a request that was answered with a status gets a line: always if the service failed, otherwise
// by chance.
func (s *Share) Shows(status int) bool {
	if s == nil || status >= 500 && status != 503 {
		return true
	}
	share := math.Float64frombits(s.bits.Load())
	return share >= 1 || share > 0 && rand.Float64() < share
}
