package sales

import (
	"cmp"
	"errors"
	"slices"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Seller is a SKU and what was sold of it.
type Seller struct {
	SKU     string
	Product id.Product // "" if no product has the SKU
	Name    string     // of the product, or of a line if the product was deleted
	Sum                // the quantity in all currencies, the amount in one

	order id.Order // an order with the SKU
}

// mostTies limits how many SKUs with equal sums are sorted by name when not all of them are among the best.
const mostTies = 1000

// Best are the SKUs with the greatest amount in a currency, then the greatest quantity, then by SKU, of orders from
// one time to before another that are not cancelled.
func Best(tx *db.Tx, currency string, from, to int64, most int) ([]Seller, error) {
	var numbered []Sum // by number
	loose := map[string]Sum{}
	c, err := collect(tx, from, to, months, func(i item, s Sum) {
		if i.currency != currency {
			s.Big, s.Small = 0, 0
		}
		if i.number < 0 {
			sum := loose[i.sku]
			sum.add(s)
			loose[i.sku] = sum
			return
		}
		if grow := int(i.number) + 1 - len(numbered); grow > 0 {
			numbered = slices.Grow(numbered, grow)[:i.number+1]
		}
		numbered[i.number].add(s)
	})
	if err != nil {
		return nil, err
	}
	numbers := best(numbered, most)
	list, err := named(tx, numbered, numbers)
	if err != nil {
		return nil, err
	}
	for sku, sum := range loose {
		list = append(list, Seller{SKU: sku, Sum: sum, order: c.orderOf[sku]})
	}
	slices.SortFunc(list, func(a, b Seller) int { return cmp.Or(b.compare(a.Sum), cmp.Compare(a.SKU, b.SKU)) })
	list = list[:min(most, len(list))]
	return list, products(tx, list)
}

// best are the indexes of the greatest sums, not sorted, and of some that are equal to the least of them.
func best(sums []Sum, most int) []int64 {
	top := make([]Sum, 0, most+1) // the greatest first
	for _, s := range sums {
		if s.Quantity == 0 || len(top) == most && s.compare(top[most-1]) <= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, s, func(a, b Sum) int { return b.compare(a) })
		if top = slices.Insert(top, at, s); len(top) > most {
			top = top[:most]
		}
	}
	if len(top) == 0 {
		return nil
	}
	var chosen []int64
	least, ties := top[len(top)-1], 0
	for number, s := range sums {
		if s.Quantity == 0 {
			continue
		}
		switch s.compare(least) {
		case 1:
			chosen = append(chosen, int64(number))
		case 0:
			if ties++; ties <= mostTies {
				chosen = append(chosen, int64(number))
			}
		}
	}
	return chosen
}

// named reads the SKUs of numbers.
func named(tx *db.Tx, sums []Sum, numbers []int64) (list []Seller, err error) {
	return list, db.Chunks(numbers, func(piece []int64) error {
		args := []any{tx.Tenant}
		for _, n := range piece {
			args = append(args, n)
		}
		return tx.Each(func(r db.Rows) error {
			var number int64
			var s Seller
			err := r.Scan(&number, &s.SKU, &s.order)
			if err == nil {
				s.Sum = sums[number]
			}
			list = append(list, s)
			return err
		}, "WITH v(number) AS (VALUES "+db.Values(len(piece), 1, 2, "::BIGINT")+`) SELECT s.number, s.sku, s.order_id
			FROM v CROSS JOIN sold_skus s WHERE s.tenant_id = $1 AND s.number = v.number`, args...)
	})
}

// products finds the products that have the SKUs now; if none has, the product of an order line.
func products(tx *db.Tx, list []Seller) error {
	for i := range list {
		s := &list[i]
		s.Name = s.SKU
		err := tx.Row(`SELECT p.id, p.name FROM skus k JOIN products p ON p.tenant_id = $1 AND p.id = k.product_id
			WHERE k.tenant_id = $1 AND k.sku = $2`, []any{tx.Tenant, s.SKU}, &s.Product, &s.Name)
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
