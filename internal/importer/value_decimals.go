package importer

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"entrepot/internal/base/money"
)

// numberFields are the fields that are read as numbers, in the order in which messages list them.
var numberFields = []string{
	"price", "salePrice", "compareAtPrice", "cost", "stock.quantity",
	"unitPrice", "lineTotal", "quantity", "shippingAmount", "discountAmount", "taxAmount", "taxRate",
	"subtotal", "total", "dutiesAmount", "refundedAmount", "lineDiscount",
}

// evidence is what one cell shows about the decimal sign of its column.
type evidence int

const (
	saysNothing  evidence = iota // blank, no number, or the same number either way
	saysPoint                    // a number only if a point begins the decimals: 12.5, 0.125, 1,050.00
	saysComma                    // likewise a comma
	aroundPoint                  // three digits behind its only separator, a point: 1.050
	aroundComma                  // likewise a comma
	wholeSmall                   // a whole number from 1 to 999
	wholeUngroup                 // a whole number of four digits or more without separators
)

// evidenceOf parses a cell with both signs.
func evidenceOf(cell []byte) evidence {
	if !bytes.ContainsAny(cell, ".,") {
		return evidenceOfWhole(cell)
	}
	if last := bytes.LastIndexAny(cell, "0123456789"); last >= 0 { // "1.050,-": the dash stands where decimals would
		switch rest := cell[last+1:]; {
		case bytes.HasPrefix(rest, []byte(",-")), bytes.HasPrefix(rest, []byte(",\u2013")):
			return saysComma
		case bytes.HasPrefix(rest, []byte(".-")), bytes.HasPrefix(rest, []byte(".\u2013")):
			return saysPoint
		}
	}
	byPoint, pointErr := parseAmount(cell, '.')
	byComma, commaErr := parseAmount(cell, ',')
	switch {
	case pointErr != nil && commaErr != nil:
		return saysNothing
	case commaErr != nil:
		return saysPoint
	case pointErr != nil:
		return saysComma
	case byPoint.value == byComma.value: // the sign belongs to the currency, as in "Rs. 5", or all digits are 0
		return evidenceOfWhole(cell)
	case absolute(byPoint.value) < absolute(byComma.value):
		return aroundPoint
	}
	return aroundComma
}

// evidenceOfWhole parses a cell without decimals: a large number without separators shows that the column does not
// group thousands.
func evidenceOfWhole(cell []byte) evidence {
	value, ok := plainAmount(cell, '.')
	grouped := false
	if !ok {
		read, err := parseAmount(cell, '.')
		if err != nil {
			return saysNothing
		}
		value = absolute(read.value)
		first, last := bytes.IndexAny(cell, "0123456789"), bytes.LastIndexAny(cell, "0123456789")
		grouped = bytes.ContainsFunc(cell[first:last+1], isGroupSign)
	}
	switch {
	case value == 0 || grouped || value%money.Scale != 0:
		return saysNothing
	case value < 1000*money.Scale:
		return wholeSmall
	}
	return wholeUngroup
}

func absolute(a money.Amount) money.Amount { return max(a, -a) }

// example is a cell of the file, for a message.
type example struct {
	text string
	row  int
}

func (e example) String() string { return fmt.Sprintf("%s (row %d)", e.text, e.row) }

// columnVote collects the evidence of all cells of one column.
type columnVote struct {
	count    [wholeUngroup + 1]int
	examples [wholeUngroup + 1][]example
}

// mostExamples of each kind are remembered for messages.
const mostExamples = 3

func (v *columnVote) add(cell []byte, row int) {
	if len(cell) == 0 {
		return
	}
	kind := evidenceOf(cell)
	v.count[kind]++
	if have := v.examples[kind]; len(have) < mostExamples && kind != saysNothing {
		text := clip(cell)
		if !slices.ContainsFunc(have, func(e example) bool { return e.text == text }) {
			v.examples[kind] = append(have, example{text, row})
		}
	}
}

// doubtful is the number of cells with three digits after their only separator.
func (v *columnVote) doubtful() int { return v.count[aroundPoint] + v.count[aroundComma] }

// decide returns the decimal sign of the column. Cells with only one possible reading decide for the others. If there
// are none, 1.050 is a thousand and fifty if the rest of the column agrees: one sign groups throughout, numbers below
// a thousand have no sign (a column with three decimals would have 595.000), and numbers of four digits have one.
// Otherwise it cannot be known, and why says so.
func (v *columnVote) decide() (decimal byte, why string) {
	point, comma := v.count[saysPoint], v.count[saysComma]
	doubt := slices.Concat(v.examples[aroundPoint], v.examples[aroundComma])
	switch {
	case v.doubtful() == 0 && comma > point:
		return ',', ""
	case v.doubtful() == 0:
		return '.', ""
	case point > 0 && comma > 0:
		return 0, fmt.Sprintf("%s can be read in two ways, and the column writes decimals with a point, as in %v, and with a comma, as in %v",
			listed(doubt), v.examples[saysPoint][0], v.examples[saysComma][0])
	case point > 0:
		return '.', ""
	case comma > 0:
		return ',', ""
	case v.count[aroundPoint] > 0 && v.count[aroundComma] > 0:
		return 0, listed(doubt) + " can be read in two ways, and the column has such numbers with a point and with a comma"
	case v.count[wholeUngroup] > 0:
		return 0, fmt.Sprintf("%s can be read in two ways: as thousands, but then %v lacks the separator, or as three decimals",
			listed(doubt), v.examples[wholeUngroup][0])
	case v.count[wholeSmall] == 0:
		return 0, listed(doubt) + " can be thousands, or have three decimals, and no other number of the column shows which"
	case v.count[aroundPoint] > 0:
		return ',', ""
	}
	return '.', ""
}

func listed(examples []example) string {
	var parts []string
	for _, e := range examples[:min(len(examples), mostExamples)] {
		parts = append(parts, e.String())
	}
	return strings.Join(parts, ", ")
}
