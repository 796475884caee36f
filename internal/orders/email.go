package orders

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/search"
)

// EmailKey folds an e-mail address for comparison.
func EmailKey(email string) string { return search.Fold(email) }

// emailKey returns the key by which searches for an e-mail address find the order, "" if they find it by its customer.
func (o *Order) emailKey() string {
	if o.EmailOfCustomer {
		return ""
	}
	return EmailKey(o.CustomerEmail)
}

// ownEmail returns an order's e-mail address as a key of its own. Until now searches may have found the order by its
// customer's address, which must not have changed yet.
const ownEmail = `CASE WHEN email_key IS NULL AND customer_email IS NOT NULL
	THEN (SELECT c.email_key FROM customers c WHERE c.tenant_id = $1 AND c.id = orders.customer_id) ELSE email_key END`

// foundByCustomer is the condition that an order is found by the e-mail address of a customer, $2.
const foundByCustomer = "tenant_id = $1 AND customer_id = $2::UUID AND email_key IS NULL AND customer_email IS NOT NULL"

// LeaveEmail keeps orders findable by the e-mail address that they share with a locked customer, whose address is about
// to change.
func LeaveEmail(tx db.Writer, customer id.Customer, email string) {
	tx.Queue("UPDATE orders SET email_key = $3 WHERE "+foundByCustomer, tx.TenantID(), customer, EmailKey(email))
}

// LockByEmail locks the orders to which LeaveEmail applies, in the order of their ids.
func LockByEmail(tx *db.Tx, customer id.Customer) error {
	lock := "SELECT id FROM orders WHERE " + foundByCustomer + " ORDER BY id FOR UPDATE"
	return tx.Each(func(db.Rows) error { return nil }, lock, tx.Tenant, customer)
}

// AnyByEmail reports whether LeaveEmail applies to more than n orders.
func AnyByEmail(tx *db.Tx, customer id.Customer, n int) (bool, error) {
	return db.MoreThan(tx, n, "orders WHERE "+foundByCustomer, customer)
}

// LeaveSome is LeaveEmail for at most limit orders, the oldest first, from a time of creation on. It returns the time
// of the last of them, 0 if there are none.
func LeaveSome(tx *db.Tx, customer id.Customer, from int64, limit int) (last int64, err error) {
	var some []id.Order
	err = tx.Each(func(r db.Rows) error {
		var order id.Order
		err := r.Scan(&order, &last)
		some = append(some, order)
		return err
	}, "SELECT id, created_at FROM orders WHERE "+foundByCustomer+" AND created_at >= $3 ORDER BY created_at, id LIMIT $4::BIGINT", tx.Tenant,
		customer, from, limit)
	if err != nil || len(some) == 0 {
		return 0, err
	}
	if some, err = LockSome(tx, some); err != nil {
		return 0, err
	}
	return last, db.Chunks(some, func(piece []id.Order) error {
		these := db.Padded(piece)
		tx.Queue("UPDATE orders SET email_key = "+ownEmail+" WHERE tenant_id = $1 AND id IN "+db.In(len(these), 2),
			append([]any{tx.Tenant}, these...)...)
		return nil
	})
}

// SaveEmailKey queues a write after which searches find an order by its e-mail address again, whatever its customer's
// address is. An order with another address than the given one is left unchanged.
func SaveEmailKey(w db.Writer, number int64, email string) {
	w.Queue("UPDATE orders SET email_key = $4 WHERE tenant_id = $1 AND number = $2 AND coalesce(customer_email, '') = $3",
		w.TenantID(), number, email, db.Null(EmailKey(email)))
}
