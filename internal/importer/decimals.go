package importer

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"entrepot/internal/money"
)

// numberFields are the fields that are read as numbers, in the order in which messages list them.
var numberFields = []string{
	"price", "salePrice", "compareAtPrice", "stock.quantity",
	"unitPrice", "lineTotal", "quantity", "shippingAmount", "discountAmount", "taxAmount", "taxRate",
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

// evidenceOfWhole looks at a cell without decimals: how large numbers are written reports whether the
// column groups thousands.
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

// mostExamples of each kind are kept for messages.
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

// signWords are the ways to name a decimal sign on the command line.
var signWords = map[string]byte{".": '.', "point": '.', "dot": '.', "period": '.', ",": ',', "comma": ','}

func signWord(sign byte) string {
	if sign == ',' {
		return "comma"
	}
	return "point"
}

// decimalSigns is what --decimal says: a sign for every column, and signs of single ones.
type decimalSigns struct {
	all    byte            // 0: found out from the file
	single map[string]byte // by field or column name, in lower case
	asked  []string        // the names in single as they were given
}

// parseDecimals reads "comma", "point", ".", "," or "auto", alone or per column:
// "price=comma,compareAtPrice=point".
func parseDecimals(flags []string) (d decimalSigns, err error) {
	d.single = map[string]byte{}
	for _, text := range flags {
		for rest := strings.TrimSpace(text); rest != ""; {
			var part string
			part, rest = cutDecimal(rest)
			name, word, single := cutLast(part, '=')
			if !single {
				word = part
			}
			sign, known := signWords[strings.ToLower(strings.TrimSpace(word))]
			switch {
			case !known && (single || !strings.EqualFold(word, "auto")):
				return d, wrongCall("--decimal %s: say point or comma, for every column (--decimal comma) or for some (--decimal "+
					"price=comma,compareAtPrice=point)", text)
			case single:
				d.single[strings.ToLower(strings.TrimSpace(name))] = sign
				d.asked = append(d.asked, strings.TrimSpace(name))
			default:
				d.all = sign
			}
		}
	}
	return d, nil
}

// cutDecimal cuts the first part off a list whose separator, the comma, may itself be a part.
func cutDecimal(text string) (part, rest string) {
	from := 0
	if i := strings.IndexByte(text, '='); i >= 0 && !strings.Contains(text[:i], ",") {
		from = i + 1
	}
	if strings.HasPrefix(text[from:], ",") { // "," and "price=,"
		from++
	}
	if i := strings.IndexByte(text[from:], ','); i >= 0 {
		return text[:from+i], text[from+i+1:]
	}
	return text, ""
}

func cutLast(text string, sign byte) (before, after string, found bool) {
	if i := strings.LastIndexByte(text, sign); i >= 0 {
		return text[:i], text[i+1:], true
	}
	return text, "", false
}

// of is the sign asked for a column of a field; 0 when nothing was said.
func (d decimalSigns) of(field, column string) byte {
	if sign := d.single[strings.ToLower(column)]; sign != 0 {
		return sign
	}
	if sign := d.single[strings.ToLower(field)]; sign != 0 {
		return sign
	}
	return d.all
}

// numberColumn is one column (or joined columns) that a number field reads.
type numberColumn struct {
	field       string
	column      string
	expression  *expression
	alternative int
	asked       byte
	vote        columnVote
}

// numberColumns are the number columns of a mapping. Constants are not among them: their decimal sign is a point.
func numberColumns(m *mapping, header []string, asked decimalSigns) ([]*numberColumn, error) {
	var columns []*numberColumn
	known := map[string]bool{}
	for _, field := range numberFields {
		e := m.exact[field]
		if e == nil {
			continue
		}
		e.decimals = slices.Repeat([]byte{'.'}, len(e.alternatives))
		known[strings.ToLower(field)] = true
		for i := range e.alternatives {
			name := e.columnNames(i, header)
			if name == "" {
				continue
			}
			known[strings.ToLower(name)] = true
			columns = append(columns, &numberColumn{field: field, column: name, expression: e, alternative: i, asked: asked.of(field, name)})
		}
	}
	for _, name := range asked.asked {
		if !known[strings.ToLower(name)] {
			var fields []string
			for _, c := range columns {
				if !slices.Contains(fields, c.field) {
					fields = append(fields, c.field)
				}
			}
			return nil, wrongCall("--decimal %s=…: no number is taken from %s; the fields with numbers are %s", name, name,
				strings.Join(fields, ", "))
		}
	}
	return columns, nil
}

// decideAll sets the decimal sign of every column. If it cannot be known for some, the error names all of them.
func decideAll(columns []*numberColumn) error {
	var doubts, flags []string
	for _, c := range columns {
		sign, why := c.asked, ""
		if sign == 0 {
			sign, why = c.vote.decide()
		}
		if why != "" {
			doubts = append(doubts, fmt.Sprintf("%s (column %s): %s", c.field, c.column, why))
			name := c.field
			if len(c.expression.alternatives) > 1 {
				name = c.column
			}
			flags = append(flags, name)
			continue
		}
		c.expression.decimals[c.alternative] = sign
	}
	if len(doubts) == 0 {
		return nil
	}
	comma, point := strings.Join(flags, "=comma,")+"=comma", strings.Join(flags, "=point,")+"=point"
	message := fmt.Sprintf("the amounts are ambiguous, nothing was stored.\n  %s\nSay which sign begins the decimals: --decimal '%s' (then "+
		"1.050 is a thousand and fifty, and 1,050 one and a bit), or --decimal '%s' (the other way round)",
		strings.Join(doubts, "\n  "), comma, point)
	return wrongChoice("the amounts are ambiguous: "+strings.Join(doubts, "; ")+". Say which sign begins the decimals", message)
}

// describeDecimals says how numbers are read if that should be checked: with a comma, or where numbers with three
// digits after their only separator had to be decided.
func describeDecimals(columns []*numberColumn) string {
	var parts []string
	for _, c := range columns {
		sign := c.expression.decimals[c.alternative]
		text := fmt.Sprintf("%s: a %s begins the decimals", c.column, signWord(sign))
		if n := c.vote.doubtful(); n > 0 {
			first := slices.Concat(c.vote.examples[aroundPoint], c.vote.examples[aroundComma])[0]
			read, err := parseAmount([]byte(first.text), sign)
			if err != nil {
				continue
			}
			numbers := "1 number is"
			if n > 1 {
				numbers = fmt.Sprintf("%d numbers are", n)
			}
			text = fmt.Sprintf("%s: %s is taken for %v (%s written like that)", c.column, first.text, read.value, numbers)
			if read.value%money.Scale != 0 {
				text = fmt.Sprintf("%s: %s has three decimals, as other numbers of the column show (%s written like that)", c.column, first.text,
					numbers)
			}
		} else if sign == '.' {
			continue
		}
		if !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "; ")
}
