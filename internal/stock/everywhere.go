package stock

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// The statement of this file serves every tenant: it is what /metrics shows of all accounts but sandboxes.

// LowEverywhere reads the maintained counts of levels below their threshold, by account.
func LowEverywhere(tx *db.Tx) (map[id.Tenant]int64, error) {
	low := map[id.Tenant]int64{}
	return low, tx.Each(func(r db.Rows) error {
		var tenant id.Tenant
		var n int64
		err := r.Scan(&tenant, &n)
		low[tenant] = n
		return err
	}, `SELECT t.tenant_id, sum(n.n)::BIGINT FROM tenants t JOIN tallies n ON n.tenant_id = t.tenant_id AND n.name = 'low'
		WHERE NOT t.sandbox GROUP BY t.tenant_id`)
}
