package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/stock"
)

// WriteMovement writes a ledger row (interface §2.7.6).
func WriteMovement(w *apijson.Writer, name string, m stock.Movement) {
	w.Record("StockMovement", name)
	apijson.ID(w, "id", m.ID)
	w.Text("sku", m.SKU)
	w.Text("warehouseCode", m.Warehouse)
	apijson.Word(w, "cause", m.Cause)
	w.Int("delta", m.Delta)
	w.Int("balance", m.Balance)
	if m.ReferenceType == "" {
		w.Null("reference")
	} else {
		w.Record("MovementReference", "reference")
		w.Text("type", m.ReferenceType)
		w.Text("id", m.ReferenceID)
		w.End()
	}
	w.TextOrNull("note", m.Note)
	w.Text("actor", m.Actor)
	w.Micros("createdAt", m.At)
	w.End()
}

// SampleMovements are one with a reference and one without.
func SampleMovements() []stock.Movement {
	shipped := stock.Movement{ID: SampleID[id.Movement](270), SKU: "MUG-BLUE", Warehouse: "MAIN", Delta: -2, Balance: 38, At: SampleTime,
		Why: stock.Why{Cause: stock.Shipment, ReferenceType: "shipment", ReferenceID: SampleID[string](271), Note: "first parcel",
			Actor: "key:" + SampleID[string](272)}}
	received := shipped
	received.ReferenceType, received.ReferenceID = "", ""
	return []stock.Movement{shipped, received}
}
