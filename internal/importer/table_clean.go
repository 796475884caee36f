package importer

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// cleanRows takes off the cells of a table what spreadsheets and editors leave around a text, where its meaning is
// certain, and refuses rows whose meaning is lost.
type cleanRows struct {
	rowStream
	table *table
}

func (c *cleanRows) next() (row, error) {
	r, err := c.rowStream.next()
	if err == nil && r.broken == "" {
		c.table.clean(&r)
	}
	return r, err
}

// clean cleans the cells of a row.
func (t *table) clean(r *row) {
	for i, cell := range r.cells {
		name := i < len(t.names) && t.names[i]
		if len(cell) == 0 || !name && !t.bad && cell[0] != '=' && cell[0] != '\'' && bytes.IndexByte(cell, 0xE2) < 0 &&
			bytes.IndexByte(cell, 0xEF) < 0 {
			continue
		}
		cell = plainText(bytes.TrimSpace(cell), name && t.container == delimited)
		if t.container == delimited {
			cell = unharmed(cell)
		}
		if name {
			digits, lost := wholeNumber(cell)
			if lost && r.unclean == "" {
				r.unclean = fmt.Sprintf("%s in the column %s is a number that a spreadsheet has shortened: its digits are lost", clip(cell),
					t.nameOf(i))
			}
			cell = digits
		}
		if t.bad && r.unclean == "" && bytes.Contains(cell, []byte(badByte)) && (i >= len(t.unread) || !t.unread[i]) {
			r.unclean = fmt.Sprintf("%q in the column %s has a letter that is cut or in another encoding than the file, which is UTF-8", clip(cell),
				t.nameOf(i))
		}
		r.cells[i] = cell
	}
}

func (t *table) nameOf(column int) string {
	if column < len(t.header) {
		return t.header[column]
	}
	return fmt.Sprint(column + 1)
}

// badByte stands in a text for bytes that are no UTF-8.
const badByte = "\uFFFD"

// plainText is a trimmed cell without what is no part of its text: byte order marks and signs of no width around it
// and in codes, the quotes of ="0012", and the apostrophe of '0012, both of which make a spreadsheet read digits as
// text. name says that the cell holds a SKU or another name of a thing, before which an apostrophe is always the
// spreadsheet's.
func plainText(cell []byte, name bool) []byte {
	if bytes.ContainsFunc(cell, isInvisible) {
		if name || !bytes.ContainsFunc(cell, func(r rune) bool { return r >= utf8.RuneSelf && !isInvisible(r) || unicode.IsSpace(r) }) {
			cell = bytes.Map(func(r rune) rune {
				if isInvisible(r) {
					return -1
				}
				return r
			}, cell)
		}
		cell = bytes.TrimFunc(cell, func(r rune) bool { return isInvisible(r) || unicode.IsSpace(r) })
	}
	if len(cell) >= 3 && cell[0] == '=' && cell[1] == '"' && cell[len(cell)-1] == '"' && bytes.IndexByte(cell[2:len(cell)-1], '"') < 0 {
		cell = bytes.TrimSpace(cell[2 : len(cell)-1])
	}
	if len(cell) > 1 && cell[0] == '\'' && (name && cell[len(cell)-1] != '\'' || quotedNumber.Match(cell)) {
		cell = bytes.TrimSpace(cell[1:])
	}
	return cell
}

// unharmed is a cell without the apostrophe that exports put before what a spreadsheet would run as a formula.
func unharmed(cell []byte) []byte {
	if len(cell) > 1 && cell[0] == '\'' && bytes.IndexByte([]byte("=+-@"), cell[1]) >= 0 && cell[len(cell)-1] != '\'' {
		return cell[1:]
	}
	return cell
}

// quotedNumber is a number, a date or a telephone number behind an apostrophe.
var quotedNumber = regexp.MustCompile(`^'[-+(]?[0-9][-+0-9 .,:/()]*$`)

// isInvisible reports whether a sign has no width and no meaning in a code.
func isInvisible(r rune) bool {
	switch r {
	case '\uFEFF', '\u200B', '\u200C', '\u200D', '\u2060', '\u00AD', '\u200E', '\u200F', '\u202A', '\u202B', '\u202C', '\u202D', '\u202E',
		'\u2066', '\u2067', '\u2068', '\u2069':
		return true
	}
	return false
}

// shortened is a number as spreadsheets show long ones: 4.00638E+12.
var shortened = regexp.MustCompile(`^([0-9])(?:[.,]([0-9]+))?[eE]\+([0-9]{1,2})$`)

// wholeNumber is a name in the form of a shortened number with all its digits. lost is true when some are missing:
// 4.00638E+12 may be any of millions of articles.
func wholeNumber(name []byte) (digits []byte, lost bool) {
	m := shortened.FindSubmatch(name)
	if m == nil {
		return name, false
	}
	if zeros := atoi(string(m[3])) - len(m[2]); zeros == 0 {
		return slices.Concat(m[1], m[2]), false
	}
	return name, true
}

// nameFields are fields whose cells name a thing by a code.
var nameFields = []string{"sku", "parent", "externalReference", "originalReference", "customerId", "order", "trackingNumber", "attributes.barcode", "attributes.ean",
	"attributes.gtin", "attributes.upc", "attributes.isbn", "attributes.mpn"}

// nameColumns sets which columns hold names of things, and which nobody reads.
func (t *table) nameColumns(m *mapping, unread []string) {
	t.names, t.unread = make([]bool, len(t.header)), make([]bool, len(t.header))
	for i, header := range t.header {
		t.unread[i] = slices.Contains(unread, header)
		t.names[i] = slices.Contains(nameFields, m.of(i)) || slices.Contains([]string{"parent", "handle", "sku"}, strings.ToLower(header))
	}
}
