package apijson

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Fingerprint is the SHA-256 of the value in canonical form: members by name, white space gone, numbers by value
// (1, 1.0 and 10e-1 are one number), so that two writings of one body compare equal (interface §4.1, Idempotency-Key).
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
		for _, value := range v.inside {
			b = append(value.canonical(b), ',')
		}
		return append(b, ']')
	}
	type member struct {
		name  string
		value *Value
	}
	var members []member
	for name, value := range v.inside {
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

// canonicalNumber writes a JSON number as digits and a power of ten, without zeros that do not count.
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
		return sign + s // an exponent beyond counting: compared as written
	}
	power -= len(fraction)
	trimmed := strings.TrimRight(number, "0")
	power += len(number) - len(trimmed)
	return sign + trimmed + "e" + strconv.Itoa(power)
}
