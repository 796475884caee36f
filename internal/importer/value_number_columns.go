package importer

import (
	"fmt"
	"slices"
	"strings"

	"entrepot/internal/base/money"
)

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
