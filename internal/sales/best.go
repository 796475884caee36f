package sales

import (
	"cmp"
	"errors"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Seller is a SKU with the quantity and amount sold.
type Seller struct {
	SKU     string
	Product id.Product // "" if no product has the SKU
	Name    string     // of the product, or of a line if the product was deleted
	Sum                // the quantity in all currencies, the amount in one

	order id.Order // an order with the SKU
}

// mostTies limits how many SKUs with equal sums are sorted by name when not all of them are among the best.
const mostTies = 1000

// Best returns the SKUs with the greatest amount in a currency, then the greatest quantity, then by SKU. It counts the
// orders from one time to before another that are not cancelled.
func Best(tx *db.Tx, currency string, from, to int64, most int) ([]Seller, error) {
	best := ranking{most: most}
	m, c := newMerger(tx, currency)
	err := c.stretch(months, max(from, 0), to)
	if err == nil {
		err = m.merge(best.add)
	}
	if err != nil {
		return nil, err
	}
	list, err := named(tx, best.chosen())
	if err != nil {
		return nil, err
	}
	for sku, sum := range m.loose {
		list = append(list, Seller{SKU: sku, Sum: sum, order: c.orderOf[sku]})
	}
	slices.SortFunc(list, func(a, b Seller) int { return cmp.Or(b.compare(a.Sum), cmp.Compare(a.SKU, b.SKU)) })
	list = list[:min(most, len(list))]
	return list, products(tx, list)
}

// newMerger returns a merger, and the collector that passes sums to the merger.
func newMerger(tx *db.Tx, currency string) (*merger, *collector) {
	m := &merger{currency: currency, lines: map[int64]Sum{}, loose: map[string]Sum{}}
	c := &collector{tx: tx, orderOf: map[string]id.Order{}, block: m.take}
	c.sold = func(i item, s Sum) {
		if i.currency != currency {
			s.Big, s.Small = 0, 0
		}
		if i.number < 0 {
			sum := m.loose[i.sku]
			sum.add(s)
			m.loose[i.sku] = sum
			return
		}
		sum := m.lines[i.number]
		sum.add(s)
		m.lines[i.number] = sum
	}
	return m, c
}

// numbered is the sum of a SKU, which its number stands for.
type numbered struct {
	number int64
	Sum
}

// ranking selects the greatest of any number of sums, and some sums equal to the least of these.
type ranking struct {
	most int
	top  []Sum      // the greatest so far, in order
	list []numbered // candidates for the greatest, in the order in which they came
}

func (r *ranking) add(n numbered) {
	full := len(r.top) == r.most
	if full && n.compare(r.top[r.most-1]) < 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(r.top, n.Sum, func(a, b Sum) int { return b.compare(a) })
	if !full {
		r.top = slices.Insert(r.top, at, n.Sum)
	} else if at < r.most {
		copy(r.top[at+1:], r.top[at:])
		r.top[at] = n.Sum
	}
	if r.list = append(r.list, n); len(r.list) >= 4*(r.most+mostTies) {
		r.list = r.chosen()
	}
}

// chosen returns the sums that are greater than the least of the greatest, and the first of the sums equal to it.
func (r *ranking) chosen() []numbered {
	ties := 0
	return slices.DeleteFunc(r.list, func(n numbered) bool {
		switch n.compare(r.top[len(r.top)-1]) {
		case 1:
			return false
		case 0:
			ties++
			return ties > mostTies
		}
		return true
	})
}

// named reads the SKUs of numbers.
func named(tx *db.Tx, sums []numbered) (list []Seller, err error) {
	sumOf := make(map[int64]Sum, len(sums))
	for _, s := range sums {
		sumOf[s.number] = s.Sum
	}
	return list, db.Chunks(sums, func(piece []numbered) error {
		args := []any{tx.Tenant}
		for _, s := range piece {
			args = append(args, s.number)
		}
		return tx.Each(func(r db.Rows) error {
			var number int64
			var s Seller
			err := r.Scan(&number, &s.SKU, &s.order)
			s.Sum = sumOf[number]
			list = append(list, s)
			return err
		}, "WITH v(number) AS (VALUES "+db.Values(len(piece), 1, 2, "::BIGINT")+`) SELECT s.number, s.sku, s.order_id
			FROM v CROSS JOIN sold_skus s WHERE s.tenant_id = $1 AND s.number = v.number`, args...)
	})
}

// products finds the products that have the SKUs now. For a SKU without a product it finds the last product that had
// the SKU: by its levels, which outlive a product, or by an order line. The order that is stored with a SKU may have
// lost the line, or may be gone with its channel.
func products(tx *db.Tx, list []Seller) error {
	at := make(map[string]*Seller, len(list))
	args := []any{tx.Tenant}
	for i := range list {
		s := &list[i]
		s.Name, at[s.SKU] = s.SKU, s
		args = append(args, s.SKU)
	}
	if len(list) == 0 {
		return nil
	}
	err := tx.Each(func(r db.Rows) error {
		var sku, name string
		var product id.Product
		err := r.Scan(&sku, &product, &name)
		if s := at[sku]; s != nil {
			s.Product, s.Name = product, name
		}
		return err
	}, `SELECT k.sku, p.id, p.name FROM skus k JOIN products p ON p.tenant_id = $1 AND p.id = k.product_id
		WHERE k.tenant_id = $1 AND k.sku IN `+db.In(len(list), 2), args...)
	if err != nil {
		return err
	}
	for i := range list {
		s := &list[i]
		if s.Product != "" {
			continue
		}
		err := tx.Row(`SELECT l.product_id, p.name FROM stock_levels l JOIN products p ON p.tenant_id = $1 AND p.id = l.product_id
			WHERE l.tenant_id = $1 AND l.sku = $2 ORDER BY l.changed_at DESC LIMIT 1`, []any{tx.Tenant, s.SKU}, &s.Product, &s.Name)
		if errors.Is(err, db.ErrNoRow) {
			err = tx.Row(`SELECT l.product_id, coalesce(p.name, l.name)
				FROM order_lines l LEFT JOIN products p ON p.tenant_id = $1 AND p.id = l.product_id
				WHERE l.tenant_id = $1 AND l.order_id = $2::UUID AND l.sku = $3 ORDER BY l.position LIMIT 1`,
				[]any{tx.Tenant, s.order, s.SKU}, db.Opt(&s.Product), &s.Name)
		}
		if err != nil && !errors.Is(err, db.ErrNoRow) {
			return err
		}
	}
	return nil
}
