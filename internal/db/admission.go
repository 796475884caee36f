package db

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db/engine"
)

// admission limits how many reads use the engine's connections at once (decision 17). Wide reads, which may look at
// many records, have one share of the connections, other reads another, and one account never gets all of either
// share. The connections that remain serve authentication and writes, which pass no limit here. Wide reads compute,
// on SQLite in this process and on PostgreSQL often on the same machine: while other accounts are active, one
// account's wide reads leave a processor to them (decision 17).
type admission struct {
	wide, narrow concurrency
	active       activity
	minWait      time.Duration // how long a wide read waits to be admitted: wideWait, or more (Config.MinWait)
}

// wideWait is how long a wide read waits for others to end. After that it fails, and the caller should try again.
const wideWait = 10 * time.Second

// newAdmission divides the reading connections of an engine into the two shares. processors is how many processors this
// process has.
func newAdmission(connections, processors int) *admission {
	spare := max(2, connections/4)
	shared := max(2, connections-spare)
	a := &admission{minWait: wideWait, wide: newConcurrency(shared/2, (shared/2+1)/2), narrow: newConcurrency(shared-shared/2, max(1, shared-shared/2-1))}
	a.wide.othersActive = min(a.wide.each, max(1, processors-1))
	return a
}

// enterWide waits until a wide read may run. othersActive says whether other accounts are active.
func (a *admission) enterWide(ctx context.Context, tenant id.Tenant, now time.Time) (at place, othersActive bool, err error) {
	a.active.mark(tenant, now)
	othersActive = a.active.others(tenant, now)
	at, err = a.wide.enter(ctx, tenant, othersActive)
	return at, othersActive, err
}

// enterNarrow waits until another read may run.
func (a *admission) enterNarrow(ctx context.Context, tenant id.Tenant, now time.Time) (place, error) {
	a.active.mark(tenant, now)
	return a.narrow.enter(ctx, tenant, false)
}

// concurrency limits how many reads run at once: in total and for each tenant.
type concurrency struct {
	each         int // reads that a tenant may run at once
	othersActive int // the same while other tenants are active; 0: all of them
	places       chan struct{}
	mu           sync.Mutex
	of           map[id.Tenant]*sharing

	waiting atomic.Int64 // how many wait
}

type sharing struct {
	places       chan struct{}
	othersActive chan struct{} // reads inside that began while other tenants were active
	users        int           // reads inside or waiting; at 0 the tenant's entry is removed
}

func newConcurrency(all, each int) concurrency {
	return concurrency{each: max(1, each), places: make(chan struct{}, max(1, all)), of: map[id.Tenant]*sharing{}}
}

// place is the permission that a read holds while it runs.
type place struct {
	of     *concurrency
	tenant id.Tenant
	own    *sharing
	taken  [3]chan struct{} // the limits that count it
}

// enter waits until the total, the tenant's limit and, while others are active, the tenant's lower limit admit a
// read.
func (c *concurrency) enter(ctx context.Context, tenant id.Tenant, others bool) (place, error) {
	at := place{of: c, tenant: tenant, own: c.join(tenant)}
	wanted := [len(at.taken)]chan struct{}{at.own.places, nil, c.places}
	if others {
		wanted[1] = at.own.othersActive
	}
	for i, limit := range wanted {
		if limit == nil {
			continue
		}
		if err := c.await(ctx, limit); err != nil {
			at.leave()
			return place{}, err
		}
		at.taken[i] = limit
	}
	return at, nil
}

func (c *concurrency) await(ctx context.Context, limit chan<- struct{}) error {
	select {
	case limit <- struct{}{}:
		return nil
	default:
	}
	c.waiting.Add(1)
	defer c.waiting.Add(-1)
	select {
	case limit <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave ends a read and removes the tenant's entry when the tenant has no other. It yields to the read that is
// admitted instead: otherwise that one would hold its place and wait for the processor until this one has written its
// answer.
func (p place) leave() {
	for _, limit := range slices.Backward(p.taken[:]) {
		if limit != nil {
			<-limit
		}
	}
	c := p.of
	c.mu.Lock()
	if p.own.users--; p.own.users == 0 {
		delete(c.of, p.tenant)
	}
	c.mu.Unlock()
	if c.waiting.Load() > 0 {
		runtime.Gosched()
	}
}

func (c *concurrency) join(tenant id.Tenant) *sharing {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.of[tenant]
	if own == nil {
		own = &sharing{places: make(chan struct{}, c.each)}
		if c.othersActive > 0 {
			own.othersActive = make(chan struct{}, c.othersActive)
		}
		c.of[tenant] = own
	}
	own.users++
	return own
}

// WideWaiting is how many wide reads wait now.
func (d *DB) WideWaiting() int { return int(d.admission.wide.waiting.Load()) }

// ReadWide is Read for queries that may look at many records: lists, searches, figures. Errors: Unavailable when it
// was not admitted in time.
func (d *DB) ReadWide(ctx context.Context, tenant id.Tenant, run func(*Tx) error) error {
	limited, cancel := context.WithTimeout(ctx, d.admission.minWait)
	at, othersActive, err := d.admission.enterWide(limited, tenant, d.now())
	cancel()
	if err != nil {
		if ctx.Err() == nil {
			err = engine.TooLong(errors.New("db: as many wide reads as may run at once"))
		}
		return err
	}
	defer at.leave()
	how := engine.Stored
	if othersActive {
		how = engine.Yielding
	}
	return d.read(ctx, tenant, how, run)
}
