package customers

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Newest returns the customer that was created last and is neither merged nor erased; "" if there is none.
func Newest(tx *db.Tx) (which id.Customer, err error) {
	err = tx.Each(func(r db.Rows) error { return r.Scan(&which) },
		"SELECT id FROM customers WHERE tenant_id = $1 AND status = 'active' ORDER BY id DESC LIMIT 1", tx.Tenant)
	return which, err
}
