package bench

import "bytes"

// putDigits writes n in decimal over all of b, with leading zeros; digits that
// do not fit are dropped from the front.
func putDigits(b []byte, n uint64) {
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = byte('0' + n%10)
		n /= 10
	}
}

// appendDigits appends n in decimal, width digits wide with leading zeros.
func appendDigits(b []byte, n uint64, width int) []byte {
	start := len(b)
	for range width {
		b = append(b, '0')
	}
	putDigits(b[start:], n)
	return b
}

// template is a body that is rendered once; before each request only some
// digits in it are overwritten. Slots are marked by a run of '#'.
type template struct {
	body  []byte
	slots [][]byte // parts of body
}

func newTemplate(body []byte) template {
	t := template{body: body}
	for i := 0; i < len(body); i++ {
		next := bytes.IndexByte(body[i:], '#')
		if next < 0 {
			break
		}
		start := i + next
		for i = start; i < len(body) && body[i] == '#'; i++ {
		}
		t.slots = append(t.slots, body[start:i:i])
	}
	return t
}

// skuOf is the name of the n-th seeded product.
func skuOf(n int) string { return string(appendSKU(nil, n)) }

func appendSKU(b []byte, n int) []byte {
	return appendDigits(append(b, "BENCH-"...), uint64(n), 7)
}
