package importer

import (
	"cmp"
	"context"
	"encoding/csv"
	"io"
)

// whyColumn is the column that WriteRefusedRows adds; it is never imported.
const whyColumn = "why it was refused"

// WriteRefusedRows writes the refused rows of a delimited file as a CSV file with the same columns and one more with the reason,
// so that they can be corrected and imported again. refused has the reason by row number; other rows are left out.
// Cells that a spreadsheet would run as a formula stay as they are, because it is the user's own data. Errors:
// *CallError when the file has no rows of cells.
func WriteRefusedRows(ctx context.Context, o Options, refused map[int]string, to io.Writer) error {
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
	out := csv.NewWriter(to)
	out.Comma = rune(t.delimiter)
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
	if err := out.Write(line); err != nil {
		return err
	}
	err = eachRow(ctx, t, nil, func(r row) error {
		reason, found := refused[r.number]
		if !found {
			return nil
		}
		for i := range line {
			line[i] = string(cellOf(r.cells, i))
		}
		line[why] = reason
		return out.Write(line)
	})
	out.Flush()
	return cmp.Or(err, out.Error())
}
