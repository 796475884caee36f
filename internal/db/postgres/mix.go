package postgres

import (
	"slices"
	"sync"

	"entrepot/internal/id"
)

// mixtures is gatherings for callers of any tenants: a group may have members of many.
type mixtures[T any] struct {
	width   int  // groups under way at once
	apart   bool // no tenant is in two of them
	mu      sync.Mutex
	running int
	busy    map[id.Tenant]bool // it is in a group that is under way
	waiting []*companion[T]
}

func newMixtures[T any](width int, apart bool) mixtures[T] {
	return mixtures[T]{width: width, apart: apart, busy: map[id.Tenant]bool{}}
}

// together has do run for a group that own is in, by its own caller or by that of another member, and returns how many were in the group.
func (m *mixtures[T]) together(tenant id.Tenant, own T, do func(group []T) error) (size int, err error) {
	c := newCompanion(tenant, own)
	m.mu.Lock()
	m.waiting = append(m.waiting, c)
	m.start()
	m.mu.Unlock()
	return c.await(func(group []T, _ func() []T) error { return do(group) }, nil, func(group []*companion[T]) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.running--
		for _, member := range group {
			delete(m.busy, member.tenant)
		}
		m.start()
	})
}

// start makes groups of those who wait, the oldest first, without those whose tenant is in a group already.
func (m *mixtures[T]) start() {
	for m.running < m.width {
		var group []*companion[T]
		m.waiting = slices.DeleteFunc(m.waiting, func(c *companion[T]) bool {
			joins := len(group) < groupSize && !m.busy[c.tenant]
			if joins {
				group = append(group, c)
			}
			return joins
		})
		if len(group) == 0 {
			return
		}
		for _, member := range group {
			m.busy[member.tenant] = m.apart
		}
		m.running++
		group[0].lead <- group
	}
}

// has reports whether a tenant is in a group that is under way.
func (m *mixtures[T]) has(tenant id.Tenant) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.busy[tenant]
}
