package commerce

import (
	"context"
	"errors"
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

// EraseCustomer erases a person for good (interface §4.4): the record and those merged into it, personal data in their
// orders, and what the event log, stored answers, jobs and notes have about them. Orders keep amounts, lines and the
// country. It emits customer.erased. Erasing again changes nothing and has the same answer. It finds the person in the
// event log and in other texts on a snapshot, erases in one transaction, and then has the store's files scrubbed. A person with
// much data is erased in several (eraseInSteps), of which that one is the last. write runs this
// transaction, once or several times; nil means a plain one. A caller with an Idempotency-Key stores the answer in it.
// Errors: NotFound; Conflict for a record merged into another, which must be erased instead.
func (s *Service) EraseCustomer(ctx context.Context, store *db.DB, who accounts.Caller, customer id.Customer,
	write func(erase func(tx *db.Tx) (records.Erasure, error)) error) error {
	if write == nil {
		write = func(erase func(tx *db.Tx) (records.Erasure, error)) error {
			return store.Write(ctx, who.Tenant, func(tx *db.Tx) error {
				_, err := erase(tx)
				return err
			})
		}
	}
	since := store.Observe()
	for try := 1; ; try++ {
		last := try >= maxTraces
		var found trace
		after := store.OldestWrite() // before the snapshot
		err := store.Read(ctx, who.Tenant, func(tx *db.Tx) (err error) {
			found, err = traceCustomer(tx, customer, after)
			return err
		})
		if err == nil && found.large(s.atOnce()) {
			found, err = s.eraseInSteps(ctx, store, who, customer, found, last)
			since = store.Observe() // the steps are no work of others
		}
		if err == nil {
			err = write(func(tx *db.Tx) (records.Erasure, error) { return eraseCustomer(tx, who, customer, found, last) })
		}
		if errors.Is(err, errTraceAgain) {
			continue
		}
		if err != nil {
			return err
		}
		store.ScrubSoon(ctx, since)
		return nil
	}
}

// maxTraces is how often a customer is looked for on a snapshot who changes meanwhile; then the transaction does it.
const maxTraces = 3

// errTraceAgain is the error of an erasure that what was found on the snapshot does not suffice for.
var errTraceAgain = errors.New("commerce: the customer has changed")

// eraseCustomer is EraseCustomer in its last transaction. It may return errTraceAgain; if last is true, only because another request has
// begun to erase the person.
func eraseCustomer(tx *db.Tx, who accounts.Caller, customer id.Customer, found trace, last bool) (records.Erasure, error) {
	begun, err := customers.LockErasing(tx, customer)
	if err != nil {
		return records.Erasure{}, err
	}
	people, err := person(tx, customer)
	if err != nil {
		return records.Erasure{}, err
	}
	theirs, known, err := lockToErase(tx, people, begun, found)
	if err != nil {
		return records.Erasure{}, err
	}
	at := slices.IndexFunc(known, func(c customers.Customer) bool { return c.ID == customer })
	switch {
	case at < 0:
		return records.Erasure{}, customers.Missing()
	case known[at].Status == customers.Erased && begun == nil:
		if begun, err = customers.ErasingOf(tx, customer); err != nil || begun != nil { // since it was looked for
			return records.Erasure{}, orElse(err, errTraceAgain)
		}
		return records.Erasure{ID: customer, ErasedAt: known[at].ErasedAt, Orders: known[at].ErasedOrders}, nil
	case known[at].Status == customers.Secondary:
		return records.Erasure{}, writableCustomer(&known[at])
	case begun != nil && !found.begun: // by another request, since the person was looked for
		return records.Erasure{}, errTraceAgain
	}
	if now, err := person(tx, customer); err != nil || len(now) != len(people) {
		return records.Erasure{}, orElse(err, db.ErrRetry)
	}
	e := &erasure{tx: tx, people: people, orders: theirs, records: known}
	if begun != nil {
		e.known = slices.Concat(begun.Names, found.texts.known)
	}
	if again, err := e.read(found, last); err != nil || again {
		return records.Erasure{}, orElse(err, errTraceAgain)
	}
	if begun == nil {
		if err := customers.ForgetSearched(tx, people); err != nil {
			return records.Erasure{}, err
		}
	}
	if err := e.write(); err != nil {
		return records.Erasure{}, err
	}
	if begun == nil {
		eraseRecords(tx, who, customer, known, len(theirs))
	} else {
		begun.End(tx)
	}
	result := records.Erasure{ID: customer, ErasedAt: known[at].ErasedAt, Orders: known[at].ErasedOrders}
	tx.RequestScrub(erasedTables...)
	if err := webhooks.ForgetAnswers(tx, e.resources); err != nil { // last, because reads after it wait for the account's clock
		return records.Erasure{}, err
	}
	webhooks.Record(tx, records.NewEvent(webhooks.CustomerErased, string(customer),
		func(w *apijson.Writer) { records.WriteErasure(w, "", result) }))
	return result, nil
}

// lockToErase locks a person's records and orders; of an erasure that has begun only the orders that are left.
func lockToErase(tx *db.Tx, people []id.Customer, begun *customers.Erasing, found trace) ([]id.Order, []customers.Customer, error) {
	if begun == nil {
		return lockWithOrders(tx, people, people)
	}
	left, err := orders.LockSome(tx, after(found.orders, begun.DoneTo))
	if err != nil {
		return nil, nil, err
	}
	known, err := customers.LockAll(tx, people)
	return left, known, err
}

// eraseRecords empties a person's locked records; n is how many orders the person has.
func eraseRecords(tx *db.Tx, who accounts.Caller, customer id.Customer, known []customers.Customer, n int) {
	for i := range known {
		if known[i].ID == customer {
			known[i].Erase(tx, n)
		} else {
			known[i].Erase(tx, 0)
		}
	}
	audit.Record(tx, who.Actor(), webhooks.CustomerErased, "customer", string(customer), nil)
}

func orElse(err, other error) error {
	if err == nil {
		return other
	}
	return err
}
