package orders

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// The statement of this file serves every tenant: it finds waiting lines of all accounts.

// Waiting is an open order with a line whose product did not exist when the line was stored and does now.
type Waiting struct {
	Tenant id.Tenant
	Order  id.Order
}

// WaitingAnywhere finds up to limit waiting orders of all accounts.
func WaitingAnywhere(tx *db.Tx, limit int) ([]Waiting, error) {
	return db.List(tx, func(r db.Rows) (w Waiting, err error) { return w, r.Scan(&w.Tenant, &w.Order) },
		`SELECT DISTINCT l.tenant_id, l.order_id FROM order_lines l JOIN skus s ON s.tenant_id = l.tenant_id AND s.sku = l.sku
			JOIN orders o ON o.tenant_id = l.tenant_id AND o.id = l.order_id
			WHERE l.product_id IS NULL AND l.sku <> '' AND l.shipped = 0 AND o.status IN ('PENDING', 'PROCESSING', 'PARTIALLY_SHIPPED')
				LIMIT $1::BIGINT`, limit)
}
