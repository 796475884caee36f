package dashboard

import (
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/workbook"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/exports"
	"entrepot/internal/orders"
)

// exportOrders serves POST /orders/export: the orders of the view, in the order of the list, or the selected ones. It is a POST because
// the audit log records it.
func (d *Dashboard) exportOrders(r *request) (answer, error) {
	sent := r.http.PostForm
	q, err := r.readOrders(sent)
	if err != nil {
		return answer{}, err
	}
	ticked := tickedOrders(sent)
	if sent.Get("all") != "" || len(ticked) == 0 {
		return d.export(r, exports.Orders, commerce.ExportFilter{Orders: &q.Filter})
	}
	if slices.ContainsFunc(ticked, func(text string) bool { _, ok := id.Parse[id.Order](text); return !ok }) {
		return answer{}, apperr.New(apperr.Invalid, "invalid_ids", "an order that was chosen cannot be read")
	}
	return d.exportTicked(r, idsOf[id.Order](ticked))
}

// exportTicked sends a file of selected orders, in their order; JSON lines are of whole views only.
func (d *Dashboard) exportTicked(r *request, ticked []id.Order) (answer, error) {
	names, err := r.readUserNames()
	if err != nil {
		return answer{}, err
	}
	e := exports.Export{Kind: exports.Orders, Format: exports.Format(formatOf(r.http.PostForm)), CreatedAt: r.format.now.UnixMicro()}
	err = r.store().Write(r.http.Context(), r.caller().Tenant, func(tx *db.Tx) error {
		recordExport(tx, r, e.Kind, e.Format, int64(len(ticked)))
		return nil
	})
	if err != nil {
		return answer{}, err
	}
	return answer{send: func(w http.ResponseWriter) error {
		beginExport(w, e, r.format.zone)
		out, err := exports.NewTable(e.Format, w, "Orders", r.format.zone, exports.OrderColumns)
		if err != nil {
			return err
		}
		err = r.eachTicked(ticked, func(list []orders.Summary) error {
			for i := range list {
				if err := out.Row(exports.Order(&list[i], names)...); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		return out.Close()
	}}, nil
}

// formatOf is the format of a file that is asked for.
func formatOf(asked url.Values) workbook.Format {
	if asked.Get("as") == string(workbook.XLSX) {
		return workbook.XLSX
	}
	return workbook.CSV
}

// beginFile begins a file to download; its name gets the format's ending. By the byte order mark of CSV spreadsheets
// know that it is UTF-8, which they would take for the encoding of the computer; the importer passes it over, as most
// other programs do.
func beginFile(w http.ResponseWriter, f workbook.Format, name string) error {
	w.Header().Set("Content-Type", f.ContentType())
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name + "." + string(f)}))
	if f != workbook.CSV {
		return nil
	}
	_, err := io.WriteString(w, "\ufeff")
	return err
}

// eachTicked reads orders by their ids, in pieces, whatever list they are in by now.
func (r *request) eachTicked(ticked []id.Order, write func([]orders.Summary) error) error {
	for piece := range slices.Chunk(ticked, exportPiece) {
		var list []orders.Summary
		err := r.readWide(func(tx *db.Tx) error {
			whole, err := orders.ByIDs(tx, piece)
			list = make([]orders.Summary, len(whole))
			for i := range whole {
				list[i] = orders.Summary{Order: whole[i], Units: whole[i].Units()}
			}
			return err
		})
		if err == nil {
			err = write(list)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// exportPiece is how many orders are read at once.
const exportPiece = 500
