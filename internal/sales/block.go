package sales

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"
)

// Sum is a quantity and an amount sold: Big·10^8 + Small in 1/10,000 of the currency's unit, because a sum of amounts
// may need more than 63 bits.
type Sum struct{ Quantity, Big, Small int64 }

func (s *Sum) add(more Sum) {
	s.Quantity += more.Quantity
	s.Big += more.Big
	s.Small += more.Small
}

// compare compares sums by amount, then by quantity.
func (s Sum) compare(other Sum) int {
	a, b := s.Big+s.Small/addUp, other.Big+other.Small/addUp
	switch {
	case a != b:
		return sign(a - b)
	case s.Small%addUp != other.Small%addUp:
		return sign(s.Small%addUp - other.Small%addUp)
	}
	return sign(s.Quantity - other.Quantity)
}

func sign(n int64) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

// addUp is the divisor that splits an amount into these two parts.
const addUp = 100_000_000

// item is a SKU in a currency: by its number, or by its text if it has none.
type item struct {
	currency string
	number   int64 // -1 for none
	sku      string
}

// sold receives a sum of an item.
type sold func(i item, s Sum)

// encode packs sums of items with numbers: by currency, in the order of the numbers, each number as the difference to
// the one before.
func encode(sums map[item]Sum) []byte {
	byCurrency := map[string][]item{}
	for i := range sums {
		byCurrency[i.currency] = append(byCurrency[i.currency], i)
	}
	var body []byte
	for _, currency := range slices.Sorted(maps.Keys(byCurrency)) {
		list := byCurrency[currency]
		slices.SortFunc(list, func(a, b item) int { return sign(a.number - b.number) })
		body = binary.AppendUvarint(body, uint64(len(currency)))
		body = append(body, currency...)
		body = binary.AppendUvarint(body, uint64(len(list)))
		last := int64(0)
		for _, i := range list {
			s := sums[i]
			body = binary.AppendUvarint(body, uint64(i.number-last))
			body = binary.AppendUvarint(body, uint64(s.Quantity))
			body = binary.AppendVarint(body, s.Big)
			body = binary.AppendVarint(body, s.Small)
			last = i.number
		}
	}
	return body
}

var errBroken = errors.New("sales: a block is broken")

// decode unpacks a block.
func decode(body []byte, each sold) error {
	for len(body) > 0 {
		size, n := binary.Uvarint(body)
		if n <= 0 || size > uint64(len(body)-n) {
			return errBroken
		}
		i := item{currency: string(body[n : n+int(size)])}
		body = body[n+int(size):]
		count, n := binary.Uvarint(body)
		if n <= 0 {
			return errBroken
		}
		body = body[n:]
		for range count {
			distance, n := binary.Uvarint(body)
			quantity, m := binary.Uvarint(body[max(n, 0):])
			if n <= 0 || m <= 0 {
				return errBroken
			}
			body = body[n+m:]
			big, n := binary.Varint(body)
			small, m := binary.Varint(body[max(n, 0):])
			if n <= 0 || m <= 0 {
				return errBroken
			}
			body = body[n+m:]
			i.number += int64(distance)
			each(i, Sum{int64(quantity), big, small})
		}
	}
	return nil
}
