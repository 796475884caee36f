package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/orders"
)

// WriteShipment writes a shipment of an order (interface §2.4).
func WriteShipment(w *apijson.Writer, name string, o *orders.Order, s orders.Shipment) {
	w.Record("Shipment", name)
	writeShipmentMembers(w, o, s)
	w.End()
}

func writeShipmentMembers(w *apijson.Writer, o *orders.Order, s orders.Shipment) {
	apijson.ID(w, "id", s.ID)
	apijson.ID(w, "orderId", o.ID)
	w.TextOrNull("carrier", s.Carrier)
	w.TextOrNull("trackingNumber", s.TrackingNumber)
	w.TextOrNull("trackingUrl", s.TrackingURL)
	w.Micros("shippedAt", s.ShippedAt)
	w.TextOrNull("notes", s.Notes)
	w.List("items")
	for _, sl := range s.Lines {
		w.Record("ShipmentLine", "")
		apijson.ID(w, "id", sl.ID)
		apijson.ID(w, "orderItemId", sl.Line)
		sku, name := "", ""
		if l := o.Line(sl.Line); l != nil {
			sku, name = l.SKU, l.Name
		}
		w.Text("sku", sku)
		w.Text("name", name)
		w.Int("quantity", sl.Quantity)
		w.End()
	}
	w.EndList()
	w.Micros("createdAt", s.CreatedAt)
	w.Bool("automatic", s.Automatic)
}

// WriteNewShipment writes the answer to a new shipment, with the present status of its order.
func WriteNewShipment(w *apijson.Writer, o *orders.Order, s orders.Shipment) {
	w.Record("NewShipment", "data")
	writeShipmentMembers(w, o, s)
	apijson.Word(w, "orderStatus", o.Status)
	w.End()
}

// WriteShipmentCreatedData is the data of order.shipment_created: the shipment with its lines and the status of its
// order.
func WriteShipmentCreatedData(w *apijson.Writer, o *orders.Order, s orders.Shipment) {
	w.Record("ShipmentCreatedData", "")
	writeShipmentMembers(w, o, s)
	w.TextOrNull("externalId", o.ExternalID())
	apijson.Word(w, "orderStatus", o.Status)
	w.End()
}
