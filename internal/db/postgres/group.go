package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"entrepot/internal/apperr"
	"entrepot/internal/db/engine"
	"entrepot/internal/id"
)

// optimistic plans a transaction by itself and writes it with others in one commit: those of its tenant would go one after the other
// anyway, because each takes the tenant's change clock, and each would wait for a sync of its own.
func (e *Engine) optimistic(ctx context.Context, tenant id.Tenant, work engine.Work) error {
	if err := e.starved.pass(ctx, tenant); err != nil {
		return err
	}
	steps, err := work(e.shared(ctx, tenant))
	if err != nil || len(steps) == 0 {
		return err
	}
	if mixable(steps) && !e.writers.inUse(tenant) && !e.apart.has(tenant, time.Now()) {
		size, err := e.mixed.Together(tenant, planned{tenant, steps}, e.writeMixed)
		if err == nil || !errors.Is(err, errHeld) && (size == 1 || away(err)) {
			return err
		}
	}
	size, err := e.groups.Together(tenant, steps, func(group [][]*engine.Step, more func() [][]*engine.Step) error {
		if e.apart.has(tenant, time.Now()) {
			return e.writeInTurn(ctx, tenant, group, more)
		}
		begin := opening{tenants: []id.Tenant{tenant}, lockTimeout: e.bounds.lock, turns: e.turns(e.mixed.Has)}
		return e.writeSteps(ctx, begin, inOrder(group, e.forms))
	})
	if err != nil && !away(err) { // so that others need not write theirs again as well
		e.apart.add(tenant, time.Now())
	}
	if size == 1 {
		return err
	}
	return e.orAlone(ctx, tenant, steps, err)
}

// writeInTurn stores a group of one tenant. While it waits for those of other nodes, it grows: they would take turns at the clock anyway.
func (e *Engine) writeInTurn(ctx context.Context, tenant id.Tenant, group [][]*engine.Step, more func() [][]*engine.Step) error {
	begin := opening{begin: "BEGIN", holder: e.bounds.holder, tenants: []id.Tenant{tenant}, timeout: e.timeout, lockTimeout: e.bounds.lock}
	ctx = context.WithoutCancel(ctx) // others are in it
	return e.in(ctx, ctx, begin, func(s *session) error {
		free, err := s.takeTurn(tenant)
		if err != nil {
			return err
		}
		if !free && !e.mixed.Has(tenant) {
			e.apart.add(tenant, time.Now())
		}
		group = append(group, more()...)
		return s.commit(e.onTime(inOrder(group, e.forms)))
	})
}

// planned is what a transaction of a tenant writes.
type planned struct {
	tenant id.Tenant
	steps  []*engine.Step
}

// mixable reports whether a transaction can be in a group of several tenants: what it writes behind its clock are forms.
func mixable(steps []*engine.Step) bool {
	at := slices.IndexFunc(steps, func(s *engine.Step) bool { return s.Clock != nil })
	return at < 0 || !slices.ContainsFunc(steps[at+1:], func(s *engine.Step) bool { return s.Form == nil })
}

// errHeld means that a group of several tenants would have waited too long for a lock that another transaction holds.
var errHeld = errors.New("db: somebody else holds a lock that a group of several accounts wants")

// writeMixed stores a group of several tenants. If one of them has to wait for a lock, the others do not wait for it: each tenant then has
// groups of its own for a while.
func (e *Engine) writeMixed(group []planned) error {
	begin := opening{lockTimeout: e.bounds.mixed, turns: e.turns(e.groups.Has)}
	members := make([][]*engine.Step, len(group))
	for i, p := range group {
		members[i] = p.steps
		if !slices.Contains(begin.tenants, p.tenant) {
			begin.tenants = append(begin.tenants, p.tenant)
		}
	}
	err := e.writeSteps(context.Background(), begin, inOrder(members, e.forms))
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == lockNotAvailable {
		for _, tenant := range begin.tenants {
			e.apart.add(tenant, time.Now())
		}
		return fmt.Errorf("%w: %w", errHeld, err)
	}
	return err
}

// turns returns what a group calls with a tenant whose lock it found taken: another node writes that tenant, which gets groups of its
// own for a while (see apart). It does not count if a group of this node may hold the lock: here reports whether one is under way, and
// is called when the group is sent and again when it is stored.
func (e *Engine) turns(here func(id.Tenant) bool) func(before []id.Tenant) func(taken id.Tenant) {
	return func(tenants []id.Tenant) func(id.Tenant) {
		before := slices.DeleteFunc(slices.Clone(tenants), func(tenant id.Tenant) bool { return !here(tenant) })
		return func(taken id.Tenant) {
			if !slices.Contains(before, taken) && !here(taken) {
				e.apart.add(taken, time.Now())
			}
		}
	}
}

// apartFor is how long a tenant has groups of its own.
const apartFor = time.Second

// apart are tenants that have groups of their own, each until some time.
type apart struct {
	mu    sync.Mutex
	until map[id.Tenant]time.Time
}

func (a *apart) add(tenant id.Tenant, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.until[tenant] = now.Add(apartFor)
}

func (a *apart) has(tenant id.Tenant, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	until, ok := a.until[tenant]
	if ok && now.After(until) {
		delete(a.until, tenant)
		ok = false
	}
	return ok
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
	return e.writeSteps(ctx, opening{tenants: []id.Tenant{tenant}, lockTimeout: e.bounds.lock}, steps)
}

// writeSteps stores what one transaction or a group of them writes.
func (e *Engine) writeSteps(ctx context.Context, begin opening, steps []*engine.Step) error {
	begin.begin, begin.timeout = "BEGIN", e.timeout
	ctx = context.WithoutCancel(ctx) // others are in it
	return e.in(ctx, ctx, begin, func(s *session) error { return s.commit(e.onTime(steps)) })
}

// onTime has stamps count from now, behind every reader who has asked while the transaction waited.
func (e *Engine) onTime(steps []*engine.Step) []*engine.Step {
	for _, s := range steps {
		if s.Clock != nil {
			s.Clock.Now = e.now().UnixMicro()
		}
	}
	return steps
}
