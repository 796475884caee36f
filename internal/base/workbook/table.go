package workbook

import (
	"encoding/csv"
	"io"
	"strings"
	"time"
)

// Format is the kind of a file of rows.
type Format string

// Formats of files to download.
const (
	CSV  Format = "csv"
	XLSX Format = "xlsx"
)

// ContentType is the media type of a format.
func (f Format) ContentType() string {
	if f == XLSX {
		return typeOf + "sheet"
	}
	return "text/csv; charset=utf-8"
}

// Value is the content of a cell that is written.
type Value struct {
	kind valueKind
	text string
	at   time.Time
}

type valueKind byte

const (
	textValue valueKind = iota
	ownValue
	headValue
	countValue
	amountValue
	momentValue
)

// Text is a text that a spreadsheet never runs as a formula: in CSV an apostrophe stands before one that looks like one.
func Text(text string) Value { return Value{kind: textValue, text: text} }

// Own is a text that the reader of the file wrote before; in CSV it stays as it is.
func Own(text string) Value { return Value{kind: ownValue, text: text} }

// Count is a number of things, in digits.
func Count(digits string) Value { return Value{kind: countValue, text: digits} }

// Amount is an amount of money, as a decimal number with a point, or blank.
func Amount(decimal string) Value { return Value{kind: amountValue, text: decimal} }

// Moment is a time: in CSV of UTC in ISO 8601, in a workbook a date of the table's zone.
func Moment(at time.Time) Value { return Value{kind: momentValue, at: at} }

// Table takes the rows of a file. Close ends the file, and leaves what it is written to open.
type Table interface {
	Row(cells ...Value) error
	Close() error
}

// NewTable begins a file with the names of its columns; name is that of a workbook's sheet. In a workbook a text above 32,767
// characters is cut. Errors: those of the writer.
func NewTable(f Format, to io.Writer, name string, zone *time.Location, header ...string) (Table, error) {
	if f == XLSX {
		return newWriter(to, name, zone, header)
	}
	return NewCSV(to, ',', header...)
}

// NewCSV begins a CSV file with another sign between cells.
func NewCSV(to io.Writer, delimiter rune, header ...string) (Table, error) {
	t := csvTable{csv.NewWriter(to)}
	t.out.Comma = delimiter
	return t, t.out.Write(header)
}

type csvTable struct{ out *csv.Writer }

func (t csvTable) Row(cells ...Value) error {
	line := make([]string, len(cells))
	for i, v := range cells {
		switch line[i] = v.text; v.kind {
		case textValue:
			line[i] = Harmless(v.text)
		case momentValue:
			line[i] = v.at.UTC().Format("2006-01-02T15:04:05.000Z")
		}
	}
	return t.out.Write(line)
}

func (t csvTable) Close() error {
	t.out.Flush()
	return t.out.Error()
}

// Harmless puts an apostrophe before a cell that a spreadsheet would run as a formula.
func Harmless(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}
