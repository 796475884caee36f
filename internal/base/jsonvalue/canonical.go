package jsonvalue

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Fingerprint is the SHA-256 of the value in canonical form: members sorted by name, without white space, numbers by
// value (1, 1.0 and 10e-1 are one number), so that two spellings of one body compare equal (interface §4.1,
// Idempotency-Key).
func (v *Value) Fingerprint() string {
	sum := sha256.Sum256(v.canonical(nil))
	return hex.EncodeToString(sum[:])
}

func (v *Value) canonical(b []byte) []byte {
	if v == nil {
		return b
	}
	switch v.Kind {
	case 'n':
		return append(b, "null"...)
	case 't':
		return append(b, "true"...)
	case 'f':
		return append(b, "false"...)
	case '"':
		b, _ = jsontext.AppendQuote(b, v.Text())
		return b
	case '0':
		return append(b, canonicalNumber(string(v.Raw()))...)
	case '[':
		b = append(b, '[')
		for _, value := range v.All {
			b = append(value.canonical(b), ',')
		}
		return append(b, ']')
	}
	type member struct {
		name  string
		value *Value
	}
	var members []member
	for name, value := range v.All {
		members = append(members, member{name.Text(), value})
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	b = append(b, '{')
	for _, m := range members {
		b, _ = jsontext.AppendQuote(b, m.name)
		b = append(b, ':')
		b = append(m.value.canonical(b), ',')
	}
	return append(b, '}')
}

// Source is the value's text: scalars in canonical form, everything else as it was sent.
func (v *Value) Source() string {
	switch v.Kind {
	case '{', '[', '0':
		return string(v.Raw())
	}
	return string(v.canonical(nil))
}

// Same reports whether two texts are the same JSON value in any spelling. Texts that are not JSON must be equal.
func Same(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := Parse([]byte(a))
	y, errY := Parse([]byte(b))
	return errX == nil && errY == nil && x.Fingerprint() == y.Fingerprint()
}

// Integer reads a whole number that written out has at most 16 characters, in any spelling: 2, 2.0 and 1e2 are
// integers.
func (v *Value) Integer() (n int64, ok bool) {
	if v == nil || v.Kind != '0' {
		return 0, false
	}
	return integer(string(v.Raw()))
}

func integer(s string) (int64, bool) {
	if len(s) < 16 && !strings.ContainsAny(s, ".eE") {
		n, err := strconv.ParseInt(s, 10, 64)
		return n, err == nil
	}
	c := canonicalNumber(s)
	digits, power, _ := strings.Cut(c, "e")
	if c == "0" {
		return 0, true
	}
	p, err := strconv.Atoi(power)
	if err != nil || p < 0 || p > 16 || len(digits)+p > 16 {
		return 0, false
	}
	n, err := strconv.ParseInt(digits+strings.Repeat("0", p), 10, 64)
	return n, err == nil
}

// canonicalNumber writes a JSON number as digits and a power of ten, without redundant zeros.
func canonicalNumber(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	number := strings.TrimLeft(whole+fraction, "0")
	if number == "" {
		return "0"
	}
	power, err := strconv.Atoi(exponent)
	if exponent != "" && err != nil || power > math.MaxInt32 || power < math.MinInt32 {
		return sign + s // the exponent is too large: compared as written
	}
	power -= len(fraction)
	trimmed := strings.TrimRight(number, "0")
	power += len(number) - len(trimmed)
	return sign + trimmed + "e" + strconv.Itoa(power)
}
