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
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// EraseCustomer erases a person for good (interface §4.4): the record and those merged into it, personal data in their
// orders, and what the event log, stored answers, jobs and notes have about them. Orders keep amounts, lines and the
// country. It emits customer.erased. Erasing again changes nothing and has the same answer. It finds the person in the
// event log and in other texts on a snapshot, erases in one transaction, and then has the store's files scrubbed. write runs the
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
	for try := range maxTraces {
		var found trace
		after := store.OldestWrite() // before the snapshot
		err := store.Read(ctx, who.Tenant, func(tx *db.Tx) (err error) {
			found, err = traceCustomer(tx, customer, after)
			return err
		})
		if err == nil {
			last := try == maxTraces-1
			err = write(func(tx *db.Tx) (records.Erasure, error) { return eraseCustomer(tx, who, customer, found, last) })
		}
		if errors.Is(err, errTraceAgain) {
			continue
		}
		if err != nil {
			return err
		}
		break
	}
	store.ScrubSoon(ctx, since)
	return nil
}

// maxTraces is how often a customer is looked for on a snapshot who changes meanwhile; then the transaction does it.
const maxTraces = 3

// errTraceAgain is the error of an erasure that what was found on the snapshot does not suffice for.
var errTraceAgain = errors.New("commerce: the customer has changed")

// eraseCustomer is EraseCustomer in its transaction. If last is false, it may return errTraceAgain.
func eraseCustomer(tx *db.Tx, who accounts.Caller, customer id.Customer, found trace, last bool) (records.Erasure, error) {
	people, err := person(tx, customer)
	if err != nil {
		return records.Erasure{}, err
	}
	theirs, known, err := lockWithOrders(tx, people, people)
	if err != nil {
		return records.Erasure{}, err
	}
	at := slices.IndexFunc(known, func(c customers.Customer) bool { return c.ID == customer })
	switch {
	case at < 0:
		return records.Erasure{}, customers.Missing()
	case known[at].Status == customers.Erased:
		return records.Erasure{ID: customer, ErasedAt: known[at].ErasedAt, Orders: known[at].ErasedOrders}, nil
	case known[at].Status == customers.Secondary:
		return records.Erasure{}, writableCustomer(&known[at])
	}
	if now, err := person(tx, customer); err != nil || len(now) != len(people) {
		return records.Erasure{}, orElse(err, db.ErrRetry)
	}
	e := &erasure{tx: tx, people: people, orders: theirs, records: known}
	if again, err := e.read(found, last); err != nil || again {
		return records.Erasure{}, orElse(err, errTraceAgain)
	}
	if err := customers.ForgetSearched(tx, people); err != nil {
		return records.Erasure{}, err
	}
	if err := e.write(); err != nil {
		return records.Erasure{}, err
	}
	for i := range known {
		if i == at {
			known[i].Erase(tx, len(theirs))
		} else {
			known[i].Erase(tx, 0)
		}
	}
	result := records.Erasure{ID: customer, ErasedAt: known[at].ErasedAt, Orders: known[at].ErasedOrders}
	audit.Record(tx, who.Actor(), webhooks.CustomerErased, "customer", string(customer), nil)
	tx.RequestScrub(erasedTables...)
	if err := webhooks.ForgetAnswers(tx, e.resources); err != nil { // last, because reads after it wait for the account's clock
		return records.Erasure{}, err
	}
	webhooks.Record(tx, records.NewEvent(webhooks.CustomerErased, string(customer),
		func(w *apijson.Writer) { records.WriteErasure(w, "", result) }))
	return result, nil
}

func orElse(err, other error) error {
	if err == nil {
		return other
	}
	return err
}
