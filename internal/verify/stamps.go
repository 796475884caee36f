package verify

import "entrepot/internal/db"

// stamps reads all rows with a stamp, oldest first. A ledger row shares the stamp of its level and is left out.
func stamps(c *account) error {
	var last int64
	if err := c.Row("SELECT last FROM change_clocks WHERE tenant_id = $1", []any{c.Tenant}, &last); err != nil {
		return err
	}
	var before int64
	var other string
	return c.each(`SELECT 'product' AS what, changed_at AS stamp FROM products WHERE tenant_id = $1
		UNION ALL SELECT 'category', changed_at FROM categories WHERE tenant_id = $1
		UNION ALL SELECT 'stock level', changed_at FROM stock_levels WHERE tenant_id = $1
		UNION ALL SELECT 'event', stamp FROM events WHERE tenant_id = $1 ORDER BY stamp`, nil, func(r db.Rows) error {
		var what string
		var stamp int64
		err := r.Scan(&what, &stamp)
		if stamp == before {
			c.wrong("a change of a %s and one of a %s have the stamp %d", other, what, stamp)
		}
		if stamp > last {
			c.wrong("a change of a %s has the stamp %d, the clock stands at %d", what, stamp, last)
		}
		before, other = stamp, what
		return err
	})
}
