package sqlite

import "encoding/binary"

func zero(b []byte) bool {
	for len(b) >= 8 {
		if binary.NativeEndian.Uint64(b) != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// unusedBytes are the parts of a b-tree page that belong to no row: the gap between the row pointers and the rows, and
// freed blocks among the rows without their headers. Pages of other kinds, and bytes that do not form a valid page,
// have none.
func unusedBytes(page []byte, first bool) (parts [][]byte) {
	head := 0
	if first {
		head = 100 // the header of the file itself
	}
	if len(page) < 512 {
		return nil
	}
	pointers := head + 8
	switch page[head] {
	case 0x02, 0x05: // inner pages also have a pointer to their last child
		pointers += 4
	case 0x0a, 0x0d:
	default:
		return nil
	}
	number := func(at int) int { return int(binary.BigEndian.Uint16(page[at:])) }
	low, high := pointers+2*number(head+3), number(head+5)
	if high == 0 {
		high = 1 << 16
	}
	if low > high || high > len(page) {
		return nil
	}
	parts = append(parts, page[low:high])
	for block, next := number(head+1), 0; block != 0; block = next {
		if block < high || block+4 > len(page) {
			return nil
		}
		next = number(block)
		size := number(block + 2)
		if size < 4 || block+size > len(page) || next != 0 && next < block+size {
			return nil
		}
		parts = append(parts, page[block+4:block+size])
	}
	return parts
}
