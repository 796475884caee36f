package postgres

import (
	"entrepot/internal/db/engine"
	"entrepot/internal/id"
)

// Gathered is how many planned transactions of a tenant wait for the group before them.
func (e *Engine) Gathered(tenant id.Tenant) int {
	e.groups.mu.Lock()
	defer e.groups.mu.Unlock()
	if at := e.groups.open[tenant]; at != nil {
		return len(at.waiting)
	}
	return 0
}

// InOrder is what a group writes whose members write these steps.
func InOrder(members ...[]*engine.Step) []*engine.Step {
	group := make([]*member, len(members))
	for i, steps := range members {
		group[i] = &member{steps: steps}
	}
	return inOrder(group)
}

// BulkWaiting is how many pieces of bulk operations of a tenant are inside or wait.
func (e *Engine) BulkWaiting(tenant id.Tenant) int {
	e.bulk.mu.Lock()
	defer e.bulk.mu.Unlock()
	if at := e.bulk.open[tenant]; at != nil {
		return at.users
	}
	return 0
}
