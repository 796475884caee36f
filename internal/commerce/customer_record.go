package commerce

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/records"
)

// CustomerRecords finds the segments of customers, which were read with tags and addresses.
func CustomerRecords(tx *db.Tx, list []customers.Customer) ([]records.Customer, error) {
	shown := make([]records.Customer, len(list))
	ids := make([]id.Customer, len(list))
	for i := range list {
		shown[i].Customer, ids[i] = list[i], list[i].ID
	}
	segments, last, err := segmentsFor(tx, customers.PrefetchSegments(tx), ids)
	if err != nil {
		return nil, err
	}
	for i := range shown {
		chooseSegments(&shown[i], segments, last[ids[i]])
	}
	return shown, nil
}

// customerRecord is CustomerRecords for one customer; orders of the other records count as its own.
func customerRecord(tx *db.Tx, c *customers.Customer, others ...id.Customer) (records.Customer, error) {
	return recordIn(tx, customers.PrefetchSegments(tx), c, others...)
}

// recordIn is customerRecord with segments that were requested before.
func recordIn(tx *db.Tx, pending *db.Pending[[]customers.Segment], c *customers.Customer, others ...id.Customer) (records.Customer, error) {
	r := records.Customer{Customer: *c}
	segments, last, err := segmentsFor(tx, pending, append([]id.Customer{c.ID}, others...))
	newest := int64(0)
	for _, at := range last {
		newest = max(newest, at)
	}
	chooseSegments(&r, segments, newest)
	return r, err
}

// segmentsFor waits for the segments and, if one of them needs it, reads when the customers ordered last.
func segmentsFor(tx *db.Tx, pending *db.Pending[[]customers.Segment], ids []id.Customer) (segments []customers.Segment,
	last map[id.Customer]int64, err error) {
	segments, err = pending.Wait()
	if err == nil && slices.ContainsFunc(segments, func(s customers.Segment) bool { return s.Rules.PrefetchOrders() }) {
		last, err = customers.LastOrders(tx, ids)
	}
	return segments, last, err
}

// chooseSegments gives a customer the segments whose rules it meets.
func chooseSegments(r *records.Customer, segments []customers.Segment, lastOrder int64) {
	for _, s := range segments {
		if s.Rules.Match(&r.Customer, lastOrder) {
			r.Segments = append(r.Segments, s)
		}
	}
}

// ReadCustomer reads one customer. If its address book is empty, addresses are derived from its orders (interface
// §2.5). Errors: NotFound.
func (s *Service) ReadCustomer(tx *db.Tx, customer id.Customer) (records.Customer, error) {
	segments := customers.PrefetchSegments(tx)
	c, err := customers.Read(tx, customer)
	if err != nil {
		return records.Customer{}, err
	}
	r, err := recordIn(tx, segments, c) // segments follow the stored book
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
