package customers

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// ErasedEmail is what stands in the place of an erased customer's e-mail; .invalid can never receive any.
func ErasedEmail(customer id.Customer) string {
	return "erased-" + string(customer) + "@erased.invalid"
}

// Erase empties a locked record of everything personal, for good; orders is how many of its orders were made anonymous. Its totals
// stay, its e-mail is free again.
func (c *Customer) Erase(tx *db.Tx, orders int) {
	*c = Customer{ID: c.ID, Email: ErasedEmail(c.ID), Metadata: "{}", Status: Erased, MergedInto: c.MergedInto, OrdersCount: c.OrdersCount, TotalSpent: c.TotalSpent,
		CreatedAt: c.CreatedAt, UpdatedAt: max(tx.Micros(), c.UpdatedAt+1), ErasedAt: tx.Micros(), ErasedOrders: int64(orders), Tags: []string{}, Addresses: []Address{}}
	tx.Queue(`UPDATE customers SET email = $3, email_key = $3, first_name = NULL, last_name = NULL, phone = NULL, company = NULL, siret = NULL, vat = NULL,
			metadata = '{}', search = $3, status = 'erased', order_country = NULL, order_country_at = NULL, updated_at = $4, erased_at = $5, erased_orders = $6
		WHERE tenant_id = $1 AND id = $2::UUID`, tx.Tenant, c.ID, c.Email, c.UpdatedAt, c.ErasedAt, c.ErasedOrders).Rows(1, nil)
	tx.Queue("DELETE FROM customer_tags WHERE tenant_id = $1 AND customer_id = $2::UUID", tx.Tenant, c.ID)
	tx.Queue("DELETE FROM customer_addresses WHERE tenant_id = $1 AND customer_id = $2::UUID", tx.Tenant, c.ID)
}
