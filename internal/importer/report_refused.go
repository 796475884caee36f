package importer

import (
	"context"
	"io"
	"time"

	"entrepot/internal/base/workbook"
)

// whyColumn is the column that WriteRefusedRows adds; it is never imported.
const whyColumn = "why it was refused"

// WriteRefusedRows writes the refused rows of a file of cells as a file with the same columns and one more with the reason,
// so that they can be corrected and imported again. refused has the reason by row number; other rows are left out.
// Cells that a spreadsheet would run as a formula stay as they are, because it is the user's own data. Errors:
// *CallError when the file has no rows of cells.
func WriteRefusedRows(ctx context.Context, o Options, refused map[int]string, f workbook.Format, to io.Writer) error {
	o.DryRun = true
	if err := o.check(); err != nil {
		return err
	}
	src, err := openSource(o)
	if err != nil {
		return err
	}
	defer src.close()
	t, err := newTable(src, o.tableOptions())
	if err != nil {
		return err
	}
	if t.container != delimited {
		return wrongCall("the file holds objects, not rows of cells")
	}
	why := len(t.header)
	line := make([]string, why+1)
	for i, name := range t.header {
		if line[i] = name; name == whyColumn {
			why = i
		}
	}
	if line[why] = whyColumn; why < len(t.header) {
		line = line[:len(t.header)]
	}
	out, err := workbook.NewCSV(to, rune(t.delimiter), line...)
	if f == workbook.XLSX {
		out, err = workbook.NewTable(f, to, "Refused rows", time.UTC, line...)
	}
	if err != nil {
		return err
	}
	cells := make([]workbook.Value, len(line))
	err = eachRow(ctx, t, nil, func(r row) error {
		reason, found := refused[r.number]
		if !found {
			return nil
		}
		for i := range cells {
			cells[i] = workbook.Own(string(cellOf(r.cells, i)))
		}
		cells[why] = workbook.Own(reason)
		return out.Row(cells...)
	})
	if err != nil {
		return err
	}
	return out.Close()
}
