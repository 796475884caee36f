package bench

import (
	"context"
	"time"
)

// How rest is awaited: the service's processor time is looked at every restLook, and is rest while it is below one part in restShare of the
// time passed; after restPatience the measurement begins in any case.
const (
	restLook     = 250 * time.Millisecond
	restShare    = 10
	restPatience = 3 * time.Minute
)

// awaitRest waits until the service has been at rest for the time that was asked for: what it does in the background after a scenario's
// products were made, or after the scenario before, is no part of what is measured. It does nothing if the service's processes are not
// known.
func (c *campaign) awaitRest(ctx context.Context) {
	used, known := processesCPU(c.ServerPIDs)
	if c.Rest == 0 || !known {
		return
	}
	c.say("waiting until the service has been at rest for %s", c.Rest)
	began := time.Now()
	r := resting{used: used}
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(restLook):
		}
		at := time.Since(began)
		used, known = processesCPU(c.ServerPIDs)
		if !known || r.look(at, used) >= c.Rest {
			return
		}
		if at > restPatience {
			c.say("the service was not at rest for %s within %s", c.Rest, restPatience)
			return
		}
	}
}

// resting is what looks at a service's processor time have shown.
type resting struct {
	at, used time.Duration // of the last look: since the first, and by the service
	since    time.Duration // the service has been at rest
}

// look takes one more look and is how long the service has been at rest by then.
func (r *resting) look(at, used time.Duration) time.Duration {
	if used-r.used > (at-r.at)/restShare {
		r.since = at
	}
	r.at, r.used = at, used
	return at - r.since
}
