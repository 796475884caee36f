package db

import (
	"context"
	"errors"
	"sync"
	"time"

	"entrepot/internal/db/engine"
	"entrepot/internal/id"
)

// admission limits how many reads use the engine's connections at once (decision 105). Wide reads, which may look at
// many records, have one share of the connections, other reads another, and one account never gets all of either
// share. The connections that remain serve authentication and writes, which pass no limit here.
type admission struct{ wide, narrow concurrency }

// wideWait is how long a wide read waits for others to end; then it fails and its caller is asked to try again.
const wideWait = 10 * time.Second

// newAdmission divides the reading connections of an engine into the two shares.
func newAdmission(connections int) *admission {
	spare := max(2, connections/4)
	rest := max(2, connections-spare)
	return &admission{newConcurrency(rest/2, (rest/2+1)/2), newConcurrency(rest-rest/2, max(1, rest-rest/2-1))}
}

// concurrency limits how many reads run at once: in total and for each tenant.
type concurrency struct {
	each   int
	places chan struct{}
	mu     sync.Mutex
	of     map[id.Tenant]*sharing
}

type sharing struct {
	places chan struct{}
	users  int // reads inside or waiting; at 0 the tenant's entry is removed
}

func newConcurrency(all, each int) concurrency {
	return concurrency{each: max(1, each), places: make(chan struct{}, max(1, all)), of: map[id.Tenant]*sharing{}}
}

// enter waits for a place in the tenant's limit and then in the total; leave releases both.
func (c *concurrency) enter(ctx context.Context, tenant id.Tenant) (leave func(), err error) {
	own := c.join(tenant)
	select {
	case own.places <- struct{}{}:
	case <-ctx.Done():
		c.part(tenant, own)
		return nil, ctx.Err()
	}
	give := func() {
		<-own.places
		c.part(tenant, own)
	}
	select {
	case c.places <- struct{}{}:
		return func() { <-c.places; give() }, nil
	case <-ctx.Done():
		give()
		return nil, ctx.Err()
	}
}

func (c *concurrency) join(tenant id.Tenant) *sharing {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.of[tenant]
	if own == nil {
		own = &sharing{places: make(chan struct{}, c.each)}
		c.of[tenant] = own
	}
	own.users++
	return own
}

func (c *concurrency) part(tenant id.Tenant, own *sharing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(c.of, tenant)
	}
}

// ReadWide is Read for queries that may look at many records: lists, searches, figures. Errors: Unavailable when no
// place became free in time.
func (d *DB) ReadWide(ctx context.Context, tenant id.Tenant, run func(*Tx) error) error {
	patient, cancel := context.WithTimeout(ctx, wideWait)
	leave, err := d.admission.wide.enter(patient, tenant)
	cancel()
	if err != nil {
		if ctx.Err() == nil {
			err = engine.TooLong(errors.New("db: as many wide reads as may run at once"))
		}
		return err
	}
	defer leave()
	return d.read(ctx, tenant, true, run)
}
