package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"entrepot/internal/db/engine"
	"entrepot/internal/id"
)

// writersPerAccount is how many transactions of one tenant a node runs at once on PostgreSQL. They meet at the tenant's change clock
// anyway: more of them only compete with the one that holds it for processors (32 in one tenant made half as many orders as 8), and would
// take the whole pool from the other tenants. Eight keep the clock busy at some milliseconds a round trip.
const writersPerAccount = 8

// limits lets so many transactions of each tenant through; those beyond wait without a connection.
type limits struct {
	width int
	mu    sync.Mutex
	open  map[id.Tenant]*limit
}

func newLimits(width int) limits { return limits{width: width, open: map[id.Tenant]*limit{}} }

type limit struct {
	slots chan struct{}
	users int // transactions inside or waiting; a limit that nobody uses is forgotten
}

// enter waits for a place; leave gives it back.
func (g *limits) enter(ctx context.Context, tenant id.Tenant) (leave func(), err error) {
	if tenant == 0 { // it serves every tenant
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

// enterWithin is enter for a caller that waits no longer than patience. Errors: Unavailable.
func (g *limits) enterWithin(ctx context.Context, tenant id.Tenant, patience time.Duration) (leave func(), err error) {
	limited, cancel := context.WithTimeout(ctx, patience)
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
