package fileimport

import (
	"cmp"
	"context"
	"encoding/csv"
	"io"
	"strconv"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/importer"
	"entrepot/internal/imports"
)

// WriteRefusedRows writes the refused rows of an import, or of its dry run, as a file with the same columns and one more with the
// reason. Errors: Conflict when the file is not stored any more, Invalid when it has objects instead of rows.
func WriteRefusedRows(ctx context.Context, store *db.DB, tenant id.Tenant, i imports.Import, dry bool, to io.Writer) error {
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
	return importer.WriteRefusedRows(ctx, o.importer(i.Kind, file.Open, i.Name), why, to)
}

// Report writes the rows that were refused, or stored with changes, as CSV.
func Report(ctx context.Context, store *db.DB, tenant id.Tenant, i imports.Import, dry bool, to io.Writer) error {
	out := csv.NewWriter(to)
	if err := out.Write([]string{"row", "line", "level", "rows", "sku", "field", "code", "message"}); err != nil {
		return err
	}
	err := eachLine(ctx, store, tenant, i.ID, dry, func(l imports.Line) error {
		level := importer.Note
		if l.Refused {
			level = importer.Refused
		}
		if l.Code == beforeCode {
			return nil
		}
		return out.Write([]string{strconv.FormatInt(l.Row, 10), strconv.FormatInt(l.Line, 10), string(level), strconv.FormatInt(l.Rows, 10),
			importer.Harmless(l.Item), l.Field, l.Code, importer.Harmless(l.Message)})
	})
	out.Flush()
	return cmp.Or(err, out.Error())
}
