package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db/engine"
)

// writersPerAccount is how many transactions of one tenant a node runs at once on PostgreSQL. All of them wait for
// the tenant's change clock. More of them only take processor time from the one that holds it (32 in one tenant
// stored half as many orders as 8) and connections from other tenants. Eight keep the clock in use at round trips of
// some milliseconds.
const writersPerAccount = 8

// limits bounds the transactions of each tenant. Those beyond the bound wait without a connection.
type limits struct {
	width int
	mu    sync.Mutex
	open  map[id.Tenant]*limit
}

func newLimits(width int) limits { return limits{width: width, open: map[id.Tenant]*limit{}} }

type limit struct {
	slots chan struct{}
	users int // transactions inside or waiting; at 0 the limit is removed
}

// enter waits to be admitted; leave ends the transaction.
func (g *limits) enter(ctx context.Context, tenant id.Tenant) (leave func(), err error) {
	if tenant == 0 { // it serves all tenants
		return func() {}, nil
	}
	g.mu.Lock()
	at := g.open[tenant]
	if at == nil {
		at = &limit{slots: make(chan struct{}, g.width)}
		g.open[tenant] = at
	}
	at.users++
	g.mu.Unlock()
	select {
	case at.slots <- struct{}{}:
		return func() { <-at.slots; g.release(tenant, at) }, nil
	case <-ctx.Done():
		g.release(tenant, at)
		return nil, ctx.Err()
	}
}

// enterWithin is enter with a limit on the wait. Errors: Unavailable.
func (g *limits) enterWithin(ctx context.Context, tenant id.Tenant, wait time.Duration) (leave func(), err error) {
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	leave, err = g.enter(limited, tenant)
	if err != nil && ctx.Err() == nil {
		err = engine.TooLong(errors.New("db: as many reads of the account as may run at once"))
	}
	return leave, err
}

func (g *limits) release(tenant id.Tenant, at *limit) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if at.users--; at.users == 0 {
		delete(g.open, tenant)
	}
}
