// Package stockvalue computes the value of an account's stock, by warehouse: on-hand times the selling price of
// product or variant, over all levels that are not deleted; a negative on-hand counts as 0 (interface §4.5.11).
//
//	stockvalue.go  Read: the kept sums, corrected by what changed since
//	changes.go     which SKUs changed after a stamp, and what their levels add now
//	follow.go      updates the sums with what changed
//	verify.go      compares the sums with the levels
//
// The sums include all changes of levels and products up to a stamp, some time behind the change clock. A read adds,
// for each SKU that changed since, the difference between what its levels add now and what they add in the sums. So
// writes do nothing for the sums, and a read is exact nevertheless (decision 9).
package stockvalue

import (
	"errors"
	"math"

	"entrepot/internal/base/money"
	"entrepot/internal/db"
)

// scanFrom is the number of later changes from which a read sums all levels and does not correct the kept sums. Tests
// lower it.
var scanFrom = 50_000

// Read is the value of each warehouse's stock, by its code; a warehouse without value may be missing.
func Read(tx *db.Tx) (map[string]money.Total, error) {
	until, followed, err := followedUntil(tx)
	if err != nil || !followed {
		return scan(tx, err)
	}
	late, err := changedSince(tx, until, scanFrom, math.MaxInt)
	if err != nil || late.more {
		return scan(tx, err)
	}
	sums, err := kept(tx)
	if err != nil {
		return nil, err
	}
	err = eachLevel(tx, late.skus, func(l level) { sums.move(&l) })
	return sums.totals(), err
}

// followedUntil is the stamp up to which the sums are complete, if they exist.
func followedUntil(tx *db.Tx) (stamp int64, followed bool, err error) {
	err = tx.Row("SELECT stamp FROM stock_values_until WHERE tenant_id = $1", []any{tx.Tenant}, &stamp)
	if errors.Is(err, db.ErrNoRow) {
		return 0, false, nil
	}
	return stamp, err == nil, err
}

// parts is a sum of products of quantities and prices, which may need more than 63 bits: with on-hand = a·10^5 + b and
// price = c·10^8 + d, the sums of a·c, a·d, b·c and b·d, which cannot overflow for hundreds of thousands of the
// greatest values.
type parts [4]int64

// zeros are the powers of ten of the parts.
var zeros = [4]int{13, 5, 8, 0}

// add adds a quantity at a price, or subtracts it (sign -1).
func (p *parts) add(onHand, price, sign int64) {
	a, b, c, d := onHand/100_000, onHand%100_000, price/100_000_000, price%100_000_000
	for i, product := range [4]int64{a * c, a * d, b * c, b * d} {
		p[i] += sign * product
	}
}

// sums are the parts by warehouse.
type sums map[string]parts

// move replaces what a level adds to the kept sums by what it adds now.
func (s sums) move(l *level) {
	p := s[l.warehouse]
	p.add(l.onHand, l.price, 1)
	p.add(l.kept.onHand, l.kept.price, -1)
	s[l.warehouse] = p
}

// totals joins the parts.
func (s sums) totals() map[string]money.Total {
	values := make(map[string]money.Total, len(s))
	for warehouse, p := range s {
		var value money.Total
		for i, part := range p {
			value = value.Plus(money.TotalOf(part, zeros[i]))
		}
		values[warehouse] = value
	}
	return values
}

// kept reads the kept sums.
func kept(tx *db.Tx) (sums, error) {
	return readSums(tx, "SELECT warehouse_code, ac, ad, bc, bd FROM stock_values WHERE tenant_id = $1")
}

// scan sums every level, unless an error came before.
func scan(tx *db.Tx, err error) (map[string]money.Total, error) {
	if err != nil {
		return nil, err
	}
	all, err := readSums(tx, "SELECT l.warehouse_code, "+sumsOf("l.on_hand", "coalesce(v.price, p.price, 0)")+` FROM stock_levels l
		LEFT JOIN products p ON p.tenant_id = l.tenant_id AND p.id = l.product_id
		LEFT JOIN variants v ON v.tenant_id = l.tenant_id AND v.product_id = l.product_id AND v.id = l.variant_id
		WHERE l.tenant_id = $1 AND l.deleted_at IS NULL AND l.on_hand > 0 GROUP BY l.warehouse_code`)
	return all.totals(), err
}

// sumsOf is the SQL of the parts of a sum over rows.
func sumsOf(onHand, price string) string {
	return "sum(" + onHand + " / 100000 * (" + price + " / 100000000))::BIGINT, sum(" + onHand + " / 100000 * (" + price +
		" % 100000000))::BIGINT, sum(" + onHand + " % 100000 * (" + price + " / 100000000))::BIGINT, sum(" + onHand + " % 100000 * (" +
		price + " % 100000000))::BIGINT"
}

func readSums(tx *db.Tx, sql string) (sums, error) {
	all := sums{}
	return all, tx.Each(func(r db.Rows) error {
		var warehouse string
		var p parts
		err := r.Scan(&warehouse, &p[0], &p[1], &p[2], &p[3])
		all[warehouse] = p
		return err
	}, sql, tx.Tenant)
}
