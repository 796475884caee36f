package postgres

import (
	"context"
	"errors"

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
	with   *groups.Mixtures[*lookup]

	brief bool // it has one message, which reads one snapshot
	sent  bool
	more  bool // it was asked for another one
}

func (e *Engine) shared(ctx context.Context, tenant id.Tenant) *shared {
	s := &shared{ctx: ctx, engine: e, tenant: tenant, with: &e.lookups}
	s.Read = s.read
	return s
}

// brief is a shared session of one message.
func (e *Engine) brief(ctx context.Context, tenant id.Tenant) *shared {
	s := e.shared(ctx, tenant)
	s.with, s.brief = &e.briefs, true
	return s
}

// errMore ends a brief session that asks for more than one message has.
var errMore = errors.New("db: a brief read has asked for more")

// read runs pending reads in a message shared with others. If that fails for what another of them wanted, or if there is a long read
// among them, they are sent apart.
func (s *shared) read(pending []*engine.Pending) ([]*reply, error) {
	if s.more = s.brief && s.sent; s.more {
		return nil, errMore
	}
	s.sent = true
	own := &lookup{Tenant: s.tenant, Pending: pending}
	if !groups.Long(pending) {
		size, err := s.with.Together(s.tenant, own, func(group []*lookup) error {
			ctx := s.ctx
			if len(group) > 1 { // others wait for it
				ctx = context.WithoutCancel(ctx)
			}
			return s.engine.lookUp(ctx, group, s.brief)
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
	err = s.engine.lookUp(s.ctx, []*lookup{own}, s.brief)
	return own.Replies, err
}
