package stockvalue

import (
	"errors"

	"entrepot/internal/db"
)

// Verify compares the kept sums with the stored part of each level, and these with the levels, except levels that
// changed since the sums were updated. It calls each for every warehouse and level compared, with whether they agree, and what makes
// them agree, in another transaction of the tenant.
func Verify(tx *db.Tx, each func(what string, same bool, mend func(tx *db.Tx) error)) error {
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
		missing := counts[warehouse]
		for i := range missing {
			missing[i] -= p[i]
		}
		each("the warehouse "+warehouse, missing == parts{}, func(tx *db.Tx) error {
			err := tx.LockName(lockName)
			saveSums(tx, sums{warehouse: missing}) // both sides only change by the same difference
			return err
		})
	}
	return verifyLevels(tx, until, each)
}

// verifyLevels compares what levels add to the kept sums with what they should add.
func verifyLevels(tx *db.Tx, until int64, each func(what string, same bool, mend func(tx *db.Tx) error)) error {
	err := tx.Each(func(r db.Rows) error {
		l, err := scanLevel(r)
		each(l.sku+" in "+l.warehouse, l.counted == l.kept, func(tx *db.Tx) error { return mendLevels(tx, l.sku) })
		return err
	}, levelsAndKept+`l.changed_at <= $2
		AND coalesce((SELECT p.changed_at FROM products p WHERE p.tenant_id = $1 AND p.id = l.product_id), 0) <= $2`, tx.Tenant, until)
	if err != nil {
		return err
	}
	return tx.Each(func(r db.Rows) error {
		var sku, warehouse string
		err := r.Scan(&sku, &warehouse)
		each(sku+" in "+warehouse, false, func(tx *db.Tx) error { return dropStray(tx, sku, warehouse) })
		return err
	}, `SELECT k.sku, k.warehouse_code FROM stock_level_values k
		LEFT JOIN stock_levels l ON l.tenant_id = $1 AND l.sku = k.sku AND l.warehouse_code = k.warehouse_code
		WHERE k.tenant_id = $1 AND l.sku IS NULL`, tx.Tenant)
}

// mendLevels makes the levels of a SKU add to the kept sums what they should.
func mendLevels(tx *db.Tx, sku string) error {
	if err := tx.LockName(lockName); err != nil {
		return err
	}
	return move(tx, []string{sku})
}

// dropStray takes what a level that is not there adds to the kept sums out of them.
func dropStray(tx *db.Tx, sku, warehouse string) error {
	if err := tx.LockName(lockName); err != nil {
		return err
	}
	l := level{sku: sku, warehouse: warehouse}
	err := tx.Row(`SELECT k.on_hand, k.price FROM stock_level_values k WHERE k.tenant_id = $1 AND k.sku = $2 AND k.warehouse_code = $3
		AND NOT EXISTS (SELECT 1 FROM stock_levels l WHERE l.tenant_id = $1 AND l.sku = k.sku AND l.warehouse_code = k.warehouse_code)`,
		[]any{tx.Tenant, sku, warehouse}, &l.kept.onHand, &l.kept.price)
	if errors.Is(err, db.ErrNoRow) {
		return nil
	}
	if err == nil {
		moved := sums{}
		moved.move(&l)
		saveLevels(tx, nil, []level{l})
		saveSums(tx, moved)
	}
	return err
}
