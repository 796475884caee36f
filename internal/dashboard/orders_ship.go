package dashboard

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
)

// sheetView is what templates/orders_ship.html shows: the orders that are to be shipped together, with a carrier and
// a tracking number for each.
type sheetView struct {
	Form    *form
	Kept    []pair
	Carrier string // for rows without one whose number does not tell
	Numbers string // pasted, for the rows without a number
	Wrong   string // why nothing was shipped
	Without int    // orders without a tracking number that the person was asked about; 0 before the question
	Asked   string // the question
	Rows    []sheetRow
	Words   string // "Ship 3 orders"
	Back    string
}

type sheetRow struct {
	ID, Number, To, Who string
	Units               string
	Carrier, Tracking   string
	Badge               badge
	Why                 string // why the order cannot be shipped; "" if it can
	Overtaken           bool   // it could be shipped when the sheet was made: the report says why it was not
}

// bulkReport is the page of a bulk job, below the prefix.
func bulkReport(job jobs.Job) string { return "/orders/bulk/" + string(job.ID) }

// shipSheet ships some orders with what is typed for each. Only its last button ships: Enter in an input, which a
// scanner sends after each number, fills in what is known of the rows. While orders have no tracking number, that
// button asks once before it ships.
func (d *Dashboard) shipSheet(r *request, q orderList, list []jobs.Order) (answer, error) {
	sent := r.http.PostForm
	var whole []orders.Order
	err := r.read(func(tx *db.Tx) (err error) {
		ids := make([]id.Order, len(list))
		for i := range list {
			ids[i] = list[i].ID
		}
		whole, err = orders.ByIDs(tx, ids)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	of := map[id.Order]*orders.Order{}
	for i := range whole {
		of[whole[i].ID] = &whole[i]
	}
	view := sheetView{Form: r.form("/orders/bulk"), Back: q.with(), Carrier: r.sheetCarrier(),
		Kept: append(q.hidden(), pair{Name: "to", Value: string(orders.Shipped)})}
	typed := typedTracking(sent)
	var ready, overtaken []jobs.Order
	without := 0
	for _, one := range list {
		o := of[one.ID]
		if o == nil {
			continue
		}
		row := sheetRow{ID: string(o.ID), Number: orders.Number(o.Number), To: prefix + "/orders/" + string(o.ID), Who: o.CustomerName,
			Badge: statusWords[o.Status]}
		if o.Status != orders.Processing && o.Status != orders.PartiallyShipped {
			row.Why = whyNotMoved(refusedShipping(o.Status))
			if _, shown := typed.carrier[row.ID]; shown && sent.Has("rowCarrier") { // ids of the list come without
				row.Overtaken = true
				overtaken = append(overtaken, one)
			}
			view.Rows = append(view.Rows, row)
			continue
		}
		units := o.Units()
		row.Units = r.format.plural(units.Ordered-units.Shipped, "unit", "units")
		row.Tracking = typed.number(row.ID)
		if row.Carrier = typed.carrier[row.ID]; row.Carrier == "" {
			row.Carrier = orders.CarrierOf(row.Tracking)
		}
		if row.Tracking == "" {
			without++
		}
		ready = append(ready, commerce.Tracked(one, cmp.Or(row.Carrier, view.Carrier), row.Tracking))
		view.Rows = append(view.Rows, row)
	}
	view.Words = r.say("Ship %s", r.format.plural(int64(len(ready)), "order", "orders"))
	view.Numbers = strings.Join(typed.rest, "\n")
	for _, text := range append(typed.all, view.Carrier) {
		if len([]rune(text)) > apijson.MaxText {
			view.Wrong = r.say("A carrier or a number is longer than %s characters", r.format.Count(apijson.MaxText))
		}
	}
	asked, _ := strconv.Atoi(sent.Get("without"))
	if without > 0 && without <= asked {
		view.Without = asked
	}
	switch {
	case sent.Get("act") != "ship" || view.Wrong != "":
	case len(typed.rest) > 0:
		view.Wrong = "There are more numbers than orders"
	case len(ready) == 0:
		view.Wrong = "None of these orders can ship"
	case without > asked:
		view.Without = without
		view.Asked = r.say("%s no tracking number. Ship again to go on without.", r.format.plural(int64(without), "order has", "orders have"))
		view.Words += r.say(", %s without tracking", r.format.Count(int64(without)))
	default:
		return d.write(r, func(tx *db.Tx) (answer, error) {
			job, err := d.Commerce.MoveOrders(tx, r.caller(), commerce.BulkDraft{To: orders.Shipped, Orders: append(ready, overtaken...)})
			return r.remembered(redirect(bulkReport(job), ""), view.Carrier), err
		})
	}
	return show(screen{Template: "orders_ship", Title: "Ship orders", Section: "/orders", Data: view,
		Crumbs: []crumb{{"Orders", "/orders"}, {"Ship orders", ""}}}), nil
}

// sheetCarrier is the carrier of a sheet: what was typed, else that of this browser's last parcel.
func (r *request) sheetCarrier() string {
	if r.http.PostForm.Has("carrier") {
		return strings.TrimSpace(r.http.PostForm.Get("carrier"))
	}
	return r.lastCarrier()
}

// tracking is what was typed into a sheet, by order, and pasted for the rows that have no number.
type tracking struct {
	carrier, numbers map[string]string
	rest             []string // pasted numbers that no row has yet
	all              []string // every text
}

func typedTracking(sent url.Values) tracking {
	t := tracking{carrier: map[string]string{}, numbers: map[string]string{}}
	for i, order := range sent["id"] {
		at := func(name string) string {
			if list := sent[name]; len(list) == len(sent["id"]) {
				return strings.TrimSpace(list[i])
			}
			return ""
		}
		t.carrier[order], t.numbers[order] = at("rowCarrier"), at("number")
		t.all = append(t.all, t.carrier[order], t.numbers[order])
	}
	for line := range strings.Lines(sent.Get("numbers")) {
		if line = strings.TrimSpace(line); line != "" {
			t.rest, t.all = append(t.rest, line), append(t.all, line)
		}
	}
	return t
}

// number is the tracking number of a row: the one typed there, else the next of those that were pasted.
func (t *tracking) number(order string) string {
	number := t.numbers[order]
	if number == "" && len(t.rest) > 0 {
		number, t.rest = t.rest[0], t.rest[1:]
	}
	return number
}

// undoBulk serves POST /orders/bulk/{id}/undo: a job deletes the shipments that a bulk job has made.
func (d *Dashboard) undoBulk(r *request) (answer, error) {
	which, err := pathID[id.Job](r, "job")
	if err != nil {
		return answer{}, err
	}
	return d.write(r, func(tx *db.Tx) (answer, error) {
		job, err := d.Commerce.UndoShipped(tx, r.caller(), which)
		return redirect(bulkReport(job), ""), err
	})
}

// refusedShipping is why an order in a status cannot be shipped.
func refusedShipping(status orders.Status) string {
	if e, is := apperr.As(status.May(orders.Shipped)); is {
		return e.Message
	}
	return ""
}
