package verify

import (
	"strings"

	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// countedRows counts again what is kept in tallies, by name and key. Each table is read once, in the order of an index; a GROUP BY of what
// no index has in its order would hold a row for each record in memory.
const countedRows = `SELECT 'customers' AS name, listed.key AS key,
		CASE listed.key WHEN 'active' THEN c.active WHEN 'secondary' THEN c.secondary WHEN 'erased' THEN c.erased ELSE c.merged END AS n
		FROM (SELECT count(CASE WHEN status = 'active' THEN 1 END) AS active, count(CASE WHEN status = 'secondary' THEN 1 END) AS secondary,
				count(CASE WHEN status = 'erased' AND merged_into IS NULL THEN 1 END) AS erased,
				count(CASE WHEN status = 'erased' AND merged_into IS NOT NULL THEN 1 END) AS merged
			FROM customers WHERE tenant_id = $1) AS c
		CROSS JOIN (SELECT 'active' AS key UNION ALL SELECT 'secondary' UNION ALL SELECT 'erased' UNION ALL SELECT 'erased secondary') AS listed
	UNION ALL SELECT 'products', status, count(*) FROM products WHERE tenant_id = $1 AND deleted_at IS NULL GROUP BY status
	UNION ALL SELECT 'publications', p.channel_id::TEXT || ' ' || listed.key,
		CASE listed.key WHEN 'pending' THEN p.pending WHEN 'published' THEN p.published WHEN 'failed' THEN p.failed ELSE p.removing END
		FROM (SELECT channel_id, count(CASE WHEN status = 'pending' THEN 1 END) AS pending,
				count(CASE WHEN status = 'published' THEN 1 END) AS published, count(CASE WHEN status = 'failed' THEN 1 END) AS failed,
				count(CASE WHEN status = 'removing' THEN 1 END) AS removing
			FROM publications WHERE tenant_id = $1 GROUP BY channel_id) AS p
		CROSS JOIN (SELECT 'pending' AS key UNION ALL SELECT 'published' UNION ALL SELECT 'failed' UNION ALL SELECT 'removing') AS listed
	UNION ALL SELECT 'category members', category_id::TEXT, count(*) FROM product_categories
		WHERE tenant_id = $1 AND category_id IS NOT NULL GROUP BY category_id
	UNION ALL SELECT 'categories', '', count(*) FROM categories WHERE tenant_id = $1 AND deleted_at IS NULL
	UNION ALL SELECT 'orders', status || coalesce(' ' || channel_id::TEXT, ''), count(*) FROM orders
		WHERE tenant_id = $1 GROUP BY status, channel_id
	UNION ALL SELECT listed.name, l.warehouse_code, CASE listed.name WHEN 'levels' THEN l.levels WHEN 'on hand' THEN l.on_hand
			WHEN 'reserved' THEN l.reserved WHEN 'out of stock' THEN l.gone ELSE l.low END
		FROM (SELECT warehouse_code, count(*) AS levels, sum(on_hand)::BIGINT AS on_hand, sum(reserved)::BIGINT AS reserved,
				count(CASE WHEN on_hand <= reserved THEN 1 END) AS gone, count(CASE WHEN low = TRUE THEN 1 END) AS low
			FROM stock_levels WHERE tenant_id = $1 AND deleted_at IS NULL GROUP BY warehouse_code) AS l
		CROSS JOIN (SELECT 'levels' AS name UNION ALL SELECT 'on hand' UNION ALL SELECT 'reserved' UNION ALL SELECT 'out of stock'
			UNION ALL SELECT 'low') AS listed`

// keptCounts compares every maintained count with the records, but those that orderCountries compares.
func keptCounts(c *account) error {
	return c.each(`SELECT name, key, sum(n)::BIGINT, sum(kept)::BIGINT FROM (
			SELECT name, key, n, 0 AS kept FROM (`+countedRows+`) AS counted
			UNION ALL SELECT name, key, 0, n FROM tallies
				WHERE tenant_id = $1 AND name NOT IN ('`+db.Repairs+`', '`+orders.ToCountry+`')) AS both_sides
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
