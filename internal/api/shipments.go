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

// shipmentRoutes are interface §2.4 and §4.1.
var shipmentRoutes = []*route{
	{method: "GET", path: "/api/v1/orders/{id}/shipments", name: "listShipments", section: "4.1", summary: "List an order's shipments",
		scope:  "read:orders",
		answer: func(w *apijson.Writer) { writeShipments(w, records.SampleOrder()) }, serve: (*API).listShipments},
	{method: "POST", path: "/api/v1/orders/{id}/shipments", name: "createShipment", ifMatch: true, section: "4.1",
		summary: "Ship lines of an order", errors: []int{422}, scope: "write:orders", status: http.StatusCreated,
		body:   func(o *apijson.Object) { drafts.ReadShipment(o) },
		answer: data(func(w *apijson.Writer) { o := records.SampleOrder(); records.WriteNewShipment(w, o, o.Shipments[0]) }),
		serve:  (*API).createShipment},
	{method: "PATCH", path: "/api/v1/orders/{id}/shipments/{shipmentId}", name: "updateShipment", ifMatch: true, section: "4.1",
		summary: "Correct a shipment's tracking", errors: []int{409}, scope: "write:orders",
		body: func(o *apijson.Object) { drafts.ReadShipmentUpdate(o) },
		answer: data(func(w *apijson.Writer) {
			o := records.SampleOrder()
			records.WriteShipment(w, "data", o, o.Shipments[0])
		}),
		serve: (*API).updateShipment},
	{method: "POST", path: "/api/v1/orders/bulk-ship", name: "bulkShipOrders", section: "4.1", summary: "Ship several orders",
		scope: "write:orders", body: func(o *apijson.Object) { drafts.ReadBulkShip(o) },
		answer: data(func(w *apijson.Writer) {
			writeBulkShipped(w, 1, []commerce.ShipError{{Index: 1, OrderNumber: "ORD-000043", Code: "nothing_to_ship",
				Error: "nothing of the order remains to be shipped"}})
		}), serve: (*API).bulkShipOrders},
	{method: "DELETE", path: "/api/v1/orders/{id}/shipments/{shipmentId}", name: "deleteShipment", ifMatch: true, section: "4.1",
		summary: "Delete a shipment", errors: []int{409}, scope: "write:orders",
		answer: data(func(w *apijson.Writer) {
			o := records.SampleOrder()
			writeDeleted(w, o.Shipments[0].ID, func(w *apijson.Writer) { records.WriteOrderState(w, o) })
		}), serve: (*API).deleteShipment},
}

// createShipment serves POST /api/v1/orders/{id}/shipments: 201; 400, 404, 409, 412, 422.
func (a *API) createShipment(r *request) (answer, error) {
	body := r.object()
	draft := drafts.ReadShipment(body)
	return change(a, r, "order", body, func(tx *db.Tx, order id.Order, expected commerce.Expected) (answer, error) {
		o, s, err := a.Commerce.ShipOrder(tx, r.caller, order, expected, draft)
		if err != nil {
			return answer{}, err
		}
		return one(http.StatusCreated, string(s.ID), func(w *apijson.Writer) { records.WriteNewShipment(w, o, s) }), nil
	})
}

// updateShipment serves PATCH /api/v1/orders/{id}/shipments/{shipmentId}: 200; 400, 404, 409, 412.
func (a *API) updateShipment(r *request) (answer, error) {
	shipment, err := pathID[id.Shipment](r, "shipmentId", "shipment")
	if err != nil {
		return answer{}, err
	}
	body := r.object()
	update := drafts.ReadShipmentUpdate(body)
	return change(a, r, "order", body, func(tx *db.Tx, order id.Order, expected commerce.Expected) (answer, error) {
		o, s, err := a.Commerce.UpdateShipment(tx, r.caller, order, expected, shipment, update)
		if err != nil {
			return answer{}, err
		}
		return one(http.StatusOK, string(s.ID), func(w *apijson.Writer) { records.WriteShipment(w, "data", o, s) }), nil
	})
}

// bulkShipOrders serves POST /api/v1/orders/bulk-ship: 200; 400.
func (a *API) bulkShipOrders(r *request) (answer, error) {
	body := r.object()
	list, invalid := drafts.ReadBulkShip(body)
	if err := body.Err(); err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		shipped, failed, err := a.Commerce.ShipOrders(tx, r.caller, list, invalid)
		if err != nil {
			return answer{}, err
		}
		return one(http.StatusOK, "", func(w *apijson.Writer) { writeBulkShipped(w, len(shipped), failed) }), nil
	})
}

// writeBulkShipped writes how many orders were shipped, and why the others were not.
func writeBulkShipped(w *apijson.Writer, shipped int, failed []commerce.ShipError) {
	w.Record("BulkShipped", "data")
	w.Int("shipped", int64(shipped))
	w.List("errors")
	for _, e := range failed {
		w.Record("ShipError", "")
		w.TextOrNull("orderNumber", e.OrderNumber)
		w.Text("error", e.Error)
		w.Text("code", e.Code)
		w.Int("index", int64(e.Index))
		w.End()
	}
	w.EndList()
	w.End()
}

// listShipments serves GET /api/v1/orders/{id}/shipments: 200, oldest first; 404.
func (a *API) listShipments(r *request) (answer, error) {
	return a.listOfOrder(r, writeShipments)
}

// listOfOrder answers what write lists of the order of the path: 200; 404.
func (a *API) listOfOrder(r *request, write func(*apijson.Writer, *orders.Order)) (answer, error) {
	o, err := a.readOrder(r)
	if err != nil {
		return answer{}, err
	}
	w := apijson.NewWriter(1024)
	write(w, o)
	return answer{status: http.StatusOK, body: w.Bytes()}, nil
}

func writeShipments(w *apijson.Writer, o *orders.Order) {
	writeWhole(w, o.Shipments, func(s orders.Shipment) { records.WriteShipment(w, "", o, s) })
}

// deleteShipment serves DELETE /api/v1/orders/{id}/shipments/{shipmentId}: 200; 404, 409.
func (a *API) deleteShipment(r *request) (answer, error) {
	shipment, err := pathID[id.Shipment](r, "shipmentId", "shipment")
	if err != nil {
		return answer{}, err
	}
	return change(a, r, "order", nil, func(tx *db.Tx, order id.Order, expected commerce.Expected) (answer, error) {
		o, err := a.Commerce.UnshipOrder(tx, r.caller, order, expected, shipment)
		if err != nil {
			return answer{}, err
		}
		return deleted(shipment, func(w *apijson.Writer) { records.WriteOrderState(w, o) }), nil
	})
}
