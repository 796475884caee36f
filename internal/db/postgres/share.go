package postgres

import (
	"context"

	"entrepot/internal/db/engine"
	"entrepot/internal/db/groups"
	"entrepot/internal/id"
)

// shared is a session whose reads are sent in one message with those of other callers of the tenant. Each message is a transaction of its
// own.
type shared struct {
	groups.Session[*reply]
	ctx    context.Context
	engine *Engine
	tenant id.Tenant
}

func (e *Engine) shared(ctx context.Context, tenant id.Tenant) *shared {
	s := &shared{ctx: ctx, engine: e, tenant: tenant}
	s.Read = s.read
	return s
}

// read runs pending reads in a message shared with others. If that fails for what another of them wanted, or if there is a long read
// among them, they are sent apart.
func (s *shared) read(pending []*engine.Pending) ([]*reply, error) {
	own := &lookup{Tenant: s.tenant, Pending: pending}
	if !groups.Long(pending) {
		size, err := s.engine.lookups.Together(s.tenant, own, func(group []*lookup) error {
			ctx := s.ctx
			if len(group) > 1 { // others wait for it
				ctx = context.WithoutCancel(ctx)
			}
			return s.engine.lookUp(ctx, group)
		})
		if err == nil || size == 1 || away(err) {
			return own.Replies, err
		}
	}
	leave, err := s.engine.writers.enter(s.ctx, s.tenant)
	if err != nil {
		return nil, err
	}
	defer leave()
	err = s.engine.lookUp(s.ctx, []*lookup{own})
	return own.Replies, err
}
