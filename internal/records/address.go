package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/customers"
)

// WriteAddress writes an address (interface §2.6), and marks one that was built from an order.
func WriteAddress(w *apijson.Writer, name string, a *customers.Address) {
	w.Record("Address", name)
	apijson.ID(w, "id", a.ID)
	w.TextOrNull("type", string(a.Type))
	w.TextOrNull("name", a.Name)
	w.TextOrNull("company", a.Company)
	w.TextOrNull("line1", a.Line1)
	w.TextOrNull("line2", a.Line2)
	w.TextOrNull("city", a.City)
	w.TextOrNull("state", a.State)
	w.TextOrNull("zip", a.Zip)
	w.TextOrNull("postalCode", a.Zip)
	w.TextOrNull("country", a.Country)
	w.TextOrNull("phone", a.Phone)
	w.Bool("isDefault", a.IsDefault)
	if a.Derived {
		w.Bool("_derived", true)
	}
	w.End()
}
