package connector

import (
	"math/rand/v2"
	"time"
)

// Bounds of the random part of a wait.
const (
	spreadShare = 2           // at most one in so many of the wait
	longestPart = time.Minute // however long the wait is
)

// Later is a wait with a random part added, up to half of it and a minute, so that channels that a platform refused
// at the same moment do not come back at the same moment. It is never shorter than the wait, which a platform may
// have asked for.
func (c *Clients) Later(wait time.Duration) time.Duration { return wait + c.spread(wait) }

// randomPart is what Later adds.
func randomPart(wait time.Duration) time.Duration {
	most := min(wait/spreadShare, longestPart)
	if most <= 0 {
		return 0
	}
	return rand.N(most + 1)
}
