package commerce

import (
	"context"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// writableCustomer is the 409 when a record cannot be changed: it was erased, or merged into another (interface §3.2).
func writableCustomer(c *customers.Customer) error {
	switch c.Status {
	case customers.Erased:
		return apperr.New(apperr.Conflict, "customer_erased", "the customer was erased").With("customerId", c.ID)
	case customers.Secondary:
		return apperr.New(apperr.Conflict, "customer_merged", "the customer was merged into another: write to that one").With("customerId",
			c.MergedInto)
	}
	return nil
}

// holdCustomer locks a customer that an operation changes, and returns it with a copy of its old state. Errors:
// NotFound; those of Expected; Conflict for a record that cannot be changed.
func (s *Service) holdCustomer(tx *db.Tx, customer id.Customer, expected Expected) (c, before *customers.Customer, err error) {
	if c, err = customers.Lock(tx, customer); err != nil {
		return nil, nil, err
	}
	if expected.Invalid != nil {
		return nil, nil, expected.Invalid
	}
	if err := writableCustomer(c); err != nil {
		return nil, nil, err
	}
	if expected.conditional() {
		shown, err := s.ReadCustomer(tx, customer)
		if err == nil {
			err = expected.check(func(w *apijson.Writer) { records.WriteCustomer(w, "data", shown) })
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return c, c.Copy(), nil
}

// UpdateCustomer changes a customer and emits customer.updated (interface §4.4). If nothing changes, it writes and
// emits nothing. LeaveEmail must precede it. Errors: those of holdCustomer; Conflict when another record has the
// e-mail.
func (s *Service) UpdateCustomer(tx *db.Tx, customer id.Customer, expected Expected, change customers.Change) (records.Customer, error) {
	if change.Email.Given() {
		if err := lockLeft(tx, customer, change.Email.Value); err != nil {
			return records.Customer{}, err
		}
	}
	c, before, err := s.holdCustomer(tx, customer, expected)
	if err != nil {
		return records.Customer{}, err
	}
	if c.Apply(change) {
		if err := takeEmail(tx, before, c); err != nil {
			return records.Customer{}, err
		}
	}
	return saveCustomer(tx, before, c)
}

// lockLeft locks the orders that keep the present e-mail address of a customer who gets another one, because orders
// are locked before customers.
func lockLeft(tx *db.Tx, customer id.Customer, email string) error {
	c, err := customers.ByID(tx, customer)
	if err != nil || c == nil || customers.EmailKey(c.Email) == customers.EmailKey(email) {
		return err
	}
	return orders.LockByEmail(tx, customer)
}

// LeaveEmail precedes UpdateCustomer. If the change gives a customer with many orders another e-mail address,
// LeaveEmail stores the present one in the orders themselves, in short transactions, so that few are left for the
// change. Lists find the orders by it as before, whatever becomes of the change.
func (s *Service) LeaveEmail(ctx context.Context, store *db.DB, tenant id.Tenant, customer id.Customer, expected Expected,
	change customers.Change) error {
	if !change.Email.Given() || expected.Invalid != nil {
		return nil
	}
	many := false
	err := store.Read(ctx, tenant, func(tx *db.Tx) error {
		c, err := customers.ByID(tx, customer)
		if err == nil && c != nil && c.Status == customers.Active && customers.EmailKey(c.Email) != customers.EmailKey(change.Email.Value) {
			many, err = orders.AnyByEmail(tx, customer, s.atOnce())
		}
		return err
	})
	if err != nil || !many {
		return err
	}
	return before(ctx, s, store, tenant, func(tx *db.Tx, last int64, n int) (to int64, err error) {
		return orders.LeaveSome(tx, customer, last, n)
	})
}

// takeEmail makes sure that a locked customer may have its new e-mail, and stores the present one in its orders. The
// e-mail of a record merged into it is exchanged for its present one, so that orders with either lead to it (open
// point 52). Errors: Conflict when another customer has it.
func takeEmail(tx *db.Tx, before, c *customers.Customer) error {
	if customers.EmailKey(before.Email) == customers.EmailKey(c.Email) {
		return nil
	}
	orders.LeaveEmail(tx, c.ID, before.Email)
	taken, err := customers.ByEmail(tx, c.Email)
	switch {
	case err != nil || taken == nil || taken.ID == c.ID:
		return err
	case taken.Status != customers.Secondary || taken.MergedInto != c.ID:
		return emailTaken(tx, taken)
	}
	orders.LeaveEmail(tx, taken.ID, taken.Email) // those that have not moved yet (see FinishMerges)
	return customers.ExchangeEmail(tx, before, taken.ID)
}

// saveCustomer writes a locked customer if it was changed.
func saveCustomer(tx *db.Tx, before, c *customers.Customer) (records.Customer, error) {
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
	return records.NewEvent(name, string(r.ID), func(w *apijson.Writer) { records.WriteCustomer(w, "", r) })
}
