package commerce

import (
	"entrepot/internal/apijson"
	"entrepot/internal/apperr"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// WritableCustomer is the 409 when a record takes no writes: it was erased, or merged into another (interface §3.2).
func WritableCustomer(c *customers.Customer) error {
	switch c.Status {
	case customers.Erased:
		return apperr.New(apperr.Conflict, "customer_erased", "the customer was erased").With("customerId", c.ID)
	case customers.Secondary:
		return apperr.New(apperr.Conflict, "customer_merged", "the customer was merged into another: write to that one").With("customerId", c.MergedInto)
	}
	return nil
}

// UpdateCustomer changes a locked, writable customer and reports customer.updated (interface §4.4). A change that changes nothing
// writes nothing and reports nothing. Errors: Conflict when another record has the e-mail.
func (s *Service) UpdateCustomer(tx *db.Tx, c *customers.Customer, change customers.Change) (records.Customer, error) {
	before := c.Copy()
	if c.Apply(change) {
		if err := freeEmail(tx, c.Email, c.ID); err != nil {
			return records.Customer{}, err
		}
	}
	return s.saveCustomer(tx, before, c)
}

// saveCustomer writes what an operation made of a locked customer, if anything.
func (s *Service) saveCustomer(tx *db.Tx, before, c *customers.Customer) (records.Customer, error) {
	changed := !c.Same(before)
	if changed {
		c.UpdatedAt = max(tx.Micros(), c.UpdatedAt+1)
	}
	r, err := customerRecord(tx, c)
	if err != nil || !changed {
		return r, err
	}
	customers.Save(tx, before, c)
	webhooks.Record(tx, customerEvent(webhooks.CustomerUpdated, r))
	return r, nil
}

func customerEvent(name string, r records.Customer) webhooks.Event {
	return webhooks.New(name, string(r.ID), func(w *apijson.Writer) { records.WriteCustomer(w, "", r) })
}
