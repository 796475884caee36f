package api

import (
	"net/http"
	"time"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/idempotency"
	"entrepot/internal/orders"
	"entrepot/internal/records"
)

// orderRoutes are interface §4.1.
var orderRoutes = []*route{
	{method: "GET", path: "/api/v1/orders", name: "listOrders", section: "4.1", summary: "List orders", scope: "read:orders",
		query: func(q *apijson.Query) { readOrderFilter(q) }, answer: sampleOrderList, serve: (*API).listOrders},
	{method: "POST", path: "/api/v1/orders", name: "createOrder", section: "4.1", errors: []int{404}, summary: "Create an order",
		scope: "write:orders", status: http.StatusCreated,
		body: func(o *apijson.Object) { drafts.ReadOrder(o, time.Time{}) }, answer: data(func(w *apijson.Writer) {
			records.WriteOrderReceipt(w, records.SampleOrder(), records.SampleOrder().ShippingAddress)
		}), serve: (*API).createOrder},
	{method: "GET", path: "/api/v1/orders/{id}", name: "getOrder", section: "4.1", summary: "Read an order", scope: "read:orders",
		answer: data(func(w *apijson.Writer) { records.WriteOrder(w, "data", records.SampleOrder()) }), serve: (*API).getOrder},
	{method: "PATCH", path: "/api/v1/orders/{id}", name: "updateOrder", ifMatch: true, section: "4.1",
		summary: "Change an order's notes, addresses and payment metadata", scope: "write:orders",
		body:   func(o *apijson.Object) { drafts.ReadOrderUpdate(o) },
		answer: data(func(w *apijson.Writer) { records.WriteOrder(w, "data", records.SampleOrder()) }), serve: (*API).updateOrder},
	{method: "PATCH", path: "/api/v1/orders/{id}/status", name: "updateOrderStatus", ifMatch: true, section: "4.1",
		summary: "Move an order's status", errors: []int{422}, scope: "write:orders",
		body:   func(o *apijson.Object) { drafts.ReadMove(o) },
		answer: data(func(w *apijson.Writer) { records.WriteOrder(w, "data", records.SampleOrder()) }), serve: (*API).updateOrderStatus},
	{method: "PUT", path: "/api/v1/orders/{id}/items", name: "replaceOrderItems", ifMatch: true, section: "4.1",
		summary: "Replace an order's lines", scope: "write:orders",
		body:   func(o *apijson.Object) { drafts.ReadOrderLines(o) },
		answer: data(func(w *apijson.Writer) { records.WriteOrder(w, "data", records.SampleOrder()) }), serve: (*API).replaceOrderItems},
}

// data describes an answer of {"data": …}.
func data(write func(*apijson.Writer)) func(*apijson.Writer) {
	return func(w *apijson.Writer) {
		w.Object("")
		write(w)
		w.End()
	}
}

// createOrder serves POST /api/v1/orders: 201; 400, 404, 409.
func (a *API) createOrder(r *request) (out answer, err error) {
	body := r.object()
	draft := drafts.ReadOrder(body, a.DB.Now())
	if err := body.Err(); err != nil {
		return answer{}, err
	}
	k, err := a.keyOf(r)
	if err != nil {
		return answer{}, err
	}
	taken, err := a.Commerce.TakeOrder(r.ctx(), a.store(r), commerce.OrderIntake{Draft: draft, Who: r.caller, Author: a.author(r), Confirm: true,
		Key: idempotency.Ref{Key: k.key, Space: k.space}, Fingerprint: k.fingerprint,
		Answer: func(o *orders.Order) idempotency.Answer {
			out := one(http.StatusCreated, string(o.ID), func(w *apijson.Writer) { records.WriteOrderReceipt(w, o, draft.ShippingAddress) })
			return idempotency.Answer{Status: out.status, Body: string(out.body), Resource: out.resource}
		}})
	switch {
	case err == nil && taken.Before:
		out, err = k.answer(&taken.Answer)
	case err == nil:
		out = answer{status: taken.Answer.Status, body: []byte(taken.Answer.Body), resource: taken.Answer.Resource}
	}
	return a.answered(r, k, out, err)
}

// getOrder serves GET /api/v1/orders/{id}: 200; 404.
func (a *API) getOrder(r *request) (answer, error) {
	o, err := a.readOrder(r)
	if err != nil {
		return answer{}, err
	}
	return fullOrder(o), nil
}

// readOrder reads the order of the path.
func (a *API) readOrder(r *request) (o *orders.Order, err error) {
	order, err := pathID[id.Order](r, "id", "order")
	if err != nil {
		return nil, err
	}
	err = a.read(r, func(tx *db.Tx) (err error) {
		tx.Last()
		o, err = orders.ByID(tx, order)
		return err
	})
	return o, err
}

// fullOrder is the answer 200 with all members of an order.
func fullOrder(o *orders.Order) answer {
	return one(http.StatusOK, string(o.ID), func(w *apijson.Writer) { records.WriteOrder(w, "data", o) })
}

// changeOrder runs one operation on the order of the path and answers with the full order.
func (a *API) changeOrder(r *request, body *apijson.Object,
	operation func(tx *db.Tx, order id.Order, expected commerce.Expected) (*orders.Order, error)) (answer, error) {
	return change(a, r, "order", body, func(tx *db.Tx, order id.Order, expected commerce.Expected) (answer, error) {
		o, err := operation(tx, order, expected)
		if err != nil {
			return answer{}, err
		}
		return fullOrder(o), nil
	})
}

// updateOrderStatus serves PATCH /api/v1/orders/{id}/status: 200 with the full order; 400, 404, 412, 422.
func (a *API) updateOrderStatus(r *request) (answer, error) {
	body := r.object()
	move := drafts.ReadMove(body)
	move.Source = orders.FromAPI
	return a.changeOrder(r, body, func(tx *db.Tx, order id.Order, expected commerce.Expected) (*orders.Order, error) {
		return a.Commerce.MoveOrder(tx, r.caller, order, expected, move)
	})
}

// replaceOrderItems serves PUT /api/v1/orders/{id}/items: 200 with the full order; 400, 404, 409, 412.
func (a *API) replaceOrderItems(r *request) (answer, error) {
	body := r.object()
	edit := drafts.ReadOrderLines(body)
	return a.changeOrder(r, body, func(tx *db.Tx, order id.Order, expected commerce.Expected) (*orders.Order, error) {
		return a.Commerce.EditOrder(tx, r.caller, order, expected, edit)
	})
}

// updateOrder serves PATCH /api/v1/orders/{id}: 200 with the full order; 400, 404, 409, 412.
func (a *API) updateOrder(r *request) (answer, error) {
	body := r.object()
	update := drafts.ReadOrderUpdate(body)
	return a.changeOrder(r, body, func(tx *db.Tx, order id.Order, expected commerce.Expected) (*orders.Order, error) {
		return a.Commerce.UpdateOrder(tx, r.caller, order, expected, update)
	})
}

// listOrders serves GET /api/v1/orders: 200; 400.
func (a *API) listOrders(r *request) (answer, error) {
	q := r.query()
	f, p := readOrderFilter(q)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	return a.orderPage(r, f, p)
}

// orderPage answers one page of orders.
func (a *API) orderPage(r *request, f orders.Filter, p page) (answer, error) {
	return a.paged(r, func(tx *db.Tx, w *apijson.Writer) error {
		w.Object("")
		w.List("data")
		written := false
		write := func(piece []orders.Order) error {
			written = true
			for i := range piece {
				records.WriteOrderRow(w, &piece[i])
				if err := r.cut(w); err != nil {
					return err
				}
			}
			return nil
		}
		list, total, err := orders.List(tx, f, write)
		if err == nil && !written {
			err = write(list)
		}
		if err == nil {
			endOrderList(w, list, f, p, total)
		}
		return err
	})
}

func writeOrderList(w *apijson.Writer, list []orders.Order, f orders.Filter, p page, total int64) {
	w.Object("")
	w.List("data")
	for i := range list {
		records.WriteOrderRow(w, &list[i])
	}
	endOrderList(w, list, f, p, total)
}

// endOrderList writes what follows the orders of a page.
func endOrderList(w *apijson.Writer, list []orders.Order, f orders.Filter, p page, total int64) {
	w.EndList()
	next := ""
	if len(list) == f.Limit {
		next = f.CursorOf(&list[len(list)-1]).String()
	}
	writeMeta(w, p, total, nextCursor(next))
	w.End()
}

func sampleOrderList(w *apijson.Writer) {
	writeOrderList(w, []orders.Order{*records.SampleOrder()}, orders.Filter{Limit: 1}, page{1, 20}, 1)
}

// readOrderFilter reads the parameters of the order list (interface §4.1).
func readOrderFilter(q *apijson.Query) (orders.Filter, page) {
	p := readPage(q, 20, 100)
	f := drafts.ReadOrderFilter(q)
	if f.Limit = p.Limit; f.After == nil {
		f.Offset = p.Offset()
	}
	return f, p
}
