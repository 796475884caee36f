package catalog

import (
	"entrepot/internal/db"
	"entrepot/internal/money"
)

// Newest is the SKU and the price of the product that was created last; "" if there is none.
func Newest(tx *db.Tx) (sku string, price money.Amount, err error) {
	err = tx.Each(func(r db.Rows) error { return r.Scan(&sku, &price) },
		"SELECT sku, price FROM products WHERE tenant_id = $1 AND deleted_at IS NULL ORDER BY id DESC LIMIT 1", tx.Tenant)
	return sku, price, err
}
