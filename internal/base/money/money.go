// Package money holds exact amounts, without floats (interface §2, "Money").
//
//	Amount  an integer of 1/10,000 of a currency's unit
//	Total   a sum of many amounts, which may be larger than an Amount
package money

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Amount is a sum of money in 1/10,000 of the unit, never a float. A percentage (taxRate) has the
// same scale: 20 % is 200,000.
type Amount int64

// Scale is how many Amount make one unit; Max is the largest accepted amount (11 integer digits).
const (
	Scale        = 10_000
	Max   Amount = 100_000_000_000*Scale - 1
)

// Errors of Parse; their texts are shown to the caller.
var (
	ErrNotDecimal = errors.New("must be a decimal number")
	ErrDecimals   = errors.New("must have at most 4 decimals")
	ErrTooBig     = errors.New("must have at most 11 integer digits")
	ErrNegative   = errors.New("must not be negative")
)

// Parse parses a JSON number or a decimal string, exponents included ("1e2", "2.50"), exactly: at most 4 decimals
// without trailing zeros, and 11 integer digits. A number within 1e-9 of four decimals is that number, because programs
// that compute with binary floats write 19.99 as 19.989999999999998.
func Parse(s string) (Amount, error) {
	text, negative := s, false
	if strings.HasPrefix(text, "-") {
		text, negative = text[1:], true
	}
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		e, err := strconv.Atoi(text[i+1:])
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return 0, ErrNotDecimal
		}
		mantissa, exponent = text[:i], max(min(e, 1000), -1000)
	}
	whole, fraction, dot := strings.Cut(mantissa, ".")
	if whole == "" || dot && fraction == "" || !digits(whole) || !digits(fraction) {
		return 0, ErrNotDecimal
	}
	number := strings.TrimLeft(whole+fraction, "0")
	decimals := len(fraction) - exponent
	for decimals > 0 && strings.HasSuffix(number, "0") {
		number, decimals = number[:len(number)-1], decimals-1
	}
	switch {
	case number == "":
		return 0, nil
	case len(number)-decimals > 11:
		return 0, ErrTooBig
	}
	var up int64
	if decimals > 4 {
		var noise bool
		if number, up, noise = cutNoise(number, decimals-4); !noise {
			return 0, ErrDecimals
		}
		decimals = 4
	}
	n, err := strconv.ParseInt("0"+number+strings.Repeat("0", 4-decimals), 10, 64)
	n += up
	if err != nil || n > int64(Max) {
		return 0, ErrTooBig
	}
	if negative {
		n = -n
	}
	return Amount(n), nil
}

// cutNoise cuts the last digits off a number, which begins after its leading zeros, if they lie within 0.00001 of a
// whole: of four decimals, that is 1e-9. up is 1 if the whole is the next one.
func cutNoise(number string, digits int) (kept string, up int64, ok bool) {
	if missing := digits - len(number); missing > 0 {
		number = strings.Repeat("0", min(missing, 6)) + number // more zeros say nothing else
		digits = min(digits, len(number))
	}
	kept, cut := number[:len(number)-digits], number[len(number)-digits:]
	switch {
	case strings.HasPrefix(cut, "99999"):
		return kept, 1, true
	case strings.HasPrefix(cut, "00000"), cut == "00001":
		return kept, 0, true
	}
	return kept, 0, false
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// AppendTo writes the amount as the shortest exact decimal: 49.9, 0.0001, -3.
func (a Amount) AppendTo(b []byte) []byte {
	n := uint64(a)
	if a < 0 {
		b, n = append(b, '-'), uint64(-a)
	}
	b = strconv.AppendUint(b, n/Scale, 10)
	if rest := n % Scale; rest != 0 {
		text := strconv.Itoa(int(Scale + rest))
		b = append(b, '.')
		b = append(b, strings.TrimRight(text[1:], "0")...)
	}
	return b
}

// String is the shortest exact decimal.
func (a Amount) String() string { return string(a.AppendTo(nil)) }

// MarshalJSON writes the amount as a JSON number.
func (a Amount) MarshalJSON() ([]byte, error) { return a.AppendTo(nil), nil }

// UnmarshalJSON reads an amount that MarshalJSON wrote.
func (a *Amount) UnmarshalJSON(text []byte) (err error) {
	*a, err = Parse(string(text))
	return err
}

// Unit is one of the last of so many decimals (0 to 4).
func Unit(decimals int) Amount {
	unit := Amount(1)
	for range 4 - decimals {
		unit *= 10
	}
	return unit
}

// Round rounds half away from zero to the given number of decimals (0 to 4).
func (a Amount) Round(decimals int) Amount {
	unit := Unit(decimals)
	half := unit / 2
	if a < 0 {
		half = -half
	}
	return (a + half) / unit * unit
}

// Text is the amount with exactly the currency's minor digits: "49.90", "4990", "4.990".
func (a Amount) Text(code string) string {
	decimals := Digits(code)
	a = a.Round(decimals)
	sign, n := "", uint64(a)
	if a < 0 {
		sign, n = "-", uint64(-a)
	}
	if decimals == 0 {
		return fmt.Sprintf("%s%d", sign, n/Scale)
	}
	return fmt.Sprintf("%s%d.%s", sign, n/Scale, fmt.Sprintf("%04d", n%Scale)[:decimals])
}

// Times multiplies by a quantity that is not negative; ok is false if the product exceeds Max.
func (a Amount) Times(quantity int64) (product Amount, ok bool) {
	n := uint64(a)
	if a < 0 {
		n = uint64(-a)
	}
	high, low := bits.Mul64(n, uint64(quantity))
	if high != 0 || low > uint64(Max) {
		return 0, false
	}
	if a < 0 {
		return -Amount(low), true
	}
	return Amount(low), true
}

// Per is the amount divided by a quantity above zero, rounded half away from zero to four decimals.
func (a Amount) Per(quantity int64) Amount {
	half := Amount(quantity / 2)
	if a < 0 {
		half = -half
	}
	return (a + half) / Amount(quantity)
}

// Percent is a × rate / 100, with rate in the same scale (20 % = 200,000), rounded half away from
// zero to the given decimals.
func (a Amount) Percent(rate Amount, decimals int) Amount {
	negative := (a < 0) != (rate < 0)
	abs := func(v Amount) uint64 {
		if v < 0 {
			return uint64(-v)
		}
		return uint64(v)
	}
	step := uint64(1) // Amounts in one step of the wanted precision
	for range 4 - decimals {
		step *= 10
	}
	divisor := 100 * Scale * step
	high, low := bits.Mul64(abs(a), abs(rate))
	low, carry := bits.Add64(low, divisor/2, 0)
	high += carry
	if high >= divisor {
		return Max + 1 // larger than any valid total, so the caller's bound refuses it
	}
	quotient, _ := bits.Div64(high, low, divisor)
	if quotient > uint64(Max)/step {
		return Max + 1
	}
	if negative {
		return -Amount(quotient * step)
	}
	return Amount(quotient * step)
}
