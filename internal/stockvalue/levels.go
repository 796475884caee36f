package stockvalue

import "entrepot/internal/db"

// changedSKUs returns the SKUs of levels, products and variants that changed between two stamps, in their order. One
// statement reads them, from one snapshot.
func changedSKUs(tx *db.Tx, from, to int64) ([]string, error) {
	const between = " AND e.changed_at > $2 AND e.changed_at <= $3"
	return db.List(tx, func(r db.Rows) (sku string, err error) { return sku, r.Scan(&sku) },
		"SELECT e.sku FROM stock_levels e WHERE e.tenant_id = $1"+between+
			" UNION SELECT e.sku FROM products e WHERE e.tenant_id = $1"+between+
			" UNION SELECT v.sku FROM products e CROSS JOIN variants v WHERE e.tenant_id = $1"+between+
			" AND e.variant_count > 0 AND v.tenant_id = $1 AND v.product_id = e.id ORDER BY 1", tx.Tenant, from, to)
}

// counted is what a level adds to the sums; on-hand is 0 for a deleted or negative one.
type counted struct{ onHand, price int64 }

// level is what a level should add to the sums now, and what it has added.
type level struct {
	sku, warehouse string
	counted
	added counted
}

// levels reads levels l, tombstones included; a condition follows. Each price and each row of the view is looked up by
// its key. A join would read all prices and rows of the account for each piece while PostgreSQL has no statistics about
// the tables.
const levels = `SELECT l.sku, l.warehouse_code, CASE WHEN l.deleted_at IS NULL THEN l.on_hand ELSE 0 END, coalesce(
		(SELECT v.price FROM variants v WHERE v.tenant_id = $1 AND v.product_id = l.product_id AND v.id = l.variant_id),
		(SELECT p.price FROM products p WHERE p.tenant_id = $1 AND p.id = l.product_id), 0),` + addedPart + "on_hand" + ofLevel + "," +
	addedPart + "price" + ofLevel + `
	FROM stock_levels l WHERE l.tenant_id = $1 AND `

// addedPart and ofLevel surround a column of what a level added to the sums.
const (
	addedPart = " coalesce((SELECT k."
	ofLevel   = " FROM stock_level_values k WHERE k.tenant_id = $1 AND k.sku = l.sku AND k.warehouse_code = l.warehouse_code), 0)"
)

// scanLevel reads a row of levels.
func scanLevel(r db.Rows) (l level, err error) {
	err = r.Scan(&l.sku, &l.warehouse, &l.onHand, &l.price, &l.added.onHand, &l.added.price)
	if l.onHand <= 0 || l.price == 0 {
		l.counted = counted{}
	}
	return l, err
}

// eachLevel reads all levels of some SKUs, a piece at a time.
func eachLevel(tx *db.Tx, skus []string, each func(level)) error {
	return db.Chunks(skus, func(piece []string) error {
		return tx.Each(func(r db.Rows) error {
			l, err := scanLevel(r)
			each(l)
			return err
		}, levelsText.For(len(piece), func(n int) string {
			return levels + "l.sku IN " + db.In(n, 2)
		}), append([]any{tx.Tenant}, db.Args(piece)...)...)
	})
}

var levelsText db.Text

// addUp queues the writes after which the levels of some SKUs add to the sums what they should. Its caller has the
// view's lock.
func addUp(tx *db.Tx, skus []string) error {
	moved := sums{}
	var written, gone []level
	err := eachLevel(tx, skus, func(l level) {
		switch {
		case l.counted == l.added:
			return
		case l.onHand == 0:
			gone = append(gone, l)
		default:
			written = append(written, l)
		}
		moved.replace(&l)
	})
	if err != nil {
		return err
	}
	saveLevels(tx, written, gone)
	saveSums(tx, moved)
	return nil
}

// saveLevels queues what levels now add to the sums, in the order of their SKUs, which is the order of the table.
func saveLevels(tx *db.Tx, written, gone []level) {
	for piece := range db.Pieces(written) {
		args := append(make([]any, 0, 1+4*len(piece)), tx.Tenant)
		for i := range piece {
			args = append(args, piece[i].sku, piece[i].warehouse, piece[i].onHand, piece[i].price)
		}
		tx.Queue(writeText.For(len(piece), func(n int) string {
			return "INSERT INTO stock_level_values (tenant_id, sku, warehouse_code, on_hand, price) VALUES " + db.Repeat(n, 2, "($1,$,$,$,$)") +
				" ON CONFLICT (tenant_id, sku, warehouse_code) DO UPDATE SET on_hand = excluded.on_hand, price = excluded.price"
		}), args...)
	}
	for i := range gone {
		tx.Queue("DELETE FROM stock_level_values WHERE tenant_id = $1 AND sku = $2 AND warehouse_code = $3", tx.Tenant, gone[i].sku,
			gone[i].warehouse)
	}
}

var writeText db.Text

// saveSums queues the changes of the warehouses' sums.
func saveSums(tx *db.Tx, moved sums) {
	for warehouse, p := range moved {
		tx.Queue(`INSERT INTO stock_values (tenant_id, warehouse_code, ac, ad, bc, bd) VALUES ($1,$2,$3,$4,$5,$6)
			ON CONFLICT (tenant_id, warehouse_code) DO UPDATE SET ac = stock_values.ac + excluded.ac, ad = stock_values.ad + excluded.ad,
				bc = stock_values.bc + excluded.bc, bd = stock_values.bd + excluded.bd`, tx.Tenant, warehouse, p[0], p[1], p[2], p[3])
	}
}
