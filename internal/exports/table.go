package exports

import (
	"io"
	"slices"
	"time"

	"entrepot/internal/base/workbook"
)

// Format is the format of a file.
type Format string

// The formats.
const (
	CSV       Format = "csv"
	XLSX      Format = "xlsx"
	JSONLines Format = "jsonl" // the objects of the API's list, one a line
)

// Formats lists them.
var Formats = []Format{CSV, XLSX, JSONLines}

// ContentType is the media type of its files.
func (f Format) ContentType() string {
	if f == JSONLines {
		return "application/x-ndjson; charset=utf-8"
	}
	return workbook.Format(f).ContentType()
}

// FormatOf is the format of that name, or CSV.
func FormatOf(name string) Format {
	if f := Format(name); slices.Contains(Formats, f) {
		return f
	}
	return CSV
}

// Table takes the rows of a file.
type Table struct {
	cells workbook.Table // nil for JSON lines
	lines io.Writer
}

// mark begins CSV: by it spreadsheets know that it is UTF-8, which they would take for the encoding of the computer. The
// importer passes it over, as most other programs do.
const mark = "\ufeff"

// NewTable begins a file; name is that of a workbook's sheet, whose times are those of the zone. Errors: those of the writer.
func NewTable(f Format, to io.Writer, name string, zone *time.Location, columns []string) (*Table, error) {
	switch f {
	case JSONLines:
		return &Table{lines: to}, nil
	case CSV:
		if _, err := io.WriteString(to, mark); err != nil {
			return nil, err
		}
	}
	cells, err := workbook.NewTable(workbook.Format(f), to, name, zone, columns...)
	return &Table{cells: cells}, err
}

// Lines reports whether the rows are JSON objects.
func (t *Table) Lines() bool { return t.lines != nil }

// Row writes the cells of a row.
func (t *Table) Row(cells ...workbook.Value) error { return t.cells.Row(cells...) }

// Line writes a JSON object.
func (t *Table) Line(object []byte) error {
	_, err := t.lines.Write(append(object, '\n'))
	return err
}

// Close ends the file, and leaves what it is written to open.
func (t *Table) Close() error {
	if t.cells == nil {
		return nil
	}
	return t.cells.Close()
}
