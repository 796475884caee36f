package sales

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"math/bits"
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

// item is a SKU in a currency. A SKU with a number is identified by the number, another one by its text.
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

// section is the unread part of the sums of one currency in a block.
type section struct {
	currency string
	body     []byte
	left     int64 // how many sums are unread
	last     int64 // number of the sum before them
}

// sections divides a block.
func sections(body []byte) (list []section, err error) {
	for len(body) > 0 {
		size, n := binary.Uvarint(body)
		if n <= 0 || size > uint64(len(body)-n) {
			return nil, errBroken
		}
		s := section{currency: string(body[n : n+int(size)])}
		body = body[n+int(size):]
		count, n := binary.Uvarint(body)
		if n <= 0 || count > uint64(len(body)) {
			return nil, errBroken
		}
		body, s.left = body[n:], int64(count)
		end := afterVarints(body, 4*int(count))
		if end < 0 {
			return nil, errBroken
		}
		s.body, body = body[:end], body[end:]
		list = append(list, s)
	}
	return list, nil
}

// afterVarints returns the position after some varints, -1 if there are fewer: each varint ends with its only byte
// below 0x80.
func afterVarints(body []byte, n int) int {
	const ends = 0x8080808080808080
	at := 0
	for ; n >= 32 && at+32 <= len(body); at += 32 {
		four := body[at : at+32]
		n -= bits.OnesCount64(^binary.LittleEndian.Uint64(four)&ends | (^binary.LittleEndian.Uint64(four[8:])&ends)>>1 |
			(^binary.LittleEndian.Uint64(four[16:])&ends)>>2 | (^binary.LittleEndian.Uint64(four[24:])&ends)>>3)
	}
	for ; n >= 8 && at+8 <= len(body); at += 8 {
		n -= bits.OnesCount64(^binary.LittleEndian.Uint64(body[at:]) & 0x8080808080808080)
	}
	for ; n > 0 && at < len(body); at++ {
		if body[at] < 0x80 {
			n--
		}
	}
	if n > 0 {
		return -1
	}
	return at
}

// next reads the next sums of numbers below an end, as many as there is room for. Its state is in local variables,
// because it runs a million times.
func (s *section) next(end int64, into []numbered) (n int, err error) {
	body, last, left := s.body, s.last, s.left
	for n < len(into) && left > 0 {
		var distance, quantity, big, small uint64
		size := 0
		if len(body) >= 8 { // most have a byte or two for the first, one each for the next two, and up to five for the last
			word := binary.LittleEndian.Uint64(body)
			distance = word & 0x7f
			if word&0x8080 == 0x80 {
				distance |= word >> 1 & (0x7f << 7)
				word, size = word>>8, 1
			}
			rest := word >> 24
			if ends := ^rest & (0x8080808080 >> (8 * size)); word&0x808080 == 0 && ends != 0 {
				bytes := bits.TrailingZeros64(ends)/8 + 1
				rest &= 1<<(8*bytes) - 1
				quantity, big = word>>8&0x7f, word>>16&0x7f
				small = rest&0x7f | rest>>1&(0x7f<<7) | rest>>2&(0x7f<<14) | rest>>3&(0x7f<<21) | rest>>4&(0x7f<<28)
				size += 3 + bytes
			} else {
				size = 0
			}
		}
		if size == 0 {
			if distance, quantity, big, small, size = longEntry(body); size < 0 {
				return 0, errBroken
			}
		}
		if last+int64(distance) >= end {
			break
		}
		body, last, left = body[size:], last+int64(distance), left-1
		into[n] = numbered{last, Sum{int64(quantity), unzigzag(big), unzigzag(small)}}
		n++
	}
	s.body, s.last, s.left = body, last, left
	return n, nil
}

// longEntry reads an entry of any size; size is -1 if it is broken.
func longEntry(body []byte) (distance, quantity, big, small uint64, size int) {
	var values [4]uint64
	for i := range values {
		value, n := binary.Uvarint(body[size:])
		if n <= 0 {
			return 0, 0, 0, 0, -1
		}
		values[i], size = value, size+n
	}
	return values[0], values[1], values[2], values[3], size
}

// batch is how many sums are read at once.
const batch = 256

// unzigzag returns the number that binary.AppendVarint has written as an unsigned one.
func unzigzag(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }

// decode unpacks a block.
func decode(body []byte, each sold) error {
	list, err := sections(body)
	sums := make([]numbered, batch)
	for i := range list {
		if err != nil {
			break
		}
		s := &list[i]
		for s.left > 0 && err == nil {
			var n int
			n, err = s.next(math.MaxInt64, sums)
			for _, e := range sums[:n] {
				each(item{currency: s.currency, number: e.number}, e.Sum)
			}
		}
	}
	return err
}

// window is how many numbers are summed at once: their sums fit into a processor's cache.
const window = 1 << 14

// merger sums blocks, and lines of SKUs with a number.
type merger struct {
	currency string // amounts of other currencies do not count
	sections []section
	lines    map[int64]Sum
	loose    map[string]Sum // sums of SKUs without a number, which merge leaves out
}

// take adds a block.
func (m *merger) take(body []byte) error {
	list, err := sections(body)
	m.sections = append(m.sections, list...)
	return err
}

// merge calls each for the sum of every SKU, in the order of the numbers.
func (m *merger) merge(each func(numbered)) error {
	most := slices.Max(append(slices.Collect(maps.Keys(m.lines)), 0))
	sums, read := make([]Sum, window), make([]numbered, batch)
	for from := int64(0); ; from += window {
		more := from <= most
		for i := range m.sections {
			s := &m.sections[i]
			counts := s.currency == m.currency
			for n := batch; n == batch; {
				var err error
				if n, err = s.next(from+window, read); err != nil {
					return err
				}
				for _, e := range read[:n] {
					to := &sums[e.number-from]
					if to.Quantity += e.Quantity; counts {
						to.Big += e.Big
						to.Small += e.Small
					}
				}
			}
			more = more || s.left > 0
		}
		for number := range m.lines {
			if number >= from && number < from+window {
				sums[number-from].add(m.lines[number])
			}
		}
		for i := range sums {
			if sums[i].Quantity != 0 {
				each(numbered{from + int64(i), sums[i]})
				sums[i] = Sum{}
			}
		}
		if !more {
			return nil
		}
	}
}
