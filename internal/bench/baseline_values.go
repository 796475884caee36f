package bench

import (
	"strconv"
	"strings"
	"sync"
)

// rowsPerStatement is how many rows one multi-row statement carries. The last
// statement of an operation may carry fewer.
const rowsPerStatement = 250

// frame is the text around a multi-row list of values.
type frame struct {
	before, after string
	types         string // of the first row's members, "TEXT BIGINT …"; empty: the statement knows them
}

// insertInto frames an insert into a table and its columns.
func insertInto(columns string) frame {
	return frame{before: "INSERT INTO " + columns + " VALUES "}
}

// updateFrom frames a change of existing rows: the values are the table v with
// the given columns.
func updateFrom(columns, types, update string) frame {
	return frame{before: "WITH v (" + columns + ") AS (VALUES ", after: ") " + update, types: types}
}

// rows collects the rows of one multi-row operation, row after row.
type rows struct {
	columns int
	values  []any
}

func (r *rows) add(values ...any) {
	r.columns = len(values)
	r.values = append(r.values, values...)
}

// statements cuts the rows into statements and appends them to into.
func (r *rows) statements(into []statement, f frame) []statement {
	for values := r.values; len(values) > 0; {
		n := min(len(values), rowsPerStatement*r.columns)
		into = append(into, statement{f.text(n/r.columns, r.columns), values[:n]})
		values = values[n:]
	}
	return into
}

// frameSize is a frame with a number of rows: the key of its finished text.
type frameSize struct {
	frame
	rows, columns int
}

// frameTexts keeps finished texts, so that rendering them is not measured.
var frameTexts sync.Map // frameSize → string

// text is the statement for a number of rows.
func (f frame) text(rows, columns int) string {
	size := frameSize{f, rows, columns}
	if known, ok := frameTexts.Load(size); ok {
		return known.(string)
	}
	text := f.render(rows, columns)
	frameTexts.Store(size, text)
	return text
}

func (f frame) render(rows, columns int) string {
	types := strings.Fields(f.types)
	var b strings.Builder
	b.WriteString(f.before)
	for i := range rows * columns {
		switch {
		case i == 0:
			b.WriteByte('(')
		case i%columns == 0:
			b.WriteString("),(")
		default:
			b.WriteByte(',')
		}
		place := "$" + strconv.Itoa(i+1)
		if i < len(types) {
			place = "CAST(" + place + " AS " + types[i] + ")"
		}
		b.WriteString(place)
	}
	b.WriteByte(')')
	b.WriteString(f.after)
	return b.String()
}
