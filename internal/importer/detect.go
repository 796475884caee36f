package importer

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// Found is what can be detected of a file without storing anything.
type Found struct {
	Format    string   // "csv", "xlsx", "shopify" …
	Sheet     string   `json:",omitempty"` // of a workbook: the one that is read; "" for other files
	Sheets    []string `json:",omitempty"` // the visible ones with rows
	Encoding  string
	Delimiter string // between cells; "" where there are none
	Decimals  string // how numbers are read; "" when nothing had to be decided
	Rows      int    // 0 when the rows were not counted
	Columns   []Column
	Problem   string // why the import would be refused as a whole, and what to choose; "" if nothing is missing
}

// Column is one column of the file.
type Column struct {
	Name    string
	Field   string   // what it is imported as; "" when it is not
	Samples []string // some different texts of its cells
	Guessed bool     // Field is a guess by the column's name, for a person to confirm
	Blank   int      // blank cells among the first rows, of which Sampled were read
	Sampled int
}

// mostSamples are shown of a column, each cut to sampleLength characters.
const (
	mostSamples  = 3
	sampleLength = 40
)

// Detect detects how a file would be read with the options: its format, and what each column is imported as. A file
// that cannot be read at all is a *CallError; if only a choice is missing, Problem says which.
func Detect(ctx context.Context, o Options) (Found, error) {
	o.DryRun = true
	if err := o.check(); err != nil {
		return Found{}, err
	}
	src, err := openSource(o)
	if err != nil {
		return Found{}, err
	}
	defer src.close()
	guessed, err := o.guess(src)
	if err != nil {
		return Found{}, err
	}
	run := &importRun{Options: o, source: src}
	err = run.open(ctx)
	if err != nil && run.fields == nil {
		return Found{}, err
	}
	f := Found{Format: run.format.name, Sheet: src.sheet, Sheets: src.sheets, Encoding: src.charset.name, Decimals: run.decimals, Rows: run.seen.rows, Columns: run.columns()}
	for i := range f.Columns {
		f.Columns[i].Guessed = slices.Contains(guessed, f.Columns[i].Name) && f.Columns[i].Field != ""
	}
	if run.table.container == delimited {
		f.Delimiter = string(run.table.delimiter)
	}
	if call, ok := errors.AsType[*CallError](err); ok {
		f.Problem = call.Words()
	} else if err != nil {
		return Found{}, err
	} else if run.maker.untouched() {
		var all counter
		if err := eachRow(ctx, run.table, &all, func(row) error { return nil }); err != nil {
			f.Problem = "the file breaks off: " + err.Error()
		}
		f.Rows = all.rows
	}
	return f, ctx.Err()
}

// columns describes the columns by the first rows.
func (r *importRun) columns() []Column {
	list := make([]Column, len(r.header))
	for i, name := range r.header {
		c := Column{Name: name, Sampled: len(r.table.sampled)}
		for _, cells := range r.table.sampled {
			text := strings.TrimSpace(string(cellOf(cells, i)))
			if text == "" {
				c.Blank++
			} else if text = cutText(text, sampleLength); len(c.Samples) < mostSamples && !slices.Contains(c.Samples, text) {
				c.Samples = append(c.Samples, text)
			}
		}
		c.Field = r.fields.of(i)
		list[i] = c
	}
	return list
}

func cutText(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// of is the field that reads a column; "" when none does.
func (m *mapping) of(column int) string {
	reads := func(e *expression) bool {
		return e != nil && slices.ContainsFunc(e.alternatives, func(join []term) bool {
			return slices.ContainsFunc(join, func(t term) bool { return t.column == column })
		})
	}
	for _, f := range m.fields {
		if reads(m.exact[f.name]) {
			return f.name
		}
		for _, e := range m.families[f.name] {
			if reads(e.expression) {
				return f.name + e.name
			}
		}
	}
	return ""
}

// Fields are the fields that a column of a file can be imported as; one that ends in a dot is followed by a name.
func (k Kind) Fields() []string {
	var names []string
	for _, f := range kinds[k].fields {
		names = append(names, f.name)
	}
	return names
}

// ignore removes the names of columns that are not read, so that nothing finds them.
func (t *table) ignore(columns []string) {
	for i, name := range t.header {
		if name == whyColumn || slices.Contains(columns, name) {
			t.header[i] = ""
		}
	}
}
