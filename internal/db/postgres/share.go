package postgres

import (
	"context"

	"entrepot/internal/db/engine"
	"entrepot/internal/db/groups"
	"entrepot/internal/id"
)

// shared is a session without a connection of its own: it only reads, and what it reads travels with what others of the tenant read in the
// same moment. Each message is a transaction of its own.
type shared struct {
	ctx    context.Context
	engine *Engine
	tenant id.Tenant
}

func (e *Engine) shared(ctx context.Context, tenant id.Tenant) *shared {
	return &shared{ctx: ctx, engine: e, tenant: tenant}
}

// Answer sends all pending reads in one message.
func (s *shared) Answer(pending []*engine.Pending) int {
	replies, err := s.read(pending)
	for i, p := range pending {
		if err != nil {
			p.End(err)
		} else {
			p.Answer(replies[i], nil)
		}
	}
	return len(pending)
}

// Query reads rows.
func (s *shared) Query(sql string, args []any) (engine.Rows, error) {
	replies, err := s.read([]*engine.Pending{{SQL: sql, Args: args}})
	if err != nil {
		return nil, err
	}
	return replies[0], nil
}

// Last has nothing to say: no message of a shared session belongs to another.
func (s *shared) Last() {}

func (s *shared) Exec(string, []any) (int64, error) { return 0, engine.ErrOnlyReads }
func (s *shared) Send([]*engine.Step) error         { return engine.ErrOnlyReads }
func (s *shared) LockName(id.Tenant, int64) error   { return engine.ErrOnlyReads }
func (s *shared) LockClock(id.Tenant) error         { return engine.ErrOnlyReads }

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
