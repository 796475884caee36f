package groups

import (
	"runtime"
	"slices"
	"sync"

	"entrepot/internal/id"
)

// Mixtures is Gatherings for callers of any tenants: a group may have members of many.
type Mixtures[T any] struct {
	width   int  // groups under way at once
	apart   bool // no tenant is in two of them
	yield   bool // see NewMixtures
	mu      sync.Mutex
	running int
	opening bool               // a group is about to be made
	busy    map[id.Tenant]bool // it is in a group that is under way
	waiting []*caller[T]
}

// NewMixtures has no group under way, and then at most width of them at once; apart keeps the callers of a tenant out of all but one of
// them. Work that waits for nothing, such as computing, leaves others no time to come: yield has callers who are ready to run come first,
// so that the group that begins then has them, too.
func NewMixtures[T any](width int, apart, yield bool) Mixtures[T] {
	return Mixtures[T]{width: width, apart: apart, yield: yield, busy: map[id.Tenant]bool{}}
}

// Together has do run for a group that own is in, by its own caller or by that of another member, and returns how many were in the group.
func (m *Mixtures[T]) Together(tenant id.Tenant, own T, do func(group []T) error) (size int, err error) {
	c := newCaller(tenant, own)
	m.mu.Lock()
	m.waiting = append(m.waiting, c)
	if m.yield && !m.opening && m.running < m.width {
		m.opening = true
		m.mu.Unlock()
		runtime.Gosched()
		m.mu.Lock()
		m.opening = false
	}
	m.start()
	m.mu.Unlock()
	return c.await(func(group []T, _ func() []T) error { return do(group) }, nil, func(group []*caller[T]) {
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
func (m *Mixtures[T]) start() {
	for m.running < m.width && !m.opening {
		var group []*caller[T]
		m.waiting = slices.DeleteFunc(m.waiting, func(c *caller[T]) bool {
			joins := len(group) < Size && !m.busy[c.tenant]
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

// Has reports whether a tenant is in a group that is under way.
func (m *Mixtures[T]) Has(tenant id.Tenant) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.busy[tenant]
}

// Waiting is how many callers wait for the next group.
func (m *Mixtures[T]) Waiting() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.waiting)
}
