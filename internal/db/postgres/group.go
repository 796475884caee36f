package postgres

import (
	"context"
	"slices"
	"sync"

	"entrepot/internal/apperr"
	"entrepot/internal/db/engine"
	"entrepot/internal/id"
)

// groupSize bounds how many optimistic transactions one commit holds.
const groupSize = 32

// groups puts optimistic transactions of a tenant into one commit: while one group of them is being written and synced, the next gathers.
// They would go one after the other anyway, because each takes the tenant's change clock, and each would wait for a sync of its own.
type groups struct {
	mu   sync.Mutex
	open map[id.Tenant]*gathering
}

// gathering is where a tenant's transactions wait while a group of it is under way.
type gathering struct{ waiting []*member }

// member is a planned transaction that waits to be written.
type member struct {
	steps []*engine.Step
	lead  chan []*member // its own group, which it is to write
	done  chan error     // it was written in the group of another
}

func newGroups() groups { return groups{open: map[id.Tenant]*gathering{}} }

// join is true of a member that finds no group under way: it writes one of itself. Others wait for lead or done.
func (g *groups) join(tenant id.Tenant, m *member) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.open[tenant]
	if at == nil {
		g.open[tenant] = &gathering{}
		return true
	}
	at.waiting = append(at.waiting, m)
	return false
}

// next has the first of those that gathered meanwhile write them.
func (g *groups) next(tenant id.Tenant) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.open[tenant]
	if len(at.waiting) == 0 {
		delete(g.open, tenant)
		return
	}
	group := slices.Clone(at.waiting[:min(len(at.waiting), groupSize)])
	at.waiting = slices.Delete(at.waiting, 0, len(group))
	group[0].lead <- group
}

// optimistic plans a transaction by itself and writes it with others of its tenant.
func (e *Engine) optimistic(ctx context.Context, tenant id.Tenant, work engine.Work) error {
	steps, err := e.plan(ctx, tenant, work)
	if err != nil || len(steps) == 0 {
		return err
	}
	m := &member{steps: steps, lead: make(chan []*member, 1), done: make(chan error, 1)}
	group := []*member{m}
	if !e.groups.join(tenant, m) {
		select {
		case group = <-m.lead:
		case err = <-m.done:
			return e.orAlone(ctx, tenant, m, err)
		}
	}
	err = e.writeSteps(ctx, tenant, inOrder(group))
	e.groups.next(tenant)
	for _, other := range group[1:] {
		other.done <- err
	}
	if len(group) == 1 {
		return err
	}
	return e.orAlone(ctx, tenant, m, err)
}

// orAlone writes a member by itself whose group was not stored: that may have failed for another of them. Where the store was away or
// too busy, or may have stored the group, it is for the caller to come again.
func (e *Engine) orAlone(ctx context.Context, tenant id.Tenant, m *member, err error) error {
	if err == nil {
		return nil
	}
	if f, ok := apperr.As(err); ok && f.Kind == apperr.Unavailable {
		return err
	}
	leave, err := e.writers.enter(ctx, tenant)
	if err != nil {
		return err
	}
	defer leave()
	return e.writeSteps(ctx, tenant, m.steps)
}

// plan runs the reading half of an optimistic transaction. Each of its messages is a transaction of its own: what it writes later is
// guarded anyway.
func (e *Engine) plan(ctx context.Context, tenant id.Tenant, work engine.Work) (steps []*engine.Step, err error) {
	leave, err := e.writers.enter(ctx, tenant)
	if err != nil {
		return nil, err
	}
	defer leave()
	begin := opening{tenant: tenant, timeout: e.timeout}
	err = e.in(ctx, ctx, begin, func(s *session) error {
		s.single = true
		steps, err = work(s)
		return err
	})
	return steps, err
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
