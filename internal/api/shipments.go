package api

import (
	"net/http"

	"entrepot/internal/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/id"
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

// listShipments serves GET /api/v1/orders/{id}/shipments: 200, oldest first; 404.
func (a *API) listShipments(r *request) (answer, error) {
	o, err := a.readOrder(r)
	if err != nil {
		return answer{}, err
	}
	w := apijson.NewWriter(1024)
	writeShipments(w, o)
	return answer{status: http.StatusOK, body: w.Bytes()}, nil
}

func writeShipments(w *apijson.Writer, o *orders.Order) {
	w.Object("")
	w.List("data")
	for _, s := range o.Shipments {
		records.WriteShipment(w, o, s)
	}
	w.EndList()
	writeCountMeta(w, len(o.Shipments))
	w.End()
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
