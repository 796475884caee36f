package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/orders"
)

// WriteOrderEdit writes one change of an order other than of its status (interface §4.1).
func WriteOrderEdit(w *apijson.Writer, e *orders.Edited) {
	w.Record("OrderEdit", "")
	apijson.ID(w, "id", e.ID)
	apijson.Word(w, "source", e.Source)
	w.Text("actor", e.Actor)
	w.List("changes")
	for _, c := range e.Changes {
		w.Record("OrderEditChange", "")
		w.Text("field", c.Field)
		apijson.IDOrNull(w, "orderItemId", c.Line)
		w.TextOrNull("sku", c.SKU)
		w.TextOrNull("from", c.From)
		w.TextOrNull("to", c.To)
		apijson.IDOrNull(w, "shipmentId", c.Shipment)
		w.End()
	}
	w.EndList()
	w.Micros("createdAt", e.At)
	w.End()
}

// SampleOrderEdits are a changed line and a deleted shipment.
func SampleOrderEdits() []orders.Edited {
	return []orders.Edited{
		{ID: SampleID[id.History](71), Source: orders.FromAPI, Actor: "key:" + SampleID[string](3), At: SampleTime, Changes: []orders.Change{
			{Field: "quantity", Line: SampleID[id.Line](72), SKU: "MUG-1", From: "3", To: "2"}, {Field: "total", From: "40.54", To: "30.54"}}},
		{ID: SampleID[id.History](73), Source: orders.FromDashboard, Actor: "user:" + SampleID[string](4), At: SampleTime,
			Changes: []orders.Change{{Field: "shipment", Shipment: SampleID[id.Shipment](74)}}},
	}
}
