package commerce

import (
	"cmp"
	"context"
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
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
// customer.merged. If the secondaries have many orders, later transactions move these and the totals, and
// FinishMerges must follow; the result is the state of this moment. Errors: NotFound for an unknown record; Conflict
// for one that was erased or merged already.
func (s *Service) MergeCustomers(tx *db.Tx, who accounts.Caller, primary id.Customer, secondaries []id.Customer) (Merged, error) {
	many, err := orders.AnyOf(tx, secondaries, s.atOnce())
	if err != nil {
		return Merged{}, err
	}
	var moved []id.Order
	var found []customers.Customer
	under, err := customers.MergedInto(tx, secondaries...) // they are merged into the primary from now on
	if err != nil {
		return Merged{}, err
	}
	all := slices.Concat([]id.Customer{primary}, secondaries, under)
	if many { // no order is added to them any more, and their present ones stay
		found, err = customers.LockAll(tx, all)
	} else {
		moved, found, err = lockWithOrders(tx, all, secondaries)
	}
	if err != nil {
		return Merged{}, err
	}
	if now, err := customers.MergedInto(tx, secondaries...); err != nil || !slices.Equal(now, under) {
		return Merged{}, cmp.Or(err, db.ErrRetry)
	}
	into, absorbed, err := partsOfMerge(found, primary, secondaries)
	if err != nil {
		return Merged{}, err
	}
	before := into.Copy()
	into.Absorb(tx.Micros(), absorbed)
	result := Merged{Secondaries: secondaries, OrdersMoved: len(moved)}
	if many {
		if result.OrdersMoved, err = orders.CountOf(tx, secondaries); err != nil {
			return Merged{}, err
		}
	}
	if result.Primary, err = customerRecord(tx, into, secondaries...); err != nil {
		return Merged{}, err
	}
	customers.SaveMerge(tx, before, into, absorbed)
	for _, from := range secondaries {
		if many {
			jobs.Begin(tx, jobs.CustomerMerge, string(from), "{}")
		} else if err := moveOrders(tx, from, primary, moved); err != nil {
			return Merged{}, err
		}
	}
	audit.Record(tx, who.Actor(), webhooks.CustomerMerged, "customer", string(primary), nil)
	webhooks.Record(tx, records.NewEvent(webhooks.CustomerMerged, string(primary),
		func(w *apijson.Writer) { records.WriteCustomerMergedData(w, primary, secondaries, result.OrdersMoved) }))
	return result, nil
}

// moveOrders moves some locked orders from a locked record to another one, with their share of its totals.
func moveOrders(tx *db.Tx, from, to id.Customer, some []id.Order) error {
	n, spent, err := orders.MoveTo(tx, from, to, some)
	customers.MoveTotals(tx, from, to, n, spent)
	return err
}

// FinishMerges moves orders of merged records, in short transactions, to the record that each is merged into now: of
// all records that are or were merged into some of a list. It also precedes a merge, which then finds all orders at
// their records. Several processes may do it at once, and each returns when all is done.
func (s *Service) FinishMerges(ctx context.Context, store *db.DB, tenant id.Tenant, of ...id.Customer) error {
	var left []customers.Customer
	err := store.Read(ctx, tenant, func(tx *db.Tx) error {
		all, err := jobs.Subjects[id.Customer](tx, jobs.CustomerMerge)
		if err == nil && len(all) > 0 {
			left, err = customers.ReadAll(tx, all)
		}
		return err
	})
	for _, c := range left {
		if err == nil && (slices.Contains(of, c.ID) || slices.Contains(of, c.MergedInto)) {
			err = s.finishMerge(ctx, store, tenant, c.ID)
		}
	}
	return err
}

// finishMerge is FinishMerges for one record.
func (s *Service) finishMerge(ctx context.Context, store *db.DB, tenant id.Tenant, from id.Customer) error {
	var left []id.Order
	err := store.Read(ctx, tenant, func(tx *db.Tx) error {
		begun, err := jobs.Operation(tx, jobs.CustomerMerge, string(from))
		if err == nil && begun == nil {
			err = errEnded
		}
		if err == nil {
			left, err = orders.Of(tx, []id.Customer{from})
		}
		return err
	})
	if err != nil {
		return orEnded(err)
	}
	do := s.operation(store, tenant, jobs.CustomerMerge, string(from))
	err = do.orders(ctx, left, func() error { return nil }, func(tx *db.Tx, some []id.Order) error {
		locked, err := orders.LockSome(tx, some)
		if err != nil || len(locked) == 0 {
			return err
		}
		into, err := customers.LockMerged(tx, from)
		if err != nil {
			return err
		}
		return moveOrders(tx, from, into, locked)
	})
	if err == nil { // no order has joined the record since it was merged: see customers.Ordered
		err = do.end(ctx, func(*db.Tx) error { return nil })
	}
	return orEnded(err)
}

// PreviewMerge returns the result that MergeCustomers would have, and changes nothing: the primary as it would
// become, and how many orders would move. Errors: as for the merge.
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
	if into == nil {
		return nil, nil, customers.Missing()
	}
	for i, which := range secondaries {
		c := at(which)
		if c == nil {
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

// lockWithOrders locks customers and the orders of some of them: orders first, as every operation on an order does.
// No order can be added to the customers after that (see customers.Ordered); if one was added in between, the
// operation runs again.
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
