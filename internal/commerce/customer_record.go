package commerce

import (
	"entrepot/internal/customers"
	"entrepot/internal/wire"
)

// WriteCustomer writes a customer's record: what reads show and what customer.created and customer.updated carry
// (interface §2.5).
func WriteCustomer(w *wire.Writer, name string, c customers.Customer) {
	w.Object(name)
	writeCustomerMembers(w, c)
	w.End()
}

func writeCustomerMembers(w *wire.Writer, c customers.Customer) {
	wire.ID(w, "id", c.ID)
	w.Text("email", c.Email)
	w.TextOrNull("firstName", c.FirstName)
	w.TextOrNull("lastName", c.LastName)
	w.TextOrNull("name", c.Name())
	w.TextOrNull("phone", c.Phone)
	w.TextOrNull("company", c.Company)
	w.TextOrNull("siret", c.Siret)
	w.TextOrNull("vatIntracomNumber", c.VAT)
	wire.Texts(w, "tags", c.Tags)
	w.Raw("metadata", c.Metadata)
	wire.Word(w, "status", c.Status)
	w.Int("ordersCount", c.OrdersCount)
	w.Money("totalSpent", c.TotalSpent)
	wire.IDOrNull(w, "mergedIntoId", c.MergedInto)
	w.Micros("createdAt", c.CreatedAt)
	w.Micros("updatedAt", c.UpdatedAt)
	w.MicrosOrNull("erasedAt", c.ErasedAt)
}
