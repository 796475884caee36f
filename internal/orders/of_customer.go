package orders

import (
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
	"entrepot/internal/limits"
)

// ShippingAddresses returns the different addresses, free JSON, that a customer's orders were shipped to, newest first.
func ShippingAddresses(tx *db.Tx, customer id.Customer) ([]string, error) {
	return db.List(tx, func(r db.Rows) (text string, err error) { return text, r.Scan(&text) },
		`SELECT shipping_address FROM orders WHERE tenant_id = $1 AND customer_id = $2::UUID AND shipping_address IS NOT NULL
		GROUP BY shipping_address ORDER BY max(created_at) DESC, max(number) DESC, shipping_address LIMIT $3::BIGINT`,
		tx.Tenant, customer, limits.MaxDerived)
}

// Destination is where an order was shipped to, and when it was created.
type Destination struct {
	Address   string // free JSON
	CreatedAt int64
}

// Destinations returns the shipping addresses of a customer's newest orders, newest first; the order named by but is
// left out.
func Destinations(tx *db.Tx, customer id.Customer, but id.Order) ([]Destination, error) {
	return db.List(tx, func(r db.Rows) (d Destination, err error) { return d, r.Scan(&d.Address, &d.CreatedAt) },
		`SELECT shipping_address, created_at FROM orders WHERE tenant_id = $1 AND customer_id = $2::UUID AND id <> $3::UUID
			AND shipping_address IS NOT NULL
		ORDER BY created_at DESC, id DESC LIMIT $4::BIGINT`, tx.Tenant, customer, but, limits.MaxDerived)
}

// Of returns the orders of some customers. LockOf also locks them until the transaction ends.
func Of(tx *db.Tx, customers []id.Customer) ([]id.Order, error) {
	return ordersBy(tx, "customer_id", customers, "")
}

// AnyOf reports whether some customers, at most 256, have more than n orders.
func AnyOf(tx *db.Tx, customers []id.Customer, n int) (bool, error) {
	these := db.Padded(customers)
	return db.MoreThan(tx, n, "orders WHERE tenant_id = $1 AND customer_id IN "+db.In(len(these), 2), these...)
}

// CountOf counts the orders of some customers.
func CountOf(tx *db.Tx, customers []id.Customer) (total int, err error) {
	return total, db.Chunks(customers, func(piece []id.Customer) error {
		var n int
		args := append([]any{tx.Tenant}, db.Padded(piece)...)
		err := tx.Row("SELECT count(*) FROM orders WHERE tenant_id = $1 AND customer_id IN "+db.In(len(args)-1, 2), args, &n)
		total += n
		return err
	})
}

// LockOf is Of, and locks the orders in the order of their ids.
func LockOf(tx *db.Tx, customers []id.Customer) ([]id.Order, error) {
	return ordersBy(tx, "customer_id", customers, " FOR UPDATE")
}

// LockSome locks some orders, in the order of their ids; those that are gone are left out.
func LockSome(tx *db.Tx, some []id.Order) ([]id.Order, error) {
	return ordersBy(tx, "id", some, " FOR UPDATE")
}

// ordersBy reads the ids of the orders whose column has one of some values.
func ordersBy[T ~string](tx *db.Tx, column string, values []T, lock string) (list []id.Order, err error) {
	return list, db.Chunks(values, func(piece []T) error {
		args := append([]any{tx.Tenant}, db.Padded(piece)...)
		return tx.Each(func(r db.Rows) error {
			var order id.Order
			err := r.Scan(&order)
			list = append(list, order)
			return err
		}, "SELECT id FROM orders WHERE tenant_id = $1 AND "+column+" IN "+db.In(len(args)-1, 2)+" ORDER BY id"+lock, args...)
	})
}

// later sets an order's updated_at to $2, or beyond its present value. An operation that read the order earlier notices
// the change and runs again.
const later = "updated_at = CASE WHEN updated_at >= $2 THEN updated_at + 1 ELSE $2::BIGINT END"

// MoveTo assigns some locked orders of a customer to another one. It returns the number of these orders and what they
// add to a customer's total.
func MoveTo(tx *db.Tx, from, to id.Customer, some []id.Order) (n int64, spent money.Amount, err error) {
	return n, spent, db.Chunks(some, func(piece []id.Order) error {
		var count, sum int64
		these := db.Padded(piece)
		if err := tx.Row(`SELECT count(*), coalesce(sum(CASE WHEN status = 'CANCELLED' THEN 0 ELSE total END), 0)::BIGINT FROM orders
			WHERE tenant_id = $1 AND customer_id = $2::UUID AND id IN `+db.In(len(these), 3), append([]any{tx.Tenant, from}, these...), &count,
			&sum); err != nil {
			return err
		}
		n, spent = n+count, spent+money.Amount(sum)
		tx.Queue("UPDATE orders SET customer_id = $3::UUID, email_key = "+ownEmail+", "+later+
			" WHERE tenant_id = $1 AND customer_id = $4::UUID AND id IN "+db.In(len(these), 5),
			append([]any{tx.Tenant, tx.Micros(), to, from}, these...)...).Rows(count, nil)
		return nil
	})
}
