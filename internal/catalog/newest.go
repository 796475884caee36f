package catalog

import (
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
)

// Sold is the part of a product that samples need.
type Sold struct {
	ID    id.Product
	SKU   string
	Price money.Amount
}

// Newest reads the products that were created last, newest first.
func Newest(tx *db.Tx, limit int) ([]Sold, error) {
	return db.List(tx, func(r db.Rows) (p Sold, err error) { return p, r.Scan(&p.ID, &p.SKU, &p.Price) },
		"SELECT id, sku, price FROM products WHERE tenant_id = $1 AND deleted_at IS NULL ORDER BY id DESC LIMIT $2::BIGINT", tx.Tenant, limit)
}
