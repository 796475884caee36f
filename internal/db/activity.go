package db

import (
	"sync"
	"time"

	"entrepot/internal/base/id"
)

// activeFor is how long a tenant counts as active after one of its reads or writes began.
const activeFor = time.Second

// activity remembers the two tenants that were active last. Two are enough to know whether anyone but a given tenant
// was.
type activity struct {
	mu           sync.Mutex
	last, before seen
}

// seen is a tenant and when its last read or write began.
type seen struct {
	tenant id.Tenant
	at     time.Time
}

// mark notes that a read or write of a tenant begins. Transactions that serve all accounts belong to nobody.
func (a *activity) mark(tenant id.Tenant, now time.Time) {
	if tenant == Across {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last.tenant != tenant {
		a.before = a.last
	}
	a.last = seen{tenant, now}
}

// others reports whether a tenant but this one was active within activeFor.
func (a *activity) others(tenant id.Tenant, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	other := a.last
	if other.tenant == tenant {
		other = a.before
	}
	return other.tenant != Across && now.Sub(other.at) < activeFor
}
