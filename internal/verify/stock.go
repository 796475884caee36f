package verify

import "entrepot/internal/db"

// ledger reads the levels and the movements of one SKU after the other.
func ledger(c *account) error {
	type balance struct {
		onHand, sum int64
	}
	var at string
	var here map[string]*balance // by warehouse
	settle := func() {
		for warehouse, b := range here {
			if b.sum != b.onHand {
				c.wrong("%s in %s has %d on hand, its movements add up to %d", at, warehouse, b.onHand, b.sum)
			}
		}
	}
	err := c.each(`SELECT sku, 0::BIGINT AS stamp, warehouse_code, on_hand AS delta, 0::BIGINT AS balance FROM stock_levels
		WHERE tenant_id = $1
		UNION ALL SELECT sku, stamp, warehouse_code, delta, balance FROM movements
		WHERE tenant_id = $1 ORDER BY sku, stamp`, nil, func(r db.Rows) error {
		var sku, warehouse string
		var stamp, delta, after int64
		if err := r.Scan(&sku, &stamp, &warehouse, &delta, &after); err != nil {
			return err
		}
		if sku != at || here == nil {
			settle()
			at, here = sku, map[string]*balance{}
		}
		b := here[warehouse]
		if b == nil {
			b = &balance{}
			here[warehouse] = b
		}
		if stamp == 0 {
			b.onHand = delta
			return nil
		}
		b.sum += delta
		if b.sum != after {
			c.wrong("%s in %s: a movement of %d leads to %d, not to %d", sku, warehouse, delta, b.sum, after)
			b.sum = after
		}
		return nil
	})
	settle()
	return err
}

func levels(c *account) error {
	return c.each(`SELECT l.sku, l.warehouse_code, w.code, coalesce(l.threshold > l.on_hand - l.reserved, FALSE) <> l.low,
			s.sku IS NULL OR s.product_id <> l.product_id OR coalesce(s.variant_id::TEXT, '') <> coalesce(l.variant_id::TEXT, '')
		FROM stock_levels l LEFT JOIN warehouses w ON w.tenant_id = $1 AND w.code = l.warehouse_code
		LEFT JOIN skus s ON s.tenant_id = $1 AND s.sku = l.sku
		WHERE l.tenant_id = $1 AND l.deleted_at IS NULL`, nil, func(r db.Rows) error {
		var sku, code, warehouse string
		var low, stray bool
		err := r.Scan(&sku, &code, db.Opt(&warehouse), &low, &stray)
		if warehouse == "" {
			c.wrong("%s is in the warehouse %s, which is not there", sku, code)
		}
		if low {
			c.wrong("%s in %s is marked low when it is not, or the other way round", sku, code)
		}
		if stray {
			c.wrong("%s in %s belongs to another product or variant than its SKU", sku, code)
		}
		return err
	})
}

func reservations(c *account) error {
	return c.each(`SELECT sku, warehouse, sum(held)::BIGINT, sum(kept)::BIGINT FROM (
			SELECT sku, warehouse_code AS warehouse, reserved AS held, 0::BIGINT AS kept FROM order_lines WHERE tenant_id = $1 AND reserved <> 0
			UNION ALL SELECT sku, warehouse_code, 0, reserved FROM stock_levels WHERE tenant_id = $1 AND reserved <> 0) AS both_sides
		GROUP BY sku, warehouse`, nil, func(r db.Rows) error {
		var sku, warehouse string
		var held, kept int64
		err := r.Scan(&sku, &warehouse, &held, &kept)
		if held != kept {
			c.wrong("%s in %s has %d reserved, open orders hold %d", sku, warehouse, kept, held)
		}
		return err
	})
}

func warehouses(c *account) error {
	var defaults int64
	err := c.each("SELECT is_default FROM warehouses WHERE tenant_id = $1", nil, func(r db.Rows) error {
		var usual bool
		err := r.Scan(&usual)
		if usual {
			defaults++
		}
		return err
	})
	if defaults != 1 {
		c.wrong("%d default warehouses", defaults)
	}
	return err
}
