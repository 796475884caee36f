package money

import (
	"cmp"
	"fmt"
	"math/big"
	"strconv"
)

// Total is an exact sum, not negative, up to 10^36 and so larger than an Amount can be: high · 10^18 + low, in the
// unit of an Amount.
type Total struct{ High, Low int64 }

const totalBase = 1_000_000_000_000_000_000

// TotalOf is n · 10^zeros; n is not negative and zeros is from 0 to 18.
func TotalOf(n int64, zeros int) Total {
	scale, rest := int64(1), int64(totalBase)
	for range zeros {
		scale, rest = scale*10, rest/10
	}
	return Total{High: n / rest, Low: n % rest * scale}
}

// Plus is the sum of two totals.
func (t Total) Plus(u Total) Total {
	low := t.Low + u.Low
	return Total{High: t.High + u.High + low/totalBase, Low: low % totalBase}
}

// Minus is the total less another one that is not greater.
func (t Total) Minus(u Total) Total {
	high, low := t.High-u.High, t.Low-u.Low
	if low < 0 {
		high, low = high-1, low+totalBase
	}
	return Total{High: high, Low: low}
}

// Compare is -1, 0 or 1 when the total is less than, equal to or more than another.
func (t Total) Compare(u Total) int {
	return cmp.Or(cmp.Compare(t.High, u.High), cmp.Compare(t.Low, u.Low))
}

// Mean is the total divided by n, which is above zero, rounded half away from zero to some decimals, 0 to 4.
func (t Total) Mean(n int64, decimals int) Amount {
	step := big.NewInt(n)
	unit := int64(1)
	for range 4 - decimals {
		unit *= 10
	}
	step.Mul(step, big.NewInt(unit))
	sum := big.NewInt(t.High)
	sum.Add(sum.Mul(sum, big.NewInt(totalBase)), big.NewInt(t.Low))
	sum.Add(sum, new(big.Int).Rsh(step, 1)) // half of an odd step is rounded down, which changes no result
	return Amount(sum.Quo(sum, step).Int64() * unit)
}

// AppendTo writes the total as the shortest exact decimal.
func (t Total) AppendTo(b []byte) []byte {
	if t.High == 0 {
		return Amount(t.Low).AppendTo(b)
	}
	b = strconv.AppendInt(b, t.High, 10)
	b = append(b, fmt.Sprintf("%014d", t.Low/Scale)...)
	return append(b, Amount(t.Low % Scale).AppendTo(nil)[1:]...) // without its leading 0
}

// String is the shortest exact decimal.
func (t Total) String() string { return string(t.AppendTo(nil)) }
