package orders

import (
	"strconv"
	"strings"

	"entrepot/internal/db"
)

// Holder is an open order for which stock of a SKU is reserved.
type Holder struct {
	Order
	Reserved int64 // of that SKU, over all lines and warehouses
}

// Holders reads the open orders that reserve stock of a SKU, the oldest first, at most limit of them, with number,
// status, customer and creation only. It reads through the open orders until it has found these.
func Holders(tx *db.Tx, sku string, limit int) ([]Holder, error) {
	w := db.NewWhere(tx, "")
	of, most := w.Bind(sku), w.Bind(limit)+"::BIGINT"
	var open []string
	for i, status := range []Status{Pending, Processing, PartiallyShipped} {
		open = append(open, `SELECT * FROM (SELECT o.id, o.number, o.status, o.customer_name, o.customer_email, o.created_at
			FROM orders o WHERE o.tenant_id = $1 AND o.status = `+w.Bind(string(status))+` AND EXISTS (SELECT 1 FROM order_lines l
				WHERE l.tenant_id = $1 AND l.order_id = o.id AND l.sku = `+of+` AND l.reserved > 0)
			ORDER BY o.created_at, o.id LIMIT `+most+") AS b"+strconv.Itoa(i))
	}
	return db.List(tx, func(r db.Rows) (h Holder, err error) {
		return h, r.Scan(&h.ID, &h.Number, &h.Status, &h.CustomerName, db.Opt(&h.CustomerEmail), &h.CreatedAt, &h.Reserved)
	}, `SELECT held.id, held.number, held.status, held.customer_name, held.customer_email, held.created_at,
			(SELECT sum(l.reserved)::BIGINT FROM order_lines l WHERE l.tenant_id = $1 AND l.order_id = held.id AND l.sku = `+of+`)
		FROM (`+strings.Join(open, " UNION ALL ")+") AS held ORDER BY held.created_at, held.id LIMIT "+most, w.Args()...)
}
