package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/customers"
)

// Customer is a customer as reads show it: with its segments.
type Customer struct {
	customers.Customer
	Segments []customers.Segment
}

// WriteCustomer writes a customer (interface §2.5); it is also the data of customer.created and customer.updated.
func WriteCustomer(w *apijson.Writer, name string, c Customer) {
	w.Record("Customer", name)
	WriteCustomerMembers(w, c)
	w.End()
}

// WriteCustomerMembers writes the members of a customer, for records that have further ones.
func WriteCustomerMembers(w *apijson.Writer, r Customer) {
	c := &r.Customer
	apijson.ID(w, "id", c.ID)
	w.Text("email", c.Email)
	w.TextOrNull("firstName", c.FirstName)
	w.TextOrNull("lastName", c.LastName)
	w.TextOrNull("name", c.Name())
	w.TextOrNull("phone", c.Phone)
	w.TextOrNull("company", c.Company)
	w.TextOrNull("siret", c.Siret)
	w.TextOrNull("vatIntracomNumber", c.VAT)
	apijson.Texts(w, "tags", c.Tags)
	w.RawObject("metadata", c.Metadata)
	w.List("addresses")
	for i := range c.Addresses {
		WriteAddress(w, "", &c.Addresses[i])
	}
	w.EndList()
	apijson.Word(w, "status", c.Status)
	w.Int("ordersCount", c.OrdersCount)
	w.Money("totalSpent", c.TotalSpent)
	w.List("segments")
	for _, s := range r.Segments {
		w.Record("SegmentName", "")
		apijson.ID(w, "id", s.ID)
		w.Text("name", s.Name)
		w.End()
	}
	w.EndList()
	apijson.IDOrNull(w, "mergedIntoId", c.MergedInto)
	w.Micros("createdAt", c.CreatedAt)
	w.Micros("updatedAt", c.UpdatedAt)
	w.MicrosOrNull("erasedAt", c.ErasedAt)
}

// WriteCustomerMergedData is the data of customer.merged.
func WriteCustomerMergedData(w *apijson.Writer, primary id.Customer, secondaries []id.Customer, moved int) {
	w.Record("CustomerMergedData", "")
	apijson.ID(w, "id", primary)
	apijson.ID(w, "primaryId", primary)
	apijson.Texts(w, "secondaryIds", secondaries)
	w.Int("ordersMoved", int64(moved))
	w.End()
}

// SampleCustomer is the customer that describes the answers.
func SampleCustomer() Customer {
	address := customers.Address{ID: SampleID[id.Address](263), Type: customers.Both, Name: "Ada Lovelace", Company: "Engines Ltd",
		Line1: "1 rue de la Paix", Line2: "2nd floor", City: "Paris", State: "IDF", Zip: "75002", Country: "FR", Phone: "+33123456789",
		IsDefault: true}
	derived := customers.Address{ID: SampleID[id.Address](264), Type: customers.Shipping,
		Line1: "2 rue de la Paix", City: "Paris", Zip: "75002", Country: "FR", Derived: true}
	return Customer{Segments: SampleSegments(), Customer: customers.Customer{ID: SampleID[id.Customer](265),
		Email: "ada@example.com", FirstName: "Ada", LastName: "Lovelace", Phone: "+33123456789", Company: "Engines Ltd",
		Siret: "12345678901234", VAT: "FR12345678901", Metadata: `{"crm":"A-17"}`, Tags: []string{"vip"},
		Addresses: []customers.Address{address, derived}, Status: customers.Active, OrdersCount: 3, TotalSpent: 1240500,
		CreatedAt: SampleTime, UpdatedAt: SampleTime}}
}
