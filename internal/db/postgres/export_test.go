package postgres

import "entrepot/internal/base/id"

// BulkWaiting is how many pieces of bulk operations of a tenant are inside or wait.
func (e *Engine) BulkWaiting(tenant id.Tenant) int {
	e.bulk.mu.Lock()
	defer e.bulk.mu.Unlock()
	if at := e.bulk.open[tenant]; at != nil {
		return at.users
	}
	return 0
}
