package stockvalue

import (
	"errors"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/view"
)

// View maintains the sums of each warehouse, stock_values, and what each level adds to them, stock_level_values. A
// level counts with the price of its product or variant, so products are a feed, too.
var View = &view.View{
	Name:    "stock value",
	Says:    "What the stock of each warehouse is worth is what its levels have on hand at their prices.",
	Feeds:   []view.Feed{{Table: "stock_levels", Stamp: "changed_at"}, {Table: "products", Stamp: "changed_at"}},
	Every:   5 * time.Second,
	Worth:   200,
	Pause:   5 * time.Second,
	Anyway:  25_000,
	Least:   128,
	Most:    4096,
	Compare: compare,
	Step: func(tx *db.Tx, from, to int64) error {
		skus, err := changedSKUs(tx, from, to)
		if err != nil {
			return err
		}
		return addUp(tx, skus)
	},
}

// compare compares the sums with what levels add to them, and each level's part with the levels that have not changed
// since a stamp.
func compare(tx *db.Tx, until int64, found view.Findings) error {
	const wrong = "%s is not worth what is stored"
	stored, err := readSums(tx, storedSums)
	if err != nil {
		return err
	}
	all, err := readSums(tx, "SELECT warehouse_code, "+sumsOf("on_hand", "price")+
		" FROM stock_level_values WHERE tenant_id = $1 GROUP BY warehouse_code")
	if err != nil {
		return err
	}
	for warehouse := range stored {
		if _, there := all[warehouse]; !there {
			all[warehouse] = parts{}
		}
	}
	for warehouse, missing := range all {
		for i, part := range stored[warehouse] {
			missing[i] -= part
		}
		if found.Checked(); missing != (parts{}) {
			found.Wrong(func(tx *db.Tx, _ int64) error {
				saveSums(tx, sums{warehouse: missing}) // a step adds the same to both sides
				return nil
			}, wrong, "the warehouse "+warehouse)
		}
	}
	err = tx.Each(func(r db.Rows) error {
		l, err := scanLevel(r)
		if found.Checked(); l.counted != l.added {
			found.Wrong(func(tx *db.Tx, _ int64) error { return addUp(tx, []string{l.sku}) }, wrong, l.sku+" in "+l.warehouse)
		}
		return err
	}, levels+`l.changed_at <= $2
		AND coalesce((SELECT p.changed_at FROM products p WHERE p.tenant_id = $1 AND p.id = l.product_id), 0) <= $2`, tx.Tenant, until)
	if err != nil {
		return err
	}
	return tx.Each(func(r db.Rows) error {
		var l level
		err := r.Scan(&l.sku, &l.warehouse)
		found.Checked()
		found.Wrong(func(tx *db.Tx, _ int64) error { return dropStray(tx, l) }, wrong, l.sku+" in "+l.warehouse)
		return err
	}, strays, tx.Tenant)
}

// strays returns rows of the view without a level.
const strays = `SELECT k.sku, k.warehouse_code FROM stock_level_values k
	LEFT JOIN stock_levels l ON l.tenant_id = $1 AND l.sku = k.sku AND l.warehouse_code = k.warehouse_code
	WHERE k.tenant_id = $1 AND l.sku IS NULL`

// dropStray subtracts what a level that no longer exists has added to the sums.
func dropStray(tx *db.Tx, l level) error {
	err := tx.Row(`SELECT k.on_hand, k.price FROM stock_level_values k WHERE k.tenant_id = $1 AND k.sku = $2 AND k.warehouse_code = $3
		AND NOT EXISTS (SELECT 1 FROM stock_levels l WHERE l.tenant_id = $1 AND l.sku = k.sku AND l.warehouse_code = k.warehouse_code)`,
		[]any{tx.Tenant, l.sku, l.warehouse}, &l.added.onHand, &l.added.price)
	if errors.Is(err, db.ErrNoRow) {
		return nil
	}
	if err == nil {
		moved := sums{}
		moved.replace(&l)
		saveLevels(tx, nil, []level{l})
		saveSums(tx, moved)
	}
	return err
}
