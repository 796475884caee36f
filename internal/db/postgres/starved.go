package postgres

import (
	"context"
	"sync"

	"entrepot/internal/id"
)

// starved keeps a tenant's optimistic transactions from beginning while one is under way that has lost many races to them. They hold the
// tenant's records for a moment only, but there may always be another one between what it reads and what it writes.
type starved struct {
	mu    sync.Mutex
	under map[id.Tenant]*starving
}

// starving is the transactions of a tenant that are under way and have lost many races.
type starving struct {
	transactions int
	over         chan struct{} // closed when the last of them has ended
}

func newStarved() starved { return starved{under: map[id.Tenant]*starving{}} }

// enter registers a transaction that has lost many races, until it calls leave.
func (s *starved) enter(tenant id.Tenant) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.under[tenant]
	if at == nil {
		at = &starving{over: make(chan struct{})}
		s.under[tenant] = at
	}
	at.transactions++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if at.transactions--; at.transactions == 0 {
			delete(s.under, tenant)
			close(at.over)
		}
	}
}

// pass waits until no such transaction of the tenant is under way. Errors: the context's.
func (s *starved) pass(ctx context.Context, tenant id.Tenant) error {
	s.mu.Lock()
	at := s.under[tenant]
	s.mu.Unlock()
	if at == nil {
		return nil
	}
	select {
	case <-at.over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
