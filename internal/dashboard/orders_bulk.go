package dashboard

import (
	"strconv"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/limits"
	"entrepot/internal/orders"
)

// typedFrom is the number of orders from which a bulk change requires typing that number.
const typedFrom = 1000

// bulkAskView is what templates/orders_ask.html shows before a bulk change that is large or cannot be undone.
type bulkAskView struct {
	Head, Text, Label string
	Typed             string // what has to be typed, "" for nothing
	Form              *form
	Kept              []pair
	Wrong             bool
	Back              string
}

// moveOrders serves POST /orders/bulk: a job changes the status of the chosen orders, or of all in the view, and
// reports each. A change that cannot be undone needs confirmation first.
func (d *Dashboard) moveOrders(r *request) (answer, error) {
	sent := r.http.PostForm
	to := orders.Status(sent.Get("to"))
	if movedWords[to] == "" {
		return answer{}, apperr.New(apperr.Invalid, "invalid_status", "orders cannot be moved to this status")
	}
	q, err := r.readOrders(sent)
	if err != nil {
		return answer{}, err
	}
	if sent.Get("all") == "" && len(tickedOrders(sent)) == 0 {
		out := answer{to: q.first(), flash: &flash{Tone: "warn", Text: "No order is selected"}}
		return out, nil
	}
	var list []jobs.Order
	err = r.read(func(tx *db.Tx) (err error) {
		list, err = r.chosenOrders(tx, sent, commerce.MaxBulkOrders)
		return err
	})
	if out, many := q.tooMany(err); many {
		return out, nil
	}
	if err != nil {
		return answer{}, err
	}
	n := strconv.Itoa(len(list))
	seen, notSeen := strconv.Atoi(sent.Get("all"))
	more := sent.Get("all") != "" && (notSeen != nil || len(list) > seen)
	if to == orders.Shipped && len(list) <= limits.MaxBulkShip && sent.Get("confirm") == "" {
		return d.shipSheet(r, q, list)
	}
	asks := to == orders.Cancelled || to == orders.Returned || to == orders.Shipped || len(list) > typedFrom
	if confirmed := sent.Get("confirm"); more && confirmed != n || asks && (confirmed == "" || len(list) > typedFrom && confirmed != n) {
		return r.askBulk(q, to, list, more, confirmed != ""), nil
	}
	return d.write(r, func(tx *db.Tx) (answer, error) {
		job, err := d.Commerce.MoveOrders(tx, r.caller(), commerce.BulkDraft{To: to, Restock: sent.Get("restock") != "", Orders: list})
		return redirect(bulkReport(job), ""), err
	})
}

// bulkMoves are the moves of the bar below the list, but for shipping.
func bulkMoves() (list []option) {
	for _, s := range []orders.Status{orders.Processing, orders.Delivered, orders.Returned, orders.Cancelled} {
		move := option{Value: string(s), Label: movedWords[s]}
		switch s {
		case orders.Cancelled:
			move.Label = "Cancel orders…"
		case orders.Returned:
			move.Label += "…"
		}
		list = append(list, move)
	}
	return list
}

// askBulk is the page that asks for confirmation; more says that there are more orders than were seen when all were
// chosen.
func (r *request) askBulk(q orderList, to orders.Status, list []jobs.Order, more, wrong bool) answer {
	many := r.format.plural(int64(len(list)), "order", "orders")
	var asked []field
	if to == orders.Returned {
		asked = append(asked, restock)
	}
	view := bulkAskView{Head: movedWords[to] + ": " + many + "?", Label: movedWords[to], Form: r.form("/orders/bulk", asked...), Wrong: wrong,
		Back: q.with(), Kept: append(q.hidden(), pair{Name: "to", Value: string(to)}),
		Text: "Each order moves by itself; the report says which ones could not. Channels and your webhooks hear of it."}
	switch to {
	case orders.Cancelled, orders.Returned:
		view.Text += " You cannot undo this."
	case orders.Shipped:
		view.Text = r.say("They ship without tracking: the sheet for tracking numbers takes %s orders. %s The report can undo all of it.",
			r.format.Count(limits.MaxBulkShip), view.Text)
	}
	if more {
		view.Text = r.say("Meanwhile more orders match than the list showed. %s", view.Text)
	}
	view.Kept = append(view.Kept, r.chosenAgain(len(list))...)
	if len(list) > typedFrom {
		view.Typed = strconv.Itoa(len(list))
	} else {
		view.Kept = append(view.Kept, pair{Name: "confirm", Value: "yes"})
	}
	return show(screen{Template: "orders_ask", Title: view.Head, Section: "/orders", Crumbs: []crumb{{"Orders", "/orders"}, {"Move many", ""}},
		Data: view})
}

// chosenAgain are the inputs by which another form chooses the same n orders.
func (r *request) chosenAgain(n int) (list []pair) {
	for _, name := range []string{"all", "id", until} {
		for _, value := range r.http.PostForm[name] {
			if name == "all" {
				value = strconv.Itoa(n)
			}
			list = append(list, pair{Name: name, Value: value})
		}
	}
	return list
}

// bulkView is what templates/orders_bulk.html shows: the progress of a bulk change, and the outcome of each order.
type bulkView struct {
	Badge         badge
	Gauge         gauge
	Done, Refused string
	Started       stamp
	Running       bool
	Undo          *form // deletes the shipments that were made; nil: there are none, or the user may not
	*listing
	Rows []bulkRow
}

type bulkRow struct {
	Number, To string
	Badge      badge
	Message    string
}

// outcomeWords are the outcomes of an order in a bulk move.
var outcomeWords = map[jobs.Outcome]badge{jobs.Done: {"good", "ok", "Done"}, jobs.Refused: {"bad", "fail", "Refused"},
	"": {"", "wait", "Waits"}}

// showBulk serves GET /orders/bulk/{id}.
func (d *Dashboard) showBulk(r *request) (answer, error) {
	which, err := pathID[id.Job](r, "job")
	if err != nil {
		return answer{}, err
	}
	l := r.listing("/orders/bulk/"+string(which), "order", "orders", "outcome")
	l.size, l.Shape, l.Heads = 100, "few", []head{{Label: "Order"}, {Label: "Outcome"}, {Label: "Reason"}}
	only := jobs.Outcome(l.values.Get("outcome"))
	if outcomeWords[only] == (badge{}) {
		only = ""
	}
	var job jobs.Job
	var list []jobs.Order
	var total int64
	err = r.read(func(tx *db.Tx) (err error) {
		if job, err = jobs.ByID(tx, which); err != nil {
			return err
		}
		if job.Type != jobs.OrderBulk {
			return apperr.Missing("job")
		}
		list, total, err = jobs.Report(tx, which, only, l.size, l.offset())
		return err
	})
	if err != nil {
		return answer{}, err
	}
	view := bulkView{listing: l, Gauge: r.format.gauge(job.Processed, job.Total, "%s of %s"), Done: r.format.Count(job.Updated),
		Refused: r.format.Count(job.Failed), Started: r.format.Stamp(job.CreatedAt), Running: job.CompletedAt == 0}
	l.countTab("All", "outcome", "", job.Total)
	l.countTab("Done", "outcome", "done", job.Updated)
	l.countTab("Refused", "outcome", "refused", job.Failed)
	l.rows(len(list), total)
	switch {
	case view.Running:
		view.Badge = badge{"info", "wait", "Running"}
	case job.Failed > 0:
		view.Badge = badge{"warn", "ok", "Done, some refused"}
	default:
		view.Badge = badge{"good", "ok", "Done"}
	}
	if !view.Running && job.Updated > 0 && commerce.BulkShips(job) && r.caller().May("write:orders") {
		view.Undo = r.form("/orders/bulk/" + string(which) + "/undo")
	}
	for _, o := range list {
		row := bulkRow{Number: orders.Number(o.Number), To: prefix + "/orders/" + string(o.ID), Badge: outcomeWords[o.Outcome]}
		if o.Outcome == jobs.Refused {
			row.Message = whyNotMoved(o.Message)
		}
		view.Rows = append(view.Rows, row)
	}
	title := movedWords[commerce.BulkTarget(job)]
	if commerce.BulkUndoes(job) {
		title = "Undo shipping"
	}
	if commerce.BulkTags(job) {
		title = "Tag or assign"
	}
	return l.show(screen{Template: "orders_bulk", Title: title, Section: "/orders",
		Crumbs: []crumb{{"Orders", "/orders"}, {"Many at once", ""}}, Data: view}), nil
}
