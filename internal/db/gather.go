package db

import (
	"errors"
	"slices"
	"sync"

	"entrepot/internal/base/id"
	"entrepot/internal/db/engine"
)

// MostTogether is how many callers a Gather puts into one group at most.
const MostTogether = 32

// Gather combines callers of an account who want the same kind of work at the same moment: one of them works for the
// whole group. A caller who finds nobody at work begins at once; the callers who come meanwhile form the next group.
// Nobody waits for a group to fill. The zero Gather is ready for use.
type Gather[T any] struct {
	mu      sync.Mutex
	waiting map[id.Tenant][]*gathered[T] // an account with an entry has a group at work
}

// gathered is one caller.
type gathered[T any] struct {
	own  T
	turn chan []*gathered[T] // receives the caller's group if it is to do the work
	done chan error          // receives the outcome if another caller has done it
}

// Do returns when work has run on a group with own in it, here or at another caller of the account. work leaves each
// member's result in the member. Errors: the outcome is unknown, because work panicked.
func (g *Gather[T]) Do(tenant id.Tenant, own T, work func(group []T)) error {
	c := &gathered[T]{own: own, turn: make(chan []*gathered[T], 1), done: make(chan error, 1)}
	g.enter(tenant, c)
	var group []*gathered[T]
	select {
	case group = <-c.turn:
	case err := <-c.done:
		return err
	}
	err := errPanicked
	defer func() {
		g.next(tenant)
		for _, other := range group {
			other.done <- err
		}
	}()
	members := make([]T, len(group))
	for i, member := range group {
		members[i] = member.own
	}
	work(members)
	err = nil
	return nil
}

var errPanicked = engine.UnknownOutcome(errors.New("db: the work for several callers ended in a panic"))

func (g *Gather[T]) enter(tenant id.Tenant, c *gathered[T]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	waiting, atWork := g.waiting[tenant]
	if atWork {
		g.waiting[tenant] = append(waiting, c)
		return
	}
	if g.waiting == nil {
		g.waiting = map[id.Tenant][]*gathered[T]{}
	}
	g.waiting[tenant] = nil
	c.turn <- []*gathered[T]{c}
}

// next starts the group of those who wait; the first of them works.
func (g *Gather[T]) next(tenant id.Tenant) {
	g.mu.Lock()
	defer g.mu.Unlock()
	waiting := g.waiting[tenant]
	if len(waiting) == 0 {
		delete(g.waiting, tenant)
		return
	}
	n := min(len(waiting), MostTogether)
	group := slices.Clone(waiting[:n])
	g.waiting[tenant] = slices.Delete(waiting, 0, n)
	group[0].turn <- group
}

// Waiting is how many callers of an account wait for the group before them.
func (g *Gather[T]) Waiting(tenant id.Tenant) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting[tenant])
}
