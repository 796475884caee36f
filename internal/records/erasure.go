package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
)

// Erasure is the result of erasing a customer.
type Erasure struct {
	ID       id.Customer
	ErasedAt int64
	Orders   int64 // anonymised orders
}

// WriteErasure writes the result of erasing a customer, which is both the answer and the data of customer.erased.
func WriteErasure(w *apijson.Writer, name string, e Erasure) {
	w.Record("Erasure", name)
	apijson.ID(w, "id", e.ID)
	w.Micros("erasedAt", e.ErasedAt)
	w.Int("orders", e.Orders)
	w.End()
}
