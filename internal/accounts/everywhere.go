package accounts

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// The statement of this file serves every tenant: it names the accounts in /metrics.

// IDs reads the ids of all accounts, as account list shows them.
func IDs(tx *db.Tx) (map[id.Tenant]id.Account, error) {
	ids := map[id.Tenant]id.Account{}
	return ids, tx.Each(func(r db.Rows) error {
		var tenant id.Tenant
		var account id.Account
		err := r.Scan(&tenant, &account)
		ids[tenant] = account
		return err
	}, "SELECT tenant_id, id FROM tenants")
}
