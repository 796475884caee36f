package stockvalue

import (
	"cmp"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// changes are what changed after a stamp, in the order of the stamps: levels, and products with their prices.
type changes struct {
	skus  []string // of these levels, products and variants, each once
	count int      // of the levels and products
	until int64    // the stamp of the last change; 0 for none
	more  bool     // there may be later changes
}

// change is a level or a product that changed.
type change struct {
	sku      string
	product  id.Product
	variants int64 // of a product; 0 for a level
	at       int64
	isLevel  bool
}

// changedSince reads the next changes after a stamp: at most each of either kind, and of these as many as have at most skus SKUs together,
// or one. One statement reads both kinds, from one snapshot, so that no stamp of one kind passes an unseen change of the other.
func changedSince(tx *db.Tx, since int64, each, skus int) (changes, error) {
	counts, last := map[bool]int{}, map[bool]int64{}
	list, err := db.List(tx, func(r db.Rows) (c change, err error) {
		err = r.Scan(&c.sku, &c.product, &c.variants, &c.at, &c.isLevel)
		counts[c.isLevel]++
		last[c.isLevel] = max(last[c.isLevel], c.at)
		return c, err
	}, `SELECT * FROM (SELECT sku, product_id, 0::BIGINT AS variants, changed_at, TRUE AS is_level FROM stock_levels
			WHERE tenant_id = $1 AND changed_at > $2 ORDER BY changed_at LIMIT $3::BIGINT) AS late_levels
		UNION ALL SELECT * FROM (SELECT sku, id, variant_count, changed_at, FALSE FROM products
			WHERE tenant_id = $1 AND changed_at > $2 ORDER BY changed_at LIMIT $4::BIGINT) AS late_products`, tx.Tenant, since, each, each)
	if err != nil {
		return changes{}, err
	}
	out := changes{until: max(last[true], last[false])}
	for isLevel, n := range counts {
		if n >= each {
			out.until, out.more = min(out.until, last[isLevel]), true
		}
	}
	if until := reach(list, skus); until < out.until {
		out.until, out.more = until, true
	}
	list = slices.DeleteFunc(list, func(c change) bool { return c.at > out.until })
	out.count = len(list)
	out.skus, err = skusOf(tx, list)
	return out, err
}

// reach sorts changes by their stamps and returns the stamp up to which they have at most skus SKUs together.
func reach(list []change, skus int) (until int64) {
	slices.SortFunc(list, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	for i := range list {
		if skus -= 1 + int(list[i].variants); skus < 0 && i > 0 && list[i].at > until {
			break
		}
		until = list[i].at
	}
	return until
}

// skusOf are the SKUs of some changes, variants included, each once.
func skusOf(tx *db.Tx, list []change) ([]string, error) {
	skus := make([]string, 0, len(list))
	var withVariants []id.Product
	for i := range list {
		skus = append(skus, list[i].sku)
		if list[i].variants > 0 {
			withVariants = append(withVariants, list[i].product)
		}
	}
	err := db.Chunks(withVariants, func(piece []id.Product) error {
		w := db.AndIn(db.NewWhere(tx, ""), "product_id", piece)
		return tx.Each(func(r db.Rows) error {
			var sku string
			err := r.Scan(&sku)
			skus = append(skus, sku)
			return err
		}, "SELECT sku FROM variants WHERE "+w.String(), w.Args()...)
	})
	slices.Sort(skus)
	return slices.Compact(skus), err
}

// counted is what a level adds to the sums; on-hand is 0 for a deleted or negative one.
type counted struct{ onHand, price int64 }

// level is what a level adds to the sums now, and what it adds to the kept sums.
type level struct {
	sku, warehouse string
	counted
	kept counted
}

// levelsAndKept reads levels, tombstones included; a condition follows. Each price and each kept sum is looked up by its key: a join
// would read all of the account's again for each piece while PostgreSQL has no statistics about them.
const levelsAndKept = `SELECT l.sku, l.warehouse_code, CASE WHEN l.deleted_at IS NULL THEN l.on_hand ELSE 0 END, coalesce(
		(SELECT v.price FROM variants v WHERE v.tenant_id = $1 AND v.product_id = l.product_id AND v.id = l.variant_id),
		(SELECT p.price FROM products p WHERE p.tenant_id = $1 AND p.id = l.product_id), 0),` + keptPart + "on_hand" + ofLevel + "," +
	keptPart + "price" + ofLevel + `
	FROM stock_levels l WHERE l.tenant_id = $1 AND `

// keptPart and ofLevel surround a column of what a level adds to the kept sums.
const (
	keptPart = " coalesce((SELECT k."
	ofLevel  = " FROM stock_level_values k WHERE k.tenant_id = $1 AND k.sku = l.sku AND k.warehouse_code = l.warehouse_code), 0)"
)

// scanLevel reads a row of levelsAndKept.
func scanLevel(r db.Rows) (l level, err error) {
	err = r.Scan(&l.sku, &l.warehouse, &l.onHand, &l.price, &l.kept.onHand, &l.kept.price)
	if l.onHand <= 0 || l.price == 0 {
		l.counted = counted{}
	}
	return l, err
}

// eachLevel reads all levels of some SKUs, a piece at a time.
func eachLevel(tx *db.Tx, skus []string, each func(level)) error {
	return db.Chunks(skus, func(piece []string) error {
		args := append(make([]any, 0, 1+len(piece)), tx.Tenant)
		for _, sku := range piece {
			args = append(args, sku)
		}
		return tx.Each(func(r db.Rows) error {
			l, err := scanLevel(r)
			each(l)
			return err
		}, levelsText.For(len(piece), func(n int) string {
			return levelsAndKept + "l.sku IN " + db.In(n, 2)
		}), args...)
	})
}

var levelsText db.Text
