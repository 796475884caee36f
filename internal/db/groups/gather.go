// Package groups lets callers of a store act together: what several of them want at the same moment is done once for all.
//
//	gather.go   groups of callers of one tenant
//	mix.go      groups of callers of any tenants
//	lookup.go   the statements that read what a group looks up
//	session.go  a session whose reads are sent together with those of others
package groups

import (
	"errors"
	"slices"
	"sync"

	"entrepot/internal/db/engine"
	"entrepot/internal/id"
)

// Size bounds how many go together.
const Size = 32

// Gatherings lets what a tenant's callers want be done in groups: while one group is under way, the next gathers. Nobody waits for company.
type Gatherings[T any] struct {
	mu   sync.Mutex
	open map[id.Tenant]*gathering[T]
}

// gathering is where callers of a tenant wait while a group of it is under way.
type gathering[T any] struct{ waiting []*caller[T] }

// caller is one that waits, with what it wants done.
type caller[T any] struct {
	tenant id.Tenant
	own    T
	lead   chan []*caller[T] // its own group, for which it is to do the work
	done   chan error        // another of its group has done it
}

func newCaller[T any](tenant id.Tenant, own T) *caller[T] {
	return &caller[T]{tenant: tenant, own: own, lead: make(chan []*caller[T], 1), done: make(chan error, 1)}
}

// await waits until another caller has done the work, or until this one is chosen to do it for its group. While it works, take gives it
// callers who have come since; next is called when it has ended.
func (c *caller[T]) await(do func(group []T, more func() []T) error, take func(members int) []*caller[T],
	next func(group []*caller[T])) (size int, err error) {
	var group []*caller[T]
	select {
	case group = <-c.lead:
	case err = <-c.done:
		return 2, err // or more
	}
	defer func() {
		next(group)
		for _, other := range group {
			if other != c {
				other.done <- err
			}
		}
	}()
	err = errBroken // if do panics
	err = do(owns(group), func() []T {
		further := take(len(group))
		group = append(group, further...)
		return owns(further)
	})
	return len(group), err
}

// errBroken is the error of the members of a group whose work ended in a panic.
var errBroken = engine.UnknownOutcome(errors.New("db: the work of a group was broken off"))

func owns[T any](group []*caller[T]) []T {
	all := make([]T, len(group))
	for i, member := range group {
		all[i] = member.own
	}
	return all
}

// NewGatherings has no group under way.
func NewGatherings[T any]() Gatherings[T] {
	return Gatherings[T]{open: map[id.Tenant]*gathering[T]{}}
}

// Together has do run for a group that own is in, by its own caller or by that of another member, and returns how many were in the group.
// When do has waited for something, it may call more for those who have come meanwhile: they are in the group, too.
func (g *Gatherings[T]) Together(tenant id.Tenant, own T, do func(group []T, more func() []T) error) (size int, err error) {
	c := newCaller(tenant, own)
	if g.join(tenant, c) {
		c.lead <- []*caller[T]{c}
	}
	return c.await(do, func(members int) []*caller[T] { return g.take(tenant, Size-members) },
		func([]*caller[T]) { g.next(tenant) })
}

// take removes at most n of those who wait.
func (g *Gatherings[T]) take(tenant id.Tenant, n int) (taken []*caller[T]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.open[tenant]
	taken = slices.Clone(at.waiting[:min(len(at.waiting), n)])
	at.waiting = slices.Delete(at.waiting, 0, len(taken))
	return taken
}

// join is true of a caller that finds no group under way: it is a group of its own. Others wait.
func (g *Gatherings[T]) join(tenant id.Tenant, c *caller[T]) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.open[tenant]
	if at == nil {
		g.open[tenant] = &gathering[T]{}
		return true
	}
	at.waiting = append(at.waiting, c)
	return false
}

// next has the first of those that gathered meanwhile do their work.
func (g *Gatherings[T]) next(tenant id.Tenant) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.open[tenant]
	if len(at.waiting) == 0 {
		delete(g.open, tenant)
		return
	}
	group := slices.Clone(at.waiting[:min(len(at.waiting), Size)])
	at.waiting = slices.Delete(at.waiting, 0, len(group))
	group[0].lead <- group
}

// Has reports whether a group of a tenant is under way.
func (g *Gatherings[T]) Has(tenant id.Tenant) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open[tenant] != nil
}

// Waiting is how many callers of a tenant wait for the group before them.
func (g *Gatherings[T]) Waiting(tenant id.Tenant) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	if at := g.open[tenant]; at != nil {
		return len(at.waiting)
	}
	return 0
}
