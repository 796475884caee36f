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
// share. The connections that remain serve authentication and writes, which pass no limit here. Wide reads compute, on
// SQLite in this process and on PostgreSQL often on the same machine: while other accounts are active, one account's wide
// reads leave a processor to them (decision 17).
type admission struct {
	wide, narrow concurrency
	active       activity
	patience     time.Duration // of a wide read that finds no place: wideWait, or Config.Patience
}

// wideWait is how long a wide read waits for others to end; then it fails, and the caller should try again.
const wideWait = 10 * time.Second

// newAdmission divides the reading connections of an engine into the two shares. processors is how many processors this
// process has.
func newAdmission(connections, processors int) *admission {
	spare := max(2, connections/4)
	rest := max(2, connections-spare)
	a := &admission{patience: wideWait, wide: newConcurrency(rest/2, (rest/2+1)/2), narrow: newConcurrency(rest-rest/2, max(1, rest-rest/2-1))}
	a.wide.beside = min(a.wide.each, max(1, processors-1))
	return a
}

// enterWide waits for a place for a wide read at a time. beside is whether other accounts are active.
func (a *admission) enterWide(ctx context.Context, tenant id.Tenant, now time.Time) (at place, beside bool, err error) {
	a.active.mark(tenant, now)
	beside = a.active.others(tenant, now)
	at, err = a.wide.enter(ctx, tenant, beside)
	return at, beside, err
}

// enterNarrow waits for a place for another read.
func (a *admission) enterNarrow(ctx context.Context, tenant id.Tenant, now time.Time) (place, error) {
	a.active.mark(tenant, now)
	return a.narrow.enter(ctx, tenant, false)
}

// concurrency limits how many reads run at once: in total and for each tenant.
type concurrency struct {
	each   int // places of a tenant
	beside int // of these, while other tenants are active; 0: all
	places chan struct{}
	mu     sync.Mutex
	of     map[id.Tenant]*sharing

	waiting atomic.Int64 // how many wait for a place
}

type sharing struct {
	places chan struct{}
	beside chan struct{} // places of reads that began while other tenants were active
	users  int           // reads inside or waiting; at 0 the tenant's entry is removed
}

func newConcurrency(all, each int) concurrency {
	return concurrency{each: max(1, each), places: make(chan struct{}, max(1, all)), of: map[id.Tenant]*sharing{}}
}

// place is what a read holds while it runs.
type place struct {
	of     *concurrency
	tenant id.Tenant
	own    *sharing
	taken  [3]chan struct{} // the limits that it counts in
}

// enter waits for a place in the tenant's limit, in its limit beside active others if there are any, and in the total.
func (c *concurrency) enter(ctx context.Context, tenant id.Tenant, others bool) (place, error) {
	at := place{of: c, tenant: tenant, own: c.join(tenant)}
	wanted := [len(at.taken)]chan struct{}{at.own.places, nil, c.places}
	if others {
		wanted[1] = at.own.beside
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

// leave gives a place back and forgets the tenant when nobody else is in. It lets the one who gets the place go first: otherwise that one
// would wait for the processor, with the place, until this one has written its answer.
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
		if c.beside > 0 {
			own.beside = make(chan struct{}, c.beside)
		}
		c.of[tenant] = own
	}
	own.users++
	return own
}

// WideWaiting is how many wide reads wait for a place now.
func (d *DB) WideWaiting() int { return int(d.admission.wide.waiting.Load()) }

// ReadWide is Read for queries that may look at many records: lists, searches, figures. Errors: Unavailable when no
// place became free in time.
func (d *DB) ReadWide(ctx context.Context, tenant id.Tenant, run func(*Tx) error) error {
	patient, cancel := context.WithTimeout(ctx, d.admission.patience)
	at, beside, err := d.admission.enterWide(patient, tenant, d.now())
	cancel()
	if err != nil {
		if ctx.Err() == nil {
			err = engine.TooLong(errors.New("db: as many wide reads as may run at once"))
		}
		return err
	}
	defer at.leave()
	how := engine.Stored
	if beside {
		how = engine.Patient
	}
	return d.read(ctx, tenant, how, run)
}
