package commerce

import (
	"slices"

	"entrepot/internal/apijson"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/orders"
)

// CustomerRecord is a customer as reads show it: with the segments it is in.
type CustomerRecord struct {
	customers.Customer
	Segments []customers.Segment
}

// CustomerRecords finds the segments of customers that were read with tags and addresses.
func CustomerRecords(tx *db.Tx, list []customers.Customer) ([]CustomerRecord, error) {
	records := make([]CustomerRecord, len(list))
	ids := make([]id.Customer, len(list))
	for i := range list {
		records[i].Customer, ids[i] = list[i], list[i].ID
	}
	segments, last, err := segmentsFor(tx, ids)
	if err != nil {
		return nil, err
	}
	for i := range records {
		records[i].choose(segments, last[ids[i]])
	}
	return records, nil
}

// customerRecord is CustomerRecords for one; orders of the others count as its own.
func customerRecord(tx *db.Tx, c *customers.Customer, others ...id.Customer) (CustomerRecord, error) {
	r := CustomerRecord{Customer: *c}
	segments, last, err := segmentsFor(tx, append([]id.Customer{c.ID}, others...))
	newest := int64(0)
	for _, at := range last {
		newest = max(newest, at)
	}
	r.choose(segments, newest)
	return r, err
}

// segmentsFor reads the segments and, if one of them asks, when the customers ordered last.
func segmentsFor(tx *db.Tx, ids []id.Customer) (segments []customers.Segment, last map[id.Customer]int64, err error) {
	segments, err = customers.Segments(tx)
	if err == nil && slices.ContainsFunc(segments, func(s customers.Segment) bool { return s.Rules.PrefetchOrders() }) {
		last, err = orders.LastOrders(tx, ids)
	}
	return segments, last, err
}

func (r *CustomerRecord) choose(segments []customers.Segment, lastOrder int64) {
	for _, s := range segments {
		if s.Rules.Match(&r.Customer, lastOrder) {
			r.Segments = append(r.Segments, s)
		}
	}
}

// ReadCustomer reads one customer. While its address book is empty, addresses come from its orders (interface §2.5).
// Errors: NotFound.
func (s *Service) ReadCustomer(tx *db.Tx, customer id.Customer) (CustomerRecord, error) {
	c, err := customers.Read(tx, customer)
	if err != nil {
		return CustomerRecord{}, err
	}
	r, err := customerRecord(tx, c) // by the stored book
	if err != nil {
		return r, err
	}
	return r, deriveAddresses(tx, &r.Customer)
}

// deriveAddresses fills an empty address book from the customer's orders, for showing.
func deriveAddresses(tx *db.Tx, c *customers.Customer) error {
	if len(c.Addresses) > 0 || c.OrdersCount == 0 || c.Status == customers.Erased {
		return nil
	}
	shipping, err := orders.ShippingAddresses(tx, c.ID)
	c.Addresses = customers.Derive(c.ID, shipping)
	return err
}

// WriteCustomer writes a customer's record as customer.created and customer.updated carry it (interface §2.5).
func WriteCustomer(w *apijson.Writer, r CustomerRecord) {
	w.Record("Customer", "")
	WriteCustomerMembers(w, r)
	w.End()
}

// WriteCustomerMembers writes the members of a record as reads show it.
func WriteCustomerMembers(w *apijson.Writer, r CustomerRecord) {
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

// WriteAddress writes an address (interface §2.6). One made up from an order says so.
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
