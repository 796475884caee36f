package orders

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/search"
)

// OfChannel returns the ids of a channel's orders, sorted.
func OfChannel(tx *db.Tx, channel id.Channel) ([]id.Order, error) {
	return db.List(tx, func(r db.Rows) (order id.Order, err error) { return order, r.Scan(&order) },
		"SELECT id FROM orders WHERE tenant_id = $1 AND channel_id = $2::UUID ORDER BY id", tx.Tenant, channel)
}

// AnyOfChannel reports whether a channel has more than n orders.
func AnyOfChannel(tx *db.Tx, channel id.Channel, n int) (bool, error) {
	return db.MoreThan(tx, n, "orders WHERE tenant_id = $1 AND channel_id = $2::UUID", channel)
}

// ShippedTo is a country to which orders of a customer were shipped, and when the newest of them was created.
type ShippedTo struct {
	Customer  id.Customer
	Country   string // two capitals
	CreatedAt int64
}

// ShippedBeside reads the countries of the orders of some customers that are not in a list.
func ShippedBeside(tx *db.Tx, but []id.Order, customers []id.Customer) (list []ShippedTo, err error) {
	gone := db.Padded(but)
	return list, db.Chunks(customers, func(piece []id.Customer) error {
		theirs := db.Padded(piece)
		args := append(append([]any{tx.Tenant}, gone...), theirs...)
		found, err := db.List(tx, func(r db.Rows) (s ShippedTo, err error) { return s, r.Scan(&s.Customer, &s.Country, &s.CreatedAt) },
			`SELECT customer_id, country, max(created_at) FROM orders WHERE tenant_id = $1 AND country IS NOT NULL
				AND id NOT IN `+db.In(len(gone), 2)+" AND customer_id IN "+db.In(len(theirs), 2+len(gone))+" GROUP BY customer_id, country", args...)
		list = append(list, found...)
		return err
	})
}

// RecordsOf returns the ids of a channel's orders and of their shipments.
func RecordsOf(tx *db.Tx, channel id.Channel) ([]string, error) {
	some, err := OfChannel(tx, channel)
	if err != nil {
		return nil, err
	}
	list, err := ShipmentsOf(tx, some)
	for _, order := range some {
		list = append(list, string(order))
	}
	return list, err
}

// ShipmentsOf returns the ids of the shipments of some orders.
func ShipmentsOf(tx *db.Tx, some []id.Order) (list []string, err error) {
	return list, eachOf(tx, some, func(r db.Rows) error {
		var shipment string
		err := r.Scan(&shipment)
		list = append(list, shipment)
		return err
	}, "SELECT id FROM shipments WHERE tenant_id = $1 AND order_id IN ", "")
}

// Remove deletes locked orders, given with their lines, and everything that belongs to them except stored answers.
// Their references become free.
func Remove(tx *db.Tx, list []Order) error {
	gone := make([]string, len(list))
	for i := range list {
		gone[i] = string(list[i].ID)
	}
	if err := search.Remove(tx, search.Orders, gone); err != nil {
		return err
	}
	db.Chunks(gone, func(piece []string) error {
		args := append([]any{tx.Tenant}, db.Padded(piece)...)
		in := db.In(len(args)-1, 2)
		for _, part := range []string{"shipment_lines", "shipments", "order_issues", "order_return_lines", "order_returns", "order_refund_lines", "order_refunds", "order_edits",
			"order_history", "order_lines", "order_tags"} {
			tx.Queue("DELETE FROM "+part+" WHERE tenant_id = $1 AND order_id IN "+in, args...)
		}
		tx.Queue("DELETE FROM orders WHERE tenant_id = $1 AND id IN "+in, args...).Rows(int64(len(piece)), nil)
		return nil
	})
	countAll(tx, list, -1)
	return nil
}

// ForgetChannel deletes the maintained counts of a channel that had no orders before this transaction and gets none.
func ForgetChannel(tx db.Writer, channel id.Channel) {
	db.DropTallies(tx, ToCountry, " "+string(channel))
	for _, status := range Statuses {
		db.DropTally(tx, tallied, countedAs(status, channel))
	}
}
