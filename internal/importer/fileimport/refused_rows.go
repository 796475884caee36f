package fileimport

import (
	"context"
	"io"
	"strconv"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/workbook"
	"entrepot/internal/db"
	"entrepot/internal/importer"
	"entrepot/internal/imports"
)

// WriteRefusedRows writes the refused rows of an import, or of its dry run, as a file with the same columns and one more with the
// reason. Errors: Conflict when the file is not stored any more, Invalid when it has objects instead of rows.
func WriteRefusedRows(ctx context.Context, store *db.DB, tenant id.Tenant, i imports.Import, dry bool, f workbook.Format, to io.Writer) error {
	found, err := ReadFound(i)
	if err != nil {
		return err
	}
	if found.Delimiter == "" {
		return apperr.New(apperr.Invalid, "no_rows", "the file holds objects, not rows of cells: take the report")
	}
	o, err := ReadOptions(i)
	if err != nil {
		return err
	}
	why := map[int]string{}
	err = store.Read(ctx, tenant, func(tx *db.Tx) error {
		clear(why)
		return imports.EachLine(tx, i.ID, dry, true, func(l imports.Line) error {
			if have := why[int(l.Row)]; have != "" {
				l.Message = have + "; " + l.Message
			}
			why[int(l.Row)] = l.Message
			return nil
		})
	})
	if err != nil {
		return err
	}
	file, err := Copy(ctx, store, tenant, i.ID)
	if err != nil {
		return err
	}
	defer file.Close()
	return importer.WriteRefusedRows(ctx, o.importer(i.Kind, file.Open, i.Name), why, f, to)
}

// Report writes the rows that were refused, or stored with changes.
func Report(ctx context.Context, store *db.DB, tenant id.Tenant, i imports.Import, dry bool, f workbook.Format, to io.Writer) error {
	out, err := workbook.NewTable(f, to, "Report", time.UTC, "row", "line", "level", "rows", "sku", "field", "code", "message")
	if err != nil {
		return err
	}
	err = eachLine(ctx, store, tenant, i.ID, dry, func(l imports.Line) error {
		level := importer.Note
		if l.Refused {
			level = importer.Refused
		}
		if l.Code == beforeCode {
			return nil
		}
		count := func(n int64) workbook.Value { return workbook.Count(strconv.FormatInt(n, 10)) }
		return out.Row(count(l.Row), count(l.Line), workbook.Text(string(level)), count(l.Rows), workbook.Text(l.Item), workbook.Own(l.Field),
			workbook.Own(l.Code), workbook.Text(l.Message))
	})
	if err != nil {
		return err
	}
	return out.Close()
}
