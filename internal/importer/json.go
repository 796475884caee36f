package importer

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"
)

// The hot path writes JSON by appending: no reflection, no allocation per row.

const hexDigits = "0123456789abcdef"

// appendText appends s as a JSON string. Bytes that are no UTF-8 become U+FFFD.
func appendText[T ~string | ~[]byte](b []byte, s T) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			if r, size := decodeRune(s[i:]); r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		b = append(b, s[from:i]...)
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\r':
			b = append(b, '\\', 'r')
		case c == '\t':
			b = append(b, '\\', 't')
		case c == listMark: // between the elements of a JSON list
			b = append(b, ", "...)
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			b = append(b, "\uFFFD"...)
		}
		i++
		from = i
	}
	b = append(b, s[from:]...)
	return append(b, '"')
}

func decodeRune[T ~string | ~[]byte](s T) (rune, int) {
	var few [utf8.UTFMax]byte
	return utf8.DecodeRune(few[:copy(few[:], s[:min(len(s), utf8.UTFMax)])])
}

// object appends the members of one JSON object.
type object struct {
	b     []byte
	first bool
}

func openObject(b []byte) object { return object{b: append(b, '{'), first: true} }

// key appends a member's name, which needs no escaping.
func (o *object) key(name string) {
	if !o.first {
		o.b = append(o.b, ',')
	}
	o.first = false
	o.b = append(o.b, '"')
	o.b = append(o.b, name...)
	o.b = append(o.b, '"', ':')
}

func (o *object) text(name string, value []byte) {
	o.key(name)
	o.b = appendText(o.b, value)
}

// textIf leaves out an empty value.
func (o *object) textIf(name string, value []byte) {
	if len(value) > 0 {
		o.text(name, value)
	}
}

// words appends the words of a text that are separated by commas; of none it leaves the member out.
func (o *object) words(name string, text []byte) {
	n := 0
	for word := range bytes.SplitSeq(text, []byte(",")) {
		if word = bytes.TrimSpace(word); len(word) == 0 {
			continue
		}
		if n == 0 {
			o.key(name)
		}
		o.b = appendText(appendNext(o.b, n), word)
		n++
	}
	if n > 0 {
		o.b = append(o.b, ']')
	}
}

func (o *object) integer(name string, value int64) {
	o.key(name)
	o.b = strconv.AppendInt(o.b, value, 10)
}

// pairs appends an object of texts; names are free. Of two members of one name the first counts, as
// a name must not come twice in an object.
func (o *object) pairs(name string, pairs []pair) {
	if len(pairs) == 0 {
		return
	}
	o.key(name)
	o.b = append(o.b, '{')
	for i, p := range pairs {
		if slices.ContainsFunc(pairs[:i], func(before pair) bool { return before.name == p.name }) {
			continue
		}
		if i > 0 {
			o.b = append(o.b, ',')
		}
		o.b = appendText(o.b, p.name)
		o.b = append(o.b, ':')
		o.b = appendText(o.b, p.value)
	}
	o.b = append(o.b, '}')
}

func (o *object) close() []byte { return append(o.b, '}') }

// appendNext opens a list before its first element and separates the others.
func appendNext(b []byte, i int) []byte {
	if i == 0 {
		return append(b, '[')
	}
	return append(b, ',')
}

// pair is a member of a free object: an attribute, an address line, a note for the books.
type pair struct {
	name  string
	value []byte
}

func decimalText(n int64) string { return strconv.FormatInt(n, 10) }
