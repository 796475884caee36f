package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/stock"
)

// WriteWarehouse writes a warehouse (interface §4.5.3).
func WriteWarehouse(w *apijson.Writer, name string, s stock.Warehouse) {
	w.Record("Warehouse", name)
	apijson.ID(w, "id", s.ID)
	w.Text("code", s.Code)
	w.Text("name", s.Name)
	w.Bool("isDefault", s.Default)
	w.RawObject("address", s.Address)
	w.Micros("createdAt", s.CreatedAt)
	w.End()
}

// SampleWarehouse is the warehouse that describes the answers.
func SampleWarehouse() stock.Warehouse {
	return stock.Warehouse{ID: SampleID[id.Warehouse](286), Code: "MAIN", Name: "Main warehouse", Default: true,
		Address: `{"city":"Paris"}`, CreatedAt: SampleTime}
}
