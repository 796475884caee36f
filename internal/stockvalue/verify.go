package stockvalue

import "entrepot/internal/db"

// Verify compares the kept sums with the stored part of each level, and these with the levels, except levels that
// changed since the sums were updated. It calls each for every warehouse and level compared, with whether they agree.
func Verify(tx *db.Tx, each func(what string, same bool)) error {
	until, followed, err := followedUntil(tx)
	if err != nil || !followed {
		return err
	}
	all, err := kept(tx)
	if err != nil {
		return err
	}
	counts, err := readSums(tx, "SELECT warehouse_code, "+sumsOf("on_hand", "price")+
		" FROM stock_level_values WHERE tenant_id = $1 GROUP BY warehouse_code")
	if err != nil {
		return err
	}
	for warehouse := range counts {
		if _, there := all[warehouse]; !there {
			all[warehouse] = parts{}
		}
	}
	for warehouse, p := range all {
		each("the warehouse "+warehouse, p == counts[warehouse])
	}
	return verifyLevels(tx, until, each)
}

// verifyLevels compares what levels add to the kept sums with what they should add.
func verifyLevels(tx *db.Tx, until int64, each func(what string, same bool)) error {
	err := tx.Each(func(r db.Rows) error {
		l, err := scanLevel(r)
		each(l.sku+" in "+l.warehouse, l.counted == l.kept)
		return err
	}, levelsAndKept+`l.changed_at <= $2
		AND coalesce((SELECT p.changed_at FROM products p WHERE p.tenant_id = $1 AND p.id = l.product_id), 0) <= $2`, tx.Tenant, until)
	if err != nil {
		return err
	}
	return tx.Each(func(r db.Rows) error {
		var sku, warehouse string
		err := r.Scan(&sku, &warehouse)
		each(sku+" in "+warehouse, false)
		return err
	}, `SELECT k.sku, k.warehouse_code FROM stock_level_values k
		LEFT JOIN stock_levels l ON l.tenant_id = $1 AND l.sku = k.sku AND l.warehouse_code = k.warehouse_code
		WHERE k.tenant_id = $1 AND l.sku IS NULL`, tx.Tenant)
}
