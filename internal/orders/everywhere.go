package orders

import (
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// The statements of this file serve every tenant: they are what /metrics shows of all accounts but sandboxes, whose
// clocks may be ahead. Each reads a few rows of an account, however many orders that has.

// Count is how many orders of an account have a channel ("" for none) and a status.
type Count struct {
	Tenant  id.Tenant
	Channel id.Channel
	Status  Status
	Orders  int64
}

// CountsEverywhere reads the maintained counts of orders of all accounts, in the order of accounts and channels.
func CountsEverywhere(tx *db.Tx) ([]Count, error) {
	return db.List(tx, func(r db.Rows) (c Count, err error) {
		var key string
		err = r.Scan(&c.Tenant, &key, &c.Orders)
		status, channel, _ := strings.Cut(key, " ")
		c.Status, c.Channel = Status(status), id.Channel(channel)
		return c, err
	}, `SELECT t.tenant_id, n.key, n.n FROM tenants t JOIN tallies n ON n.tenant_id = t.tenant_id AND n.name = $1
		WHERE NOT t.sandbox AND n.n > 0`, tallied)
}

// OldestToShip reads when the oldest order of each account was created that is PROCESSING or PARTIALLY_SHIPPED, in
// microseconds since 1970. Accounts without such an order are left out.
func OldestToShip(tx *db.Tx) (map[id.Tenant]int64, error) {
	oldest := map[id.Tenant]int64{}
	return oldest, tx.Each(func(r db.Rows) error {
		var tenant id.Tenant
		var processing, partly int64
		err := r.Scan(&tenant, db.Opt(&processing), db.Opt(&partly))
		for _, at := range []int64{processing, partly} {
			if at > 0 && (oldest[tenant] == 0 || at < oldest[tenant]) {
				oldest[tenant] = at
			}
		}
		return err
	}, `SELECT t.tenant_id,
		(SELECT o.created_at FROM orders o WHERE o.tenant_id = t.tenant_id AND o.status = 'PROCESSING' ORDER BY o.created_at LIMIT 1),
		(SELECT o.created_at FROM orders o WHERE o.tenant_id = t.tenant_id AND o.status = 'PARTIALLY_SHIPPED' ORDER BY o.created_at LIMIT 1)
		FROM tenants t WHERE NOT t.sandbox`)
}
