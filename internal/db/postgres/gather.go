package postgres

import (
	"slices"
	"sync"

	"entrepot/internal/id"
)

// groupSize bounds how many go together.
const groupSize = 32

// gatherings lets what a tenant's callers want be done in groups: while one group is under way, the next gathers. Nobody waits for company.
type gatherings[T any] struct {
	mu   sync.Mutex
	open map[id.Tenant]*gathering[T]
}

// gathering is where callers of a tenant wait while a group of it is under way.
type gathering[T any] struct{ waiting []*companion[T] }

// companion is a caller who waits.
type companion[T any] struct {
	own  T
	lead chan []*companion[T] // its own group, for which it is to do the work
	done chan error           // another of its group has done it
}

func newGatherings[T any]() gatherings[T] {
	return gatherings[T]{open: map[id.Tenant]*gathering[T]{}}
}

// together has do run for a group that own is in, by its own caller or by that of another member, and returns how many were in the group.
func (g *gatherings[T]) together(tenant id.Tenant, own T, do func(group []T) error) (size int, err error) {
	c := &companion[T]{own: own, lead: make(chan []*companion[T], 1), done: make(chan error, 1)}
	group := []*companion[T]{c}
	if !g.join(tenant, c) {
		select {
		case group = <-c.lead:
		case err = <-c.done:
			return 2, err // or more
		}
	}
	all := make([]T, len(group))
	for i, member := range group {
		all[i] = member.own
	}
	err = do(all)
	g.next(tenant)
	for _, other := range group[1:] {
		other.done <- err
	}
	return len(group), err
}

// join is true of a caller that finds no group under way: it is a group of its own. Others wait.
func (g *gatherings[T]) join(tenant id.Tenant, c *companion[T]) bool {
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
func (g *gatherings[T]) next(tenant id.Tenant) {
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
