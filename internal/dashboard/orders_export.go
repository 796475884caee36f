package dashboard

import (
	"encoding/csv"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"time"

	"entrepot/internal/audit"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/importer"
	"entrepot/internal/orders"
)

// exportColumns are the columns of the exported file.
var exportColumns = []string{"orderNumber", "externalReference", "status", "createdAt", "channel", "customerName", "customerEmail",
	"country", "lines", "units", "shippedUnits", "subtotal", "discountAmount", "shippingAmount", "taxAmount", "total", "currency", "carrier",
	"trackingNumber"}

// exportOrders serves POST /orders/export: the orders of the view, or the selected ones, as CSV in the order of the
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
	err = r.store().Write(r.http.Context(), r.caller().Tenant, func(tx *db.Tx) error {
		audit.Record(tx, r.caller().Actor(), "orders.exported", "orders", "", map[string]string{"status": q.values.Get("status")})
		return nil
	})
	if err != nil {
		return answer{}, err
	}
	name := "orders-" + r.format.now.In(r.format.zone).Format(time.DateOnly) + ".csv"
	return answer{send: func(w http.ResponseWriter) error {
		if err := beginCSV(w, name); err != nil {
			return err
		}
		out := csv.NewWriter(w)
		if err := out.Write(exportColumns); err != nil {
			return err
		}
		return each(func(list []orders.Summary) error {
			for i := range list {
				if err := out.Write(exported(&list[i])); err != nil {
					return err
				}
			}
			out.Flush()
			return out.Error()
		})
	}}, nil
}

// beginCSV begins a file to download. By its byte order mark spreadsheets know that it is UTF-8, which they would
// take for the encoding of the computer; the importer passes it over, as most other programs do.
func beginCSV(w http.ResponseWriter, name string) error {
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
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

func exported(o *orders.Summary) []string {
	row := []string{orders.Number(o.Number), foreignNumber(&o.Order), string(o.Status), timestamp(o.CreatedAt), o.ChannelName, o.CustomerName,
		o.CustomerEmail, orders.Country(o.ShippingAddress), strconv.FormatInt(o.ItemCount, 10), strconv.FormatInt(o.Units.Ordered, 10),
		strconv.FormatInt(o.Units.Shipped, 10), o.Subtotal.Text(o.Currency), o.DiscountAmount.Text(o.Currency),
		o.ShippingAmount.Text(o.Currency), o.Tax().Text(o.Currency), o.Order.Total.Text(o.Currency), o.Currency, o.TrackingCarrier,
		o.TrackingNumber}
	for i := range row {
		row[i] = importer.Harmless(row[i])
	}
	return row
}

// timestamp is a moment as the API writes it.
func timestamp(micros int64) string {
	return time.UnixMicro(micros).UTC().Format("2006-01-02T15:04:05.000Z")
}
