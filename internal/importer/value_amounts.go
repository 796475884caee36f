package importer

import (
	"bytes"
	"errors"
	"math"
	"unicode"
	"unicode/utf8"

	"entrepot/internal/base/money"
)

var (
	errNoNumber = errors.New("is not a number")
	errGrouping = errors.New("has separators that do not fit the other amounts of its column; --decimal point or --decimal comma says " +
		"which sign begins the decimals")
	errNegative  = errors.New("is below zero")
	errTooBig    = errors.New("has more than 11 integer digits")
	errFraction  = errors.New("is not a whole number")
	errQuantity  = errors.New("is beyond what a quantity may be")
	errCurrency  = errors.New("holds more than a number and a currency")
	minusSymbols = []string{"-", "\u2212", "\u2013"}
)

// amountText is the parsed text of an amount's cell.
type amountText struct {
	value    money.Amount
	currency []byte // the text around the number: "Dhs", "gbp", "€"; a part of the cell
	rounded  bool   // the cell had more than 4 decimals that count
}

// parseAmount parses an amount as people and programs write it: "50", "49.90", "Dhs 1,050", "69.71 gbp", "1'234.50",
// "€ 1.234,56" (decimal ','), "(5.00)" and "5-" for negative ones. decimal is the sign before the decimals; other
// signs may only group digits.
func parseAmount(cell []byte, decimal byte) (amountText, error) {
	if value, ok := plainAmount(cell, decimal); ok {
		return amountText{value: value}, nil
	}
	cell = bytes.TrimSpace(cell)
	first := bytes.IndexAny(cell, "0123456789")
	if first < 0 {
		return amountText{}, errNoNumber
	}
	last := bytes.LastIndexAny(cell, "0123456789")
	if first > 0 && cell[first-1] == decimal && !endsInLetter(cell[:first-1]) { // ".5", but not "Rs.5"
		first--
	}
	before, number, after := cell[:first], cell[first:last+1], cell[last+1:]
	if bytes.ContainsAny(number, "eE") {
		value, err := money.Parse(string(cell))
		if err != nil {
			return amountText{}, errNoNumber
		}
		return amountText{value: value}, nil
	}
	negative, before, after := cutSign(before, after)
	currency, err := currencyOf(before, after)
	if err != nil {
		return amountText{}, err
	}
	value, rounded, err := grouped(number, decimal)
	if negative {
		value = -value
	}
	return amountText{value: value, currency: currency, rounded: rounded}, err
}

func endsInLetter(text []byte) bool {
	last, _ := utf8.DecodeLastRune(text)
	return unicode.IsLetter(last)
}

// plainAmount is the fast path for what most files have: digits, at most one decimal sign, at most 4 decimals.
func plainAmount(cell []byte, decimal byte) (money.Amount, bool) {
	if len(cell) == 0 || len(cell) > 15 {
		return 0, false
	}
	var n money.Amount
	decimals, digits := -1, 0
	for i, c := range cell {
		switch {
		case c >= '0' && c <= '9':
			n = n*10 + money.Amount(c-'0')
			digits++
			if decimals >= 0 {
				decimals++
			}
		case c == decimal && decimals < 0 && i > 0:
			decimals = 0
		default:
			return 0, false
		}
	}
	if decimals == 0 || decimals > 4 || digits-max(decimals, 0) > 11 {
		return 0, false
	}
	for range 4 - max(decimals, 0) {
		n *= 10
	}
	return n, true
}

// cutSign removes the sign from the texts around a number: "-5", "- € 5", "5-", "(5)". The dash of "595,-" replaces
// decimals and is no sign.
func cutSign(before, after []byte) (negative bool, b, a []byte) {
	if bytes.HasPrefix(after, []byte(",-")) || bytes.HasPrefix(after, []byte(".-")) {
		after = bytes.TrimLeft(after[1:], "-\u2013")
	}
	before, after = bytes.TrimSpace(before), bytes.TrimSpace(after)
	if bytes.HasPrefix(before, []byte("(")) && bytes.HasSuffix(after, []byte(")")) {
		return true, bytes.TrimSpace(before[1:]), bytes.TrimSpace(after[:len(after)-1])
	}
	for _, minus := range minusSymbols {
		switch m := []byte(minus); {
		case bytes.HasPrefix(before, m):
			return true, bytes.TrimSpace(before[len(m):]), after
		case bytes.HasSuffix(before, m):
			return true, bytes.TrimSpace(before[:len(before)-len(m)]), after
		case bytes.Equal(after, m):
			return true, before, nil
		}
	}
	return false, bytes.TrimPrefix(before, []byte("+")), after
}

// currencyOf accepts a short word or symbol on one side of the number.
func currencyOf(before, after []byte) ([]byte, error) {
	before, after = bytes.TrimSpace(before), bytes.TrimSpace(after)
	if len(before) > 0 && len(after) > 0 {
		return nil, errCurrency
	}
	text := before
	if len(text) == 0 {
		text = after
	}
	if utf8.RuneCount(text) > 8 {
		return nil, errCurrency
	}
	if len(after) == 1 && after[0] == '.' { // "5."
		return nil, nil
	}
	named := len(text) == 0
	for i, w := 0, 0; i < len(text); i += w {
		var r rune
		r, w = utf8.DecodeRune(text[i:])
		if !unicode.IsLetter(r) && !unicode.Is(unicode.Sc, r) && r != '.' && r != ' ' && r != 0xA0 {
			return nil, errCurrency
		}
		named = named || r != '.' && r != ' ' && r != 0xA0
	}
	if !named { // ".5" when a comma begins the decimals
		return nil, errGrouping
	}
	return text, nil
}

// grouped reads digits with group separators and one decimal sign.
func grouped(number []byte, decimal byte) (value money.Amount, rounded bool, err error) {
	const limit = math.MaxInt64/10 - 10
	var n, group, groups, decimals int64 = 0, 0, 0, -1
	var groupSign rune
	for i := 0; i < len(number); {
		r, width := utf8.DecodeRune(number[i:])
		i += width
		switch {
		case r >= '0' && r <= '9':
			if decimals >= 0 {
				decimals++
			}
			if decimals == 5 && r >= '5' {
				n, rounded = n+1, true
			}
			if decimals > 4 {
				rounded = rounded || r != '0'
				continue
			}
			if n > limit {
				return 0, false, errTooBig
			}
			n = n*10 + int64(r-'0')
			group++
		case r == rune(decimal) && decimals < 0:
			if groups > 0 && group != 3 {
				return 0, false, errGrouping
			}
			decimals = 0
		case decimals >= 0 || !isGroupSign(r) || groups > 0 && groupSign != sameBlank(r):
			return 0, false, errGrouping
		case groups == 0 && (group == 0 || group > 3 || number[0] == '0'), groups > 0 && group != 2 && group != 3:
			return 0, false, errGrouping
		default:
			groups, group, groupSign = groups+1, 0, sameBlank(r)
		}
	}
	if decimals < 0 && groups > 0 && group != 3 {
		return 0, false, errGrouping
	}
	for range 4 - min(4, max(0, decimals)) {
		if n > limit {
			return 0, false, errTooBig
		}
		n *= 10
	}
	if money.Amount(n) > money.Max {
		return 0, false, errTooBig
	}
	return money.Amount(n), rounded, nil
}

// sameBlank makes all kinds of blanks that group digits the same.
func sameBlank(r rune) rune {
	switch r {
	case '\u00A0', '\u202F', '\u2009':
		return ' '
	case '\u2019':
		return '\''
	}
	return r
}

func isGroupSign(r rune) bool {
	switch r {
	case ',', '.', ' ', '\'', '\u00A0', '\u202F', '\u2009', '\u2019':
		return true
	}
	return false
}

// parseQuantity parses a whole number, also "6.0" and "1,000"; the caller decides about negative ones.
func parseQuantity(cell []byte, decimal byte) (int64, error) {
	got, err := parseAmount(cell, decimal)
	switch {
	case err != nil:
		return 0, err
	case got.rounded || got.value%money.Scale != 0:
		return 0, errFraction
	case len(got.currency) > 0:
		return 0, errNoNumber
	}
	n := int64(got.value / money.Scale)
	if n > math.MaxInt32 || n < -math.MaxInt32 {
		return 0, errQuantity
	}
	return n, nil
}
