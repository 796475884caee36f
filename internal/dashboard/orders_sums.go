package dashboard

import "strconv"

// sums is how the page writes the sum of the orders that are ticked: numbers as the locale has them, and each currency of the page with its
// symbol beside a #.
type sums struct {
	Decimal, Group string
	First, Rest    string // digits of the last group before the decimals, and of those before it
	Money          []sumIn
}

// sumIn is how a sum in a currency is written: "€#".
type sumIn struct{ Currency, Words string }

func (f format) sums(rows []orderRow) sums {
	out := sums{Decimal: f.separators.decimal, Group: f.separators.group, First: strconv.Itoa(f.separators.first),
		Rest: strconv.Itoa(f.separators.rest)}
	seen := map[string]bool{}
	for _, row := range rows {
		if !seen[row.Currency] {
			seen[row.Currency] = true
			out.Money = append(out.Money, sumIn{row.Currency, f.besideSymbol("#", row.Currency)})
		}
	}
	return out
}
