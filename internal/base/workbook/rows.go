package workbook

import (
	"encoding/xml"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Cell is the content of one cell.
type Cell struct {
	Text   string
	Number bool // a point begins the decimals of the text
}

// errEnough ends the reading of a sheet.
var errEnough = errors.New("enough was read")

// Filled reports whether a cell of a sheet holds something. Errors as those of Open.
func (b *Book) Filled(s Sheet) (filled bool, err error) {
	f := b.parts[s.part]
	if f == nil {
		return false, nil
	}
	held := false
	err = b.each(f, func(token xml.Token) error {
		switch e := token.(type) {
		case xml.StartElement:
			held = e.Name.Local == "v" || e.Name.Local == "t" || e.Name.Local == "f"
		case xml.EndElement:
			held = false
		case xml.CharData:
			if held && len(e) > 0 {
				filled = true
				return errEnough
			}
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return filled, err
}

// Rows calls do for each row of a sheet in which a cell holds something, with the row's number from 1 and its cells to
// the last that is filled. The cells are valid until do returns. A merged cell has its content in its first cell.
// Errors: as those of Open, and those of do.
func (b *Book) Rows(s Sheet, do func(line int, cells []Cell) error) error {
	f := b.parts[s.part]
	if f == nil {
		return fmt.Errorf("is damaged: the sheet %s is missing", s.Name)
	}
	if shared := b.parts[b.textPart]; shared != nil && b.texts == nil {
		texts, err := b.readTexts(shared)
		if err != nil {
			return err
		}
		b.texts = texts
	}
	r := &sheetReader{book: b, do: do}
	return b.each(f, func(token xml.Token) error { return r.token(token) })
}

// sheetReader makes rows of the tokens of a sheet.
type sheetReader struct {
	book  *Book
	do    func(int, []Cell) error
	line  int // of the row under way, or of the last one
	cells []Cell
	size  int // bytes of the row's texts

	column           int // of the next cell without a place of its own, from 0
	cell             cellContent
	text             richText
	content, formula bool // the token is inside <v>, <f>
}

func (r *sheetReader) token(token xml.Token) error {
	switch e := token.(type) {
	case xml.StartElement:
		return r.begin(e)
	case xml.CharData:
		switch {
		case r.content:
			return r.cell.add(&r.cell.value, e)
		case r.formula:
			return r.cell.add(&r.cell.formula, e)
		}
		return r.text.add(e)
	case xml.EndElement:
		r.text.end(e.Name.Local)
		switch e.Name.Local {
		case "v":
			r.content = false
		case "f":
			r.formula = false
		case "c":
			return r.endCell()
		case "row":
			return r.endRow()
		}
	}
	return nil
}

func (r *sheetReader) begin(e xml.StartElement) error {
	r.text.begin(e.Name.Local)
	switch e.Name.Local {
	case "row":
		line, _ := strconv.Atoi(attribute(e, "r")) // 0 for none: the row follows the last one
		r.line = max(line, r.line+1)
		r.cells, r.column, r.size = r.cells[:0], 0, 0
		if r.line > mostRows {
			return fmt.Errorf("is damaged: it has more than %d rows", mostRows)
		}
	case "c":
		r.cell = cellContent{kind: attribute(e, "t")}
		if n, err := strconv.Atoi(attribute(e, "s")); err == nil && n >= 0 && n < len(r.book.styles) {
			r.cell.style = r.book.styles[n]
		}
		r.text.reset()
		if place := attribute(e, "r"); place != "" {
			r.column = columnOf(place)
		}
		if r.column < 0 || r.column >= mostColumns {
			return fmt.Errorf("is damaged: a cell of row %d has the place %q", r.line, attribute(e, "r"))
		}
	case "v":
		r.content, r.cell.valued = true, true
	case "f":
		r.formula = true
	}
	return nil
}

// endCell puts a cell into its place of the row.
func (r *sheetReader) endCell() error {
	r.cell.text, r.content, r.formula = r.text.String(), false, false
	cell, err := r.book.cell(r.cell)
	if err != nil {
		return fmt.Errorf("is damaged: a cell of row %d %v", r.line, err)
	}
	at := r.column
	r.column++
	if cell.Text == "" {
		return nil
	}
	if r.size += len(cell.Text); r.size > mostPiece {
		return fmt.Errorf("has more than %d MB in row %d: shorten its texts", mostPiece>>20, r.line)
	}
	for len(r.cells) <= at {
		r.cells = append(r.cells, Cell{})
	}
	r.cells[at] = cell
	return nil
}

func (r *sheetReader) endRow() error {
	if len(r.cells) == 0 {
		return nil
	}
	return r.do(r.line, r.cells)
}

// columnOf is the column of a place such as AB12, from 0; -1 if it is none.
func columnOf(place string) int {
	letters := strings.TrimRight(place, "0123456789")
	if letters == "" || len(letters) > 3 {
		return -1
	}
	n := 0
	for _, c := range []byte(strings.ToUpper(letters)) {
		if c < 'A' || c > 'Z' {
			return -1
		}
		n = 26*n + int(c-'A') + 1
	}
	return n - 1
}
