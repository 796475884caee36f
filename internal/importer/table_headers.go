package importer

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// knownHeaders are the names of columns, as headerKey writes them, that files of a kind are known to have.
func (k Kind) knownHeaders() map[string]bool {
	known := map[string]bool{}
	for _, f := range kinds[k].fields {
		for synonym := range strings.FieldsSeq(f.synonyms) {
			known[synonym] = true
		}
	}
	for _, f := range kinds[k].formats {
		for _, c := range f.columns {
			known[headerKey(c[0])] = true
		}
		for word := range f.words {
			known[word] = true
		}
	}
	for _, d := range kinds[k].guesses {
		for _, word := range d.words {
			known[word] = true
		}
	}
	return known
}

// mostTitleRows is how many rows may stand above the names of the columns.
const mostTitleRows = 20

// technicalName is a column's name in the third row of Amazon's files: item_sku, main_image_url.
var technicalName = regexp.MustCompile(`^[a-z][a-z0-9_.#\[\]=:-]*$`)

// headerRow finds the row of the names of the columns among the first rows of a file: the first one, unless titles, a
// date or an address stand above a table, or it is one of Amazon's, whose third row has the names.
func headerRow(rows []row, known map[string]bool) int {
	if len(rows) == 0 {
		return 0
	}
	if first := filled(rows[0].cells); len(first) > 0 && bytes.HasPrefix(first[0], []byte("TemplateType=")) {
		for at := min(len(rows)-1, 5); at > 0; at-- {
			cells := filled(rows[at].cells)
			if len(cells) > 1 && !slices.ContainsFunc(cells, func(c []byte) bool { return !technicalName.Match(c) }) {
				return at
			}
		}
	}
	width, names := 0, make([]int, min(len(rows), mostTitleRows+1))
	for i, r := range rows {
		cells := filled(r.cells)
		if width = max(width, len(cells)); i < len(names) && r.broken == "" {
			for _, cell := range cells {
				if known[headerKey(string(plainText(cell, true)))] {
					names[i]++
				}
			}
		}
	}
	if len(filled(rows[0].cells))*2 >= width && names[0] > 0 || width < 2 {
		return 0
	}
	best := 0
	for i := range names {
		if names[i] >= 2 && names[i] > names[best] {
			best = i
		}
	}
	if best > 0 || names[0] > 0 {
		return best
	}
	for i := range names { // no name is known: the first row as wide as the table, if those above it are titles
		cells := filled(rows[i].cells)
		if i > 0 && len(cells)*3 >= width*2 && !slices.ContainsFunc(cells, isNumber) {
			return i
		}
		if len(cells)*2 >= width {
			return 0
		}
	}
	return 0
}

// filled are the cells of a row that hold something.
func filled(cells [][]byte) (list [][]byte) {
	for _, cell := range cells {
		if cell = bytes.TrimSpace(cell); len(cell) > 0 {
			list = append(list, cell)
		}
	}
	return list
}

// isNumber reports whether a cell is a number, with or without a currency.
func isNumber(cell []byte) bool {
	_, byPoint := parseAmount(cell, '.')
	_, byComma := parseAmount(cell, ',')
	return byPoint == nil || byComma == nil
}
