package bench

import (
	"strconv"
	"strings"
	"sync"
)

// insertTexts keeps the texts of multi-row inserts, so that writing them is not measured.
type insertTexts struct{ known sync.Map }

type insertText struct {
	columns     string
	rows, width int
}

// of returns the insert of so many rows of a width into a table and its columns.
func (t *insertTexts) of(columns string, rows, width int) string {
	key := insertText{columns, rows, width}
	if text, found := t.known.Load(key); found {
		return text.(string)
	}
	var b strings.Builder
	b.WriteString("INSERT INTO " + columns + " VALUES ")
	for i := range rows * width {
		switch {
		case i == 0:
			b.WriteByte('(')
		case i%width == 0:
			b.WriteString("),(")
		default:
			b.WriteByte(',')
		}
		b.WriteString("$" + strconv.Itoa(i+1))
	}
	b.WriteByte(')')
	t.known.Store(key, b.String())
	return b.String()
}
