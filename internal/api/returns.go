package api

import (
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/orders"
	"entrepot/internal/records"
)

// returnRoutes are the returns and refunds of orders (interface §2.4, §4.1).
var returnRoutes = []*route{
	{method: "GET", path: "/api/v1/returns", name: "listAllReturns", section: "4.1", summary: "List the returns of all orders, newest first",
		scope: "read:orders", query: func(q *apijson.Query) { readReturnFilter(q) }, answer: data(sampleReturnPage),
		serve: (*API).listAllReturns},
	{method: "GET", path: "/api/v1/orders/{id}/returns", name: "listReturns", section: "4.1", summary: "List an order's returns",
		scope: "read:orders", answer: func(w *apijson.Writer) { writeReturnList(w, records.SampleOrder()) }, serve: (*API).listReturns},
	{method: "POST", path: "/api/v1/orders/{id}/returns", name: "createReturn", ifMatch: true, section: "4.1",
		summary: "Announce that units of an order come back", scope: "write:orders", status: http.StatusCreated,
		body: func(o *apijson.Object) { drafts.ReadReturn(o) }, answer: data(sampleReturn), serve: (*API).createReturn},
	{method: "PATCH", path: "/api/v1/orders/{id}/returns/{returnId}", name: "updateReturn", ifMatch: true, section: "4.1",
		summary: "Receive, refund or reject a return", errors: []int{409}, scope: "write:orders",
		body: func(o *apijson.Object) { drafts.ReadReturnUpdate(o) }, answer: data(sampleReturn), serve: (*API).updateReturn},
	{method: "POST", path: "/api/v1/orders/{id}/refunds", name: "createRefund", ifMatch: true, section: "4.1",
		summary: "Record that money of an order was paid back", scope: "write:orders", status: http.StatusCreated,
		body:   func(o *apijson.Object) { drafts.ReadRefund(o) },
		answer: data(func(w *apijson.Writer) { o := records.SampleOrder(); records.WriteRefund(w, o, o.Refunds[0]) }),
		serve:  (*API).createRefund},
}

func sampleReturn(w *apijson.Writer) {
	o := records.SampleOrder()
	records.WriteReturn(w, "data", o, o.Returns[0])
}

// readReturnFilter reads the parameters of the list of all returns.
func readReturnFilter(q *apijson.Query) orders.ReturnFilter {
	f := orders.ReturnFilter{Statuses: apijson.QueryEnums(q, "status", orders.ReturnStatuses...), Limit: q.Int("limit", 20, 1, 100)}
	f.From, f.To = readTimes(q)
	f.After = readAfter[id.Return](q)
	return f
}

// listAllReturns serves GET /api/v1/returns: 200; 400.
func (a *API) listAllReturns(r *request) (answer, error) {
	q := r.query()
	f := readReturnFilter(q)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	return a.paged(r, func(tx *db.Tx, w *apijson.Writer) error {
		list, more, err := orders.ListReturns(tx, f)
		if err != nil {
			return err
		}
		w.Object("")
		w.List("data")
		if err := writeRows(r, w, list, func(one *orders.ListedReturn) { records.WriteListedReturn(w, one.Order, one.Return) }); err != nil {
			return err
		}
		w.EndList()
		writeReturnMeta(w, list, f.Limit, more)
		w.End()
		return nil
	})
}

func writeReturnMeta(w *apijson.Writer, list []orders.ListedReturn, limit int, more bool) {
	w.Record("ReturnListMeta", "meta")
	w.Int("limit", int64(limit))
	next := ""
	if more {
		next = string(list[len(list)-1].ID)
	}
	w.TextOrNull("nextCursor", next)
	w.End()
}

// sampleReturnPage is a page that is not the last one.
func sampleReturnPage(w *apijson.Writer) {
	o := records.SampleOrder()
	w.List("data")
	records.WriteListedReturn(w, o, o.Returns[0])
	w.EndList()
	writeReturnMeta(w, []orders.ListedReturn{{Return: o.Returns[0], Order: o}}, 20, true)
}

// listReturns serves GET /api/v1/orders/{id}/returns: 200, oldest first; 404.
func (a *API) listReturns(r *request) (answer, error) {
	return a.listOfOrder(r, writeReturnList)
}

func writeReturnList(w *apijson.Writer, o *orders.Order) {
	writeWhole(w, o.Returns, func(one orders.Return) { records.WriteReturn(w, "", o, one) })
}

// createReturn serves POST /api/v1/orders/{id}/returns: 201; 400, 404, 409, 412.
func (a *API) createReturn(r *request) (answer, error) {
	body := r.object()
	draft := drafts.ReadReturn(body)
	return change(a, r, "order", body, func(tx *db.Tx, order id.Order, expected commerce.Expected) (answer, error) {
		o, one, err := a.Commerce.CreateReturn(tx, order, expected, draft)
		return returned(http.StatusCreated, o, one, err)
	})
}

// updateReturn serves PATCH /api/v1/orders/{id}/returns/{returnId}: 200; 400, 404, 409, 412.
func (a *API) updateReturn(r *request) (answer, error) {
	of, err := pathID[id.Return](r, "returnId", "return")
	if err != nil {
		return answer{}, err
	}
	body := r.object()
	update := drafts.ReadReturnUpdate(body)
	return change(a, r, "order", body, func(tx *db.Tx, order id.Order, expected commerce.Expected) (answer, error) {
		o, one, err := a.Commerce.UpdateReturn(tx, r.caller, order, expected, of, update)
		return returned(http.StatusOK, o, one, err)
	})
}

// returned is the answer with a return of an order.
func returned(status int, o *orders.Order, of orders.Return, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	return one(status, string(o.ID), func(w *apijson.Writer) { records.WriteReturn(w, "data", o, of) }), nil
}

// createRefund serves POST /api/v1/orders/{id}/refunds: 201; 400, 404, 412.
func (a *API) createRefund(r *request) (answer, error) {
	body := r.object()
	draft := drafts.ReadRefund(body)
	return change(a, r, "order", body, func(tx *db.Tx, order id.Order, expected commerce.Expected) (answer, error) {
		o, refund, err := a.Commerce.RefundOrder(tx, r.caller, order, expected, draft)
		if err != nil {
			return answer{}, err
		}
		return one(http.StatusCreated, string(o.ID), func(w *apijson.Writer) { records.WriteRefund(w, o, refund) }), nil
	})
}
