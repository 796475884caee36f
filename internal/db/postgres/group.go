package postgres

import (
	"context"

	"entrepot/internal/apperr"
	"entrepot/internal/db/engine"
	"entrepot/internal/id"
)

// optimistic plans a transaction by itself and writes it with others of its tenant in one commit: they would go one after the other
// anyway, because each takes the tenant's change clock, and each would wait for a sync of its own.
func (e *Engine) optimistic(ctx context.Context, tenant id.Tenant, work engine.Work) error {
	steps, err := work(e.shared(ctx, tenant))
	if err != nil || len(steps) == 0 {
		return err
	}
	size, err := e.groups.together(tenant, steps, func(group [][]*engine.Step) error {
		return e.writeSteps(ctx, tenant, inOrder(group))
	})
	if size == 1 {
		return err
	}
	return e.orAlone(ctx, tenant, steps, err)
}

// away reports whether the store was away or too busy, or may have stored what was sent: it is for the caller to come again.
func away(err error) bool {
	f, ok := apperr.As(err)
	return ok && f.Kind == apperr.Unavailable
}

// orAlone writes a member by itself whose group was not stored: that may have failed for another of them.
func (e *Engine) orAlone(ctx context.Context, tenant id.Tenant, steps []*engine.Step, err error) error {
	if err == nil || away(err) {
		return err
	}
	leave, err := e.writers.enter(ctx, tenant)
	if err != nil {
		return err
	}
	defer leave()
	return e.writeSteps(ctx, tenant, steps)
}

// writeSteps stores what one transaction or a group of them writes.
func (e *Engine) writeSteps(ctx context.Context, tenant id.Tenant, steps []*engine.Step) error {
	for _, s := range steps {
		if s.Clock != nil { // stamps count from now, behind every reader who has asked while the transaction waited
			s.Clock.Now = e.now().UnixMicro()
		}
	}
	begin := opening{begin: "BEGIN", tenant: tenant, timeout: e.timeout}
	ctx = context.WithoutCancel(ctx) // others are in it
	return e.in(ctx, ctx, begin, func(s *session) error { return s.commit(steps) })
}
