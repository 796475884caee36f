package commerce

import (
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/apijson"
	"entrepot/internal/audit"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// Merged is the result of a merge.
type Merged struct {
	Primary     records.Customer
	Secondaries []id.Customer
	OrdersMoved int
}

// MergeCustomers merges several records into one (interface §4.4): orders, totals and tags of the secondaries move to
// the primary, and later orders with their e-mails or ids go to it, see linkCustomer. All or nothing. It emits
// customer.merged. Errors: NotFound for an unknown record; Conflict for one that was erased or merged already.
func (s *Service) MergeCustomers(tx *db.Tx, who accounts.Caller, primary id.Customer, secondaries []id.Customer) (Merged, error) {
	moved, found, err := lockWithOrders(tx, append([]id.Customer{primary}, secondaries...), secondaries)
	if err != nil {
		return Merged{}, err
	}
	into, absorbed, err := partsOfMerge(found, primary, secondaries)
	if err != nil {
		return Merged{}, err
	}
	before := into.Copy()
	into.Absorb(tx.Micros(), absorbed)
	result := Merged{Secondaries: secondaries, OrdersMoved: len(moved)}
	if result.Primary, err = customerRecord(tx, into, secondaries...); err != nil {
		return Merged{}, err
	}
	customers.SaveMerge(tx, before, into, absorbed)
	orders.MoveTo(tx, primary, secondaries)
	audit.Record(tx, who.Actor(), webhooks.CustomerMerged, "customer", string(primary), nil)
	webhooks.Record(tx, records.NewEvent(webhooks.CustomerMerged, string(primary),
		func(w *apijson.Writer) { records.WriteCustomerMergedData(w, primary, secondaries, result.OrdersMoved) }))
	return result, nil
}

// PreviewMerge returns the result that MergeCustomers would have, and changes nothing: the primary as it would be, and
// how many orders would move. Errors: as for the merge.
func (s *Service) PreviewMerge(tx *db.Tx, primary id.Customer, secondaries []id.Customer) (Merged, error) {
	found, err := customers.ReadAll(tx, append([]id.Customer{primary}, secondaries...))
	if err != nil {
		return Merged{}, err
	}
	into, absorbed, err := partsOfMerge(found, primary, secondaries)
	if err != nil {
		return Merged{}, err
	}
	result := Merged{Secondaries: secondaries}
	changed := into.UpdatedAt
	into.Absorb(changed, absorbed)
	into.UpdatedAt = changed // nothing changes, so two previews are equal
	if result.OrdersMoved, err = orders.CountOf(tx, secondaries); err != nil {
		return Merged{}, err
	}
	result.Primary, err = customerRecord(tx, into, secondaries...)
	return result, err
}

// partsOfMerge finds the primary and the secondaries among the records read. Errors: those of MergeCustomers.
func partsOfMerge(found []customers.Customer, primary id.Customer, secondaries []id.Customer) (
	into *customers.Customer, absorbed []customers.Customer, err error) {
	at := func(which id.Customer) *customers.Customer {
		i := slices.IndexFunc(found, func(c customers.Customer) bool { return c.ID == which })
		if i < 0 {
			return nil
		}
		return &found[i]
	}
	into, absorbed = at(primary), make([]customers.Customer, len(secondaries))
	for i, which := range secondaries {
		c := at(which)
		if c == nil || into == nil {
			return nil, nil, customers.Missing()
		}
		absorbed[i] = *c
	}
	for _, c := range append([]customers.Customer{*into}, absorbed...) {
		if err := writableCustomer(&c); err != nil {
			return nil, nil, err
		}
	}
	return into, absorbed, nil
}

// lockWithOrders locks customers and the orders of some of them: orders first, as every operation on an order does. No
// order can be added to the customers after that (see customers.Ordered); if one was added in between, the operation
// runs again.
func lockWithOrders(tx *db.Tx, who, theirs []id.Customer) ([]id.Order, []customers.Customer, error) {
	locked, err := orders.LockOf(tx, theirs)
	if err != nil {
		return nil, nil, err
	}
	found, err := customers.LockAll(tx, who)
	if err != nil {
		return nil, nil, err
	}
	now, err := orders.Of(tx, theirs)
	if err == nil && len(now) != len(locked) {
		err = db.ErrRetry
	}
	return locked, found, err
}
