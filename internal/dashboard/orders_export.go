package dashboard

import (
	"cmp"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/audit"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/workbook"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// exportColumns are the columns of the exported file.
var exportColumns = []string{"orderNumber", "externalReference", "status", "createdAt", "channel", "customerName", "customerEmail",
	"country", "lines", "units", "shippedUnits", "subtotal", "discountAmount", "shippingAmount", "taxAmount", "total", "currency", "carrier",
	"trackingNumber", "tags", "assignedTo"}

// exportOrders serves POST /orders/export: the orders of the view, or the selected ones, as CSV or as a workbook in the order of the
// list. It is a POST because the audit log records it.
func (d *Dashboard) exportOrders(r *request) (answer, error) {
	sent := r.http.PostForm
	q, err := r.readOrders(sent)
	if err != nil {
		return answer{}, err
	}
	each := func(write func([]orders.Summary) error) error { return r.eachExported(q, write) }
	if ticked := tickedOrders(sent); sent.Get("all") == "" && len(ticked) > 0 {
		if slices.ContainsFunc(ticked, func(text string) bool { _, ok := id.Parse[id.Order](text); return !ok }) {
			return answer{}, apperr.New(apperr.Invalid, "invalid_ids", "an order that was chosen cannot be read")
		}
		each = func(write func([]orders.Summary) error) error { return r.eachTicked(idsOf[id.Order](ticked), write) }
	}
	names, err := r.readUserNames()
	if err != nil {
		return answer{}, err
	}
	err = r.store().Write(r.http.Context(), r.caller().Tenant, func(tx *db.Tx) error {
		audit.Record(tx, r.caller().Actor(), "orders.exported", "orders", "", map[string]string{"status": q.values.Get("status")})
		return nil
	})
	if err != nil {
		return answer{}, err
	}
	name := "orders-" + r.format.now.In(r.format.zone).Format(time.DateOnly)
	f := formatOf(sent)
	return answer{send: func(w http.ResponseWriter) error {
		if err := beginFile(w, f, name); err != nil {
			return err
		}
		out, err := workbook.NewTable(f, w, "Orders", r.format.zone, exportColumns...)
		if err != nil {
			return err
		}
		err = each(func(list []orders.Summary) error {
			for i := range list {
				if err := out.Row(exported(&list[i], names)...); err != nil {
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

// eachExported reads the matching orders page by page, each in a read of its own, so that a slow receiver holds no
// snapshot.
func (r *request) eachExported(q orderList, write func([]orders.Summary) error) error {
	f := q.Filter
	f.Offset, f.Limit = 0, exportPiece
	for {
		var list []orders.Summary
		err := r.readWide(func(tx *db.Tx) (err error) {
			list, _, err = orders.ListSummaries(tx, f)
			return err
		})
		if err == nil {
			err = write(list)
		}
		if err != nil || len(list) < f.Limit {
			return err
		}
		cursor := f.CursorOf(&list[len(list)-1].Order)
		f.After = &cursor
	}
}

// exported are the cells of an order, one for each of exportColumns; names are the account's users.
func exported(o *orders.Summary, names map[id.User]string) []workbook.Value {
	text, count := workbook.Text, func(n int64) workbook.Value { return workbook.Count(strconv.FormatInt(n, 10)) }
	amount := func(a money.Amount) workbook.Value { return workbook.Amount(a.Text(o.Currency)) }
	return []workbook.Value{text(orders.Number(o.Number)), text(foreignNumber(&o.Order)), text(string(o.Status)),
		workbook.Moment(time.UnixMicro(o.CreatedAt)), text(o.ChannelName), text(o.CustomerName), text(o.CustomerEmail),
		text(orders.Country(o.ShippingAddress)), count(o.ItemCount), count(o.Units.Ordered), count(o.Units.Shipped), amount(o.Subtotal),
		amount(o.DiscountAmount), amount(o.ShippingAmount), amount(o.Tax()), amount(o.Order.Total), text(o.Currency),
		text(o.TrackingCarrier), text(o.TrackingNumber), text(strings.Join(o.Tags, ", ")),
		text(cmp.Or(names[o.AssignedTo], string(o.AssignedTo)))}
}
