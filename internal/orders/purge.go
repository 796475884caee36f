package orders

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/money"
	"entrepot/internal/search"
	"entrepot/internal/spans"
)

// Held is what a channel's orders reserve in one stock level.
type Held struct {
	SKU, Warehouse string
	Product        id.Product
	Variant        id.Variant
	Reserved       int64
}

// LockOfChannel locks the orders of a channel until the transaction ends, in the order of their ids.
func LockOfChannel(tx *db.Tx, channel id.Channel) error {
	var n int64
	return tx.Row(
		"SELECT count(*) FROM (SELECT id FROM orders WHERE tenant_id = $1 AND channel_id = $2::UUID ORDER BY id FOR UPDATE) AS locked",
		[]any{tx.Tenant, channel}, &n)
}

// HeldBy sums what the orders of a channel reserve, by stock level.
func HeldBy(tx *db.Tx, channel id.Channel) ([]Held, error) {
	return db.List(tx, func(r db.Rows) (h Held, err error) {
		err = r.Scan(&h.SKU, &h.Warehouse, &h.Product, db.Opt(&h.Variant), &h.Reserved)
		return h, err
	}, `SELECT l.sku, l.warehouse_code, l.product_id, l.variant_id, sum(l.reserved)::BIGINT FROM order_lines l
		JOIN orders o ON o.tenant_id = $1 AND o.id = l.order_id
		WHERE l.tenant_id = $1 AND o.channel_id = $2::UUID AND l.reserved > 0 GROUP BY l.sku, l.warehouse_code, l.product_id,
			l.variant_id`, tx.Tenant, channel)
}

// Spent is what a channel's orders add to one customer's totals.
type Spent struct {
	Customer id.Customer
	Orders   int64
	Total    money.Amount
}

// SpentOn sums what the orders of a channel add to totals, by customer.
func SpentOn(tx *db.Tx, channel id.Channel) ([]Spent, error) {
	return db.List(tx, func(r db.Rows) (s Spent, err error) {
		err = r.Scan(&s.Customer, &s.Orders, &s.Total)
		return s, err
	}, `SELECT customer_id, count(*), sum(CASE WHEN status = 'CANCELLED' THEN 0 ELSE total END)::BIGINT FROM orders
		WHERE tenant_id = $1 AND channel_id = $2::UUID AND customer_id IS NOT NULL GROUP BY customer_id ORDER BY customer_id`, tx.Tenant, channel)
}

// ShippedTo is a country to which orders of a customer were shipped, and when the newest of them was created.
type ShippedTo struct {
	Customer  id.Customer
	Country   string // two capitals
	CreatedAt int64
}

// ShippedBeside reads the countries of the orders that some customers have outside of a channel.
func ShippedBeside(tx *db.Tx, channel id.Channel, customers []id.Customer) (list []ShippedTo, err error) {
	return list, db.Chunks(customers, func(piece []id.Customer) error {
		args := append([]any{tx.Tenant, channel}, db.Padded(piece)...)
		found, err := db.List(tx, func(r db.Rows) (s ShippedTo, err error) { return s, r.Scan(&s.Customer, &s.Country, &s.CreatedAt) },
			`SELECT customer_id, country, max(created_at) FROM orders WHERE tenant_id = $1 AND country IS NOT NULL
				AND (channel_id IS NULL OR channel_id <> $2::UUID) AND customer_id IN `+db.In(len(args)-2, 3)+" GROUP BY customer_id, country", args...)
		list = append(list, found...)
		return err
	})
}

// ForgetSearched removes the orders of a channel, which are about to be purged, from the index of searches.
func ForgetSearched(tx *db.Tx, channel id.Channel) error {
	gone, err := db.List(tx, func(r db.Rows) (order string, err error) { return order, r.Scan(&order) },
		"SELECT id FROM orders WHERE tenant_id = $1 AND channel_id = $2::UUID", tx.Tenant, channel)
	if err != nil {
		return err
	}
	return search.Remove(tx, search.Orders, gone)
}

// RecordsOf are the ids of a channel's orders and of their shipments.
func RecordsOf(tx *db.Tx, channel id.Channel) ([]string, error) {
	return db.List(tx, func(r db.Rows) (record string, err error) { return record, r.Scan(&record) },
		`SELECT id::TEXT FROM orders WHERE tenant_id = $1 AND channel_id = $2::UUID
		UNION ALL SELECT s.id::TEXT FROM orders o JOIN shipments s ON s.tenant_id = $1 AND s.order_id = o.id
			WHERE o.tenant_id = $1 AND o.channel_id = $2::UUID`, tx.Tenant, channel)
}

// PurgeAnswers deletes the stored answers about a channel's orders and their shipments; it reads every answer of the account.
func PurgeAnswers(tx db.Writer, channel id.Channel) {
	for _, sql := range []string{
		"DELETE FROM idempotency_keys WHERE tenant_id = $1 AND resource_id IN (SELECT id::TEXT FROM orders WHERE tenant_id = $1 AND " +
			"channel_id = $2::UUID)",
		"DELETE FROM idempotency_keys WHERE tenant_id = $1 AND resource_id IN (SELECT s.id::TEXT FROM shipments s JOIN orders o ON " +
			"o.tenant_id = $1 AND o.id = s.order_id WHERE s.tenant_id = $1 AND o.channel_id = $2::UUID)",
	} {
		tx.Queue(sql, tx.TenantID(), channel)
	}
}

// Purge deletes every order of a channel with everything that belongs to it but stored answers; its references become free.
func Purge(tx db.Writer, channel id.Channel) {
	const of = " IN (SELECT id FROM orders WHERE tenant_id = $1 AND channel_id = $2::UUID)"
	for _, sql := range []string{
		"DELETE FROM shipment_lines WHERE tenant_id = $1 AND order_id" + of,
		"DELETE FROM shipments WHERE tenant_id = $1 AND order_id" + of,
		"DELETE FROM order_issues WHERE tenant_id = $1 AND order_id" + of,
		"DELETE FROM order_refund_lines WHERE tenant_id = $1 AND order_id" + of,
		"DELETE FROM order_refunds WHERE tenant_id = $1 AND order_id" + of,
		"DELETE FROM order_edits WHERE tenant_id = $1 AND order_id" + of,
		"DELETE FROM order_history WHERE tenant_id = $1 AND order_id" + of,
		"DELETE FROM order_lines WHERE tenant_id = $1 AND order_id" + of,
		"DELETE FROM orders WHERE tenant_id = $1 AND channel_id = $2::UUID",
	} {
		tx.Queue(sql, tx.TenantID(), channel)
	}
	tx.Change(`UPDATE order_figures SET orders = order_figures.orders - gone.orders, items = order_figures.items - gone.items,
			big = order_figures.big - gone.big, small = order_figures.small - gone.small, version = order_figures.version + 1
		FROM order_figures gone WHERE order_figures.tenant_id = $1 AND order_figures.span = $3 AND order_figures.channel = ''
			AND gone.tenant_id = $1 AND gone.span = $4 AND gone.status = order_figures.status AND gone.bucket = order_figures.bucket
			AND gone.currency = order_figures.currency AND gone.channel = $2`, tx.TenantID(), string(channel), int64(spans.DaysOfAll),
		spans.Widths[spans.Days])
	tx.Change(`UPDATE order_figures SET orders = 0, items = 0, big = 0, small = 0, version = version + 1
		WHERE tenant_id = $1 AND channel = $2`, tx.TenantID(), string(channel)) // the rows stay, because a version must never decrease
	for _, status := range Statuses {
		db.DropTally(tx, tallied, countedAs(status, channel))
	}
}
