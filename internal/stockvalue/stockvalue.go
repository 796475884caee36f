// Package stockvalue computes the value of an account's stock, by warehouse: on-hand times the selling price of
// product or variant, over all levels that are not deleted; a negative on-hand counts as 0 (interface §4.5.11).
//
//	stockvalue.go  Read: the sums of the view, corrected by what changed since
//	levels.go      what levels add now, and what they add to the sums
//	view.go        the view (package view): updates the sums with what changed, and compares them with the levels
package stockvalue

import (
	"entrepot/internal/base/money"
	"entrepot/internal/db"
)

// scanFrom is the number of later changes from which a read sums all levels instead of correcting the sums of the
// view. Tests lower it.
var scanFrom = 50_000

// Read returns the value of each warehouse's stock, by the warehouse's code; a warehouse without value may be missing.
func Read(tx *db.Tx) (map[string]money.Total, error) {
	until, err := View.Until(tx)
	if err != nil {
		return nil, err
	}
	to, more, err := View.Reach(tx, until, scanFrom)
	if err != nil {
		return nil, err
	}
	if more || until == 0 {
		return scan(tx)
	}
	all, err := readSums(tx, storedSums)
	if err != nil {
		return nil, err
	}
	skus, err := changedSKUs(tx, until, to)
	if err == nil {
		err = eachLevel(tx, skus, func(l level) { all.replace(&l) })
	}
	return all.totals(), err
}

const storedSums = "SELECT warehouse_code, ac, ad, bc, bd FROM stock_values WHERE tenant_id = $1"

// parts is a sum of products of quantities and prices, which may need more than 63 bits: with on-hand = a·10^5 + b and
// price = c·10^8 + d, the sums of a·c, a·d, b·c and b·d, which cannot overflow for hundreds of thousands of the
// greatest values.
type parts [4]int64

// zeros has the powers of ten of the parts.
var zeros = [4]int{13, 5, 8, 0}

// add adds a quantity at a price, or subtracts it (sign -1).
func (p *parts) add(onHand, price, sign int64) {
	a, b, c, d := onHand/100_000, onHand%100_000, price/100_000_000, price%100_000_000
	for i, product := range [4]int64{a * c, a * d, b * c, b * d} {
		p[i] += sign * product
	}
}

// sums has the parts by warehouse.
type sums map[string]parts

// replace replaces what a level has added to the sums by what it adds now.
func (s sums) replace(l *level) {
	p := s[l.warehouse]
	p.add(l.onHand, l.price, 1)
	p.add(l.added.onHand, l.added.price, -1)
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

// scan sums every level.
func scan(tx *db.Tx) (map[string]money.Total, error) {
	all, err := readSums(tx, "SELECT l.warehouse_code, "+sumsOf("l.on_hand", "coalesce(v.price, p.price, 0)")+` FROM stock_levels l
		LEFT JOIN products p ON p.tenant_id = l.tenant_id AND p.id = l.product_id
		LEFT JOIN variants v ON v.tenant_id = l.tenant_id AND v.product_id = l.product_id AND v.id = l.variant_id
		WHERE l.tenant_id = $1 AND l.deleted_at IS NULL AND l.on_hand > 0 GROUP BY l.warehouse_code`)
	return all.totals(), err
}

// sumsOf returns the SQL of the parts of a sum over rows.
func sumsOf(onHand, price string) string {
	a, b, c, d := onHand+" / 100000", onHand+" % 100000", price+" / 100000000", price+" % 100000000"
	part := func(quantity, price string) string { return "sum(" + quantity + " * (" + price + "))::BIGINT" }
	return part(a, c) + ", " + part(a, d) + ", " + part(b, c) + ", " + part(b, d)
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
