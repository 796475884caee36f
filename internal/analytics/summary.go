package analytics

import (
	"errors"

	"entrepot/internal/db"
	"entrepot/internal/money"
)

// Summary is how a span went, beside the span of the same length before it.
type Summary struct {
	Span
	Takings        []Takings // by currency, the account's first
	Before         Takings   // of the span before, in the account's currency
	ItemsSold      int64     // quantity over all lines of orders that are not cancelled
	ByStatus       []StatusCount
	NewCustomers   int64
	Customers      int64 // active ones, now
	ActiveProducts int64 // now
	LowStock       int64 // stock levels below their threshold, now
	ToShip         int64 // orders that wait for shipment, now
}

// StatusCount is how many of a span's orders have a status now.
type StatusCount struct {
	Status string
	Orders int64
	Total  money.Total // in the account's currency only
}

// Summarize reads the summary of a span.
func Summarize(tx *db.Tx, currency string, s Span) (Summary, error) {
	out := Summary{Span: s}
	var err error
	if out.Takings, err = takings(tx, currency, s); err != nil {
		return out, err
	}
	before, err := takings(tx, currency, s.before())
	if err != nil {
		return out, err
	}
	out.Before = before[0]
	out.ByStatus, err = db.List(tx, func(r db.Rows) (c StatusCount, err error) {
		var big, small int64
		err = r.Scan(&c.Status, &c.Orders, &big, &small)
		c.Total = sum(big, small)
		return c, err
	}, `SELECT status, count(*), `+summed("CASE WHEN currency = $4 THEN total ELSE 0 END")+` FROM orders
		WHERE tenant_id = $1 AND created_at >= $2 AND created_at <= $3 GROUP BY status ORDER BY status`, tx.Tenant, s.From, s.To, currency)
	return out, errors.Join(err,
		count(tx, &out.ItemsSold, `SELECT coalesce(sum(l.quantity), 0)::BIGINT FROM orders o
			JOIN order_lines l ON l.tenant_id = o.tenant_id AND l.order_id = o.id
			WHERE o.tenant_id = $1 AND o.created_at >= $2 AND o.created_at <= $3 AND o.status <> 'CANCELLED'`, s.From, s.To),
		count(tx, &out.NewCustomers, "SELECT count(*) FROM customers WHERE tenant_id = $1 AND created_at >= $2 AND created_at <= $3 AND status = 'active'", s.From, s.To),
		count(tx, &out.Customers, "SELECT count(*) FROM customers WHERE tenant_id = $1 AND status = 'active'"),
		count(tx, &out.ActiveProducts, "SELECT count(*) FROM products WHERE tenant_id = $1 AND status = 'ACTIVE' AND deleted_at IS NULL"),
		count(tx, &out.LowStock, "SELECT count(*) FROM stock_levels WHERE tenant_id = $1 AND deleted_at IS NULL AND on_hand - reserved < threshold"),
		count(tx, &out.ToShip, "SELECT count(*) FROM orders WHERE tenant_id = $1 AND status IN ('PROCESSING', 'PARTIALLY_SHIPPED')"),
	)
}
