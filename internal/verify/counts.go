package verify

import (
	"strings"

	"entrepot/internal/db"
)

// countedRows counts again what is kept in tallies, by name and key.
const countedRows = `SELECT 'customers' AS name,
		CASE WHEN status = 'erased' AND merged_into IS NOT NULL THEN 'erased secondary' ELSE status END AS key,
		count(*) AS n FROM customers WHERE tenant_id = $1 GROUP BY 2
	UNION ALL SELECT 'products', status, count(*) FROM products WHERE tenant_id = $1 AND deleted_at IS NULL GROUP BY status
	UNION ALL SELECT 'publications', channel_id::TEXT || ' ' || status, count(*) FROM publications
		WHERE tenant_id = $1 GROUP BY channel_id, status
	UNION ALL SELECT 'category members', category_id::TEXT, count(*) FROM product_categories
		WHERE tenant_id = $1 AND category_id IS NOT NULL GROUP BY category_id
	UNION ALL SELECT 'categories', '', count(*) FROM categories WHERE tenant_id = $1 AND deleted_at IS NULL
	UNION ALL SELECT 'orders', status || coalesce(' ' || channel_id::TEXT, ''), count(*) FROM orders
		WHERE tenant_id = $1 GROUP BY status, channel_id
	UNION ALL SELECT 'levels', warehouse_code, count(*) FROM stock_levels
		WHERE tenant_id = $1 AND deleted_at IS NULL GROUP BY warehouse_code
	UNION ALL SELECT 'on hand', warehouse_code, sum(on_hand)::BIGINT FROM stock_levels
		WHERE tenant_id = $1 AND deleted_at IS NULL GROUP BY warehouse_code
	UNION ALL SELECT 'reserved', warehouse_code, sum(reserved)::BIGINT FROM stock_levels
		WHERE tenant_id = $1 AND deleted_at IS NULL GROUP BY warehouse_code
	UNION ALL SELECT 'out of stock', warehouse_code, count(*) FROM stock_levels
		WHERE tenant_id = $1 AND deleted_at IS NULL AND on_hand <= reserved GROUP BY warehouse_code
	UNION ALL SELECT 'low', warehouse_code, count(*) FROM stock_levels
		WHERE tenant_id = $1 AND deleted_at IS NULL AND low = TRUE GROUP BY warehouse_code`

// keptCounts compares every kept count with the records.
func keptCounts(c *account) error {
	return c.each(`SELECT name, key, sum(n)::BIGINT, sum(kept)::BIGINT FROM (
			SELECT name, key, n, 0 AS kept FROM (`+countedRows+`) AS counted
			UNION ALL SELECT name, key, 0, n FROM tallies WHERE tenant_id = $1 AND name <> '`+db.Repairs+`') AS both_sides
		GROUP BY name, key`, nil, func(r db.Rows) error {
		var name, key string
		var n, kept int64
		err := r.Scan(&name, &key, &n, &kept)
		if n != kept {
			const says = "%s %s: %d, kept as %d"
			if !strings.Contains(countedRows, "'"+name+"'") { // of a newer version
				c.wrong(says, name, key, n, kept)
				return err
			}
			c.derived(func(tx *db.Tx) error {
				tx.Tally(name, key, n-kept)
				return nil
			}, says, name, key, n, kept)
		}
		return err
	})
}
