package commerce

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/idempotency"
	"entrepot/internal/imports"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// EraseCustomer erases a person for good (interface §4.4). It empties the customer's record and the records that were merged into it,
// and it removes the person's data from orders, events, stored answers, jobs and notes. Orders keep amounts, lines and the country. The
// event is customer.erased. Erasing a person again changes nothing and returns the same answer.
//
// EraseCustomer first searches a snapshot for the person's data, which delays no other work (customer_erase_data.go). Then one
// transaction erases what was found, and the store's files are scrubbed. A person with much data is erased in many short transactions
// (eraseInSteps); the transaction of the answer is the last of them.
//
// write runs the last transaction, once or several times; nil means a plain transaction. A caller with an Idempotency-Key uses write to
// store the answer in the same transaction. Errors: NotFound; Conflict for a record that was merged into another record: that one must be
// erased instead.
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
			since = store.Observe() // its own steps are no work of others
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

// maxTraces is how often a snapshot is searched for a customer who changes meanwhile. The last time, the transaction
// searches the rest.
const maxTraces = 3

// errTraceAgain is the error of an erasure that needs more than the snapshot had.
var errTraceAgain = errors.New("commerce: the customer has changed")

// eraseCustomer is the last transaction of EraseCustomer. It may return errTraceAgain. If last is true, it does so
// only because another request has begun to erase the person.
func eraseCustomer(tx *db.Tx, who accounts.Caller, customer id.Customer, found trace, last bool) (records.Erasure, error) {
	begun, err := jobs.LockOperation(tx, jobs.CustomerErasure, string(customer))
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
		// since it was looked for
		if begun, err = jobs.Operation(tx, jobs.CustomerErasure, string(customer)); err != nil || begun != nil {
			return records.Erasure{}, orElse(err, errTraceAgain)
		}
		return records.Erasure{ID: customer, ErasedAt: known[at].ErasedAt, Orders: known[at].ErasedOrders}, nil
	case known[at].Status == customers.Secondary:
		return records.Erasure{}, writableCustomer(&known[at])
	case begun != nil && !found.begun: // by another request, since the search
		return records.Erasure{}, errTraceAgain
	}
	if now, err := person(tx, customer); err != nil || len(now) != len(people) {
		return records.Erasure{}, orElse(err, db.ErrRetry)
	}
	e := &erasure{tx: tx, people: people, orders: theirs, records: known}
	if begun != nil {
		sought, err := readSought(begun)
		if err != nil {
			return records.Erasure{}, err
		}
		e.known = slices.Concat(sought.Names, found.texts.known)
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
		begun.LastStepDone(tx)
	}
	result := records.Erasure{ID: customer, ErasedAt: known[at].ErasedAt, Orders: known[at].ErasedOrders}
	tx.RequestScrub(erasedTables...)
	// last, because reads after it wait for the account's clock
	if err := webhooks.ForgetAnswers(tx, e.resources); err != nil {
		return records.Erasure{}, err
	}
	webhooks.Record(tx, records.NewEvent(webhooks.CustomerErased, string(customer),
		func(w *apijson.Writer) { records.WriteErasure(w, "", result) }))
	return result, nil
}

// lockToErase locks a person's records and orders. If the erasure has begun, it locks only the remaining orders.
func lockToErase(tx *db.Tx, people []id.Customer, begun *jobs.Job, found trace) ([]id.Order, []customers.Customer, error) {
	if begun == nil {
		return lockWithOrders(tx, people, people)
	}
	left, err := orders.LockSome(tx, after(found.orders, id.Order(begun.Cursor)))
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

// large reports whether one transaction for n orders would delay other writers too long.
func (t trace) large(n int) bool {
	if t.begun || len(t.orders) > n {
		return true
	}
	found := t.texts
	return len(t.events)+len(found.answers)+len(found.notes)+len(found.jobs)+len(found.entries)+len(found.imports)+
		len(found.authors) > n*textsAtOnce
}

// eraseInSteps erases a person in short transactions, except for the last one, which is eraseCustomer (decision 12).
// The first transaction empties the records: from then on nothing can be written to them and no order joins them. It
// also stores a job, so that the erasure is finished after a crash. The next transactions erase the orders, each with
// its events, and then all other texts. Several processes may do this for one person. eraseInSteps returns what is
// left for eraseCustomer. Errors: errTraceAgain; those of EraseCustomer.
func (s *Service) eraseInSteps(ctx context.Context, store *db.DB, who accounts.Caller, customer id.Customer, found trace, last bool) (
	left trace, err error) {
	if !found.begun {
		if last { // its records change all the time
			return found, nil
		}
		if err := store.Write(ctx, who.Tenant, func(tx *db.Tx) error { return beginErasure(tx, who, customer, found) }); err != nil {
			return found, err
		}
		found.begun = true
	}
	err = store.Read(ctx, who.Tenant, func(tx *db.Tx) (err error) { // now none can join
		found.orders, err = orders.Of(tx, found.people)
		return err
	})
	if err != nil {
		return found, err
	}
	slices.Sort(found.orders)
	steps := &erasureSteps{operation: s.operation(store, who.Tenant, jobs.CustomerErasure, string(customer)), found: found,
		anonymiser: anonymiser{known: slices.Clone(found.texts.known)}}
	if err := steps.orders(ctx); err != nil {
		return found, orEnded(err)
	}
	if err := steps.texts(ctx); err != nil {
		return found, orEnded(err)
	}
	found.texts.resources = append(found.texts.resources, texts(found.orders)...)
	found.texts.resources = append(found.texts.resources, steps.shipments...)
	again := len(steps.known) > len(found.texts.known)
	since := store.OldestWrite() // before the snapshot
	err = store.Read(ctx, who.Tenant, func(tx *db.Tx) error {
		var renamed bool
		left, renamed, err = traceNewer(tx, found, since)
		again = again || renamed
		return err
	})
	if err != nil || again && !last {
		return found, orElse(err, errTraceAgain)
	}
	steps.found = left
	if err := steps.texts(ctx); err != nil {
		return found, orEnded(err)
	}
	left.events = nil
	left.texts = &foundTexts{since: left.texts.since, known: left.texts.known, resources: left.texts.resources}
	return left, nil
}

// beginErasure empties the records of a person, and stores what is needed to find the other data. Errors:
// errTraceAgain, also if another request has begun to erase the person, because that request may know more records;
// those of EraseCustomer.
func beginErasure(tx *db.Tx, who accounts.Caller, customer id.Customer, found trace) error {
	known, err := customers.LockAll(tx, found.people)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(known, func(c customers.Customer) bool { return c.ID == customer })
	switch {
	case at < 0:
		return customers.Missing()
	case known[at].Status == customers.Erased:
		return errTraceAgain
	case known[at].Status == customers.Secondary:
		return writableCustomer(&known[at])
	}
	people, err := person(tx, customer)
	if err != nil {
		return err
	}
	e := &erasure{tx: tx, people: people, records: known}
	for i := range known {
		e.collectFromRecord(&known[i])
		for _, a := range known[i].Addresses {
			e.named = append(e.named, string(a.ID))
		}
	}
	if !slices.Equal(people, found.people) || !isSubset(e.known, found.texts.known) || !isSubset(e.named, found.named) {
		return errTraceAgain
	}
	n, err := orders.CountOf(tx, people)
	if err != nil {
		return err
	}
	if err := jobs.Interrupt(tx); err != nil { // in the first step, too: pulls do not store the person again meanwhile
		return err
	}
	if err := customers.ForgetSearched(tx, people); err != nil {
		return err
	}
	eraseRecords(tx, who, customer, known, n)
	jobs.Begin(tx, jobs.CustomerErasure, string(customer), sought{Names: found.texts.known, Resources: found.named}.text())
	return nil
}

// sought is the input of an erasure's job: what is known of the person after the record is empty. Its cursor is the
// last finished order.
type sought struct {
	Names     []string `json:"names"`     // of the person, to be found in texts
	Resources []string `json:"resources"` // ids of what only the record and its events named, such as addresses
}

func (s sought) text() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // texts always encode
	}
	return string(text)
}

func readSought(job *jobs.Job) (s sought, err error) { return s, json.Unmarshal([]byte(job.Input), &s) }

// erasureSteps are the steps of one erasure by one process.
type erasureSteps struct {
	*operation
	found     trace
	shipments []string // of the orders that were done
	anonymiser
}

// orders erases the person in the remaining orders, step by step.
func (s *erasureSteps) orders(ctx context.Context) error {
	for {
		var done *erasure
		more, err := s.step(ctx, func(tx *db.Tx, begun *jobs.Job) (bool, error) {
			left := after(s.found.orders, id.Order(begun.Cursor))
			if len(left) == 0 {
				return false, nil
			}
			left = left[:min(len(left), s.batch.Size)]
			e := &erasure{tx: tx, people: s.found.people, anonymiser: anonymiser{known: slices.Clone(s.known), words: s.words}}
			if err := e.orderStep(left); err != nil {
				return false, err
			}
			if begun.Cursor = string(left[len(left)-1]); len(e.known) > len(s.known) {
				now, err := readSought(begun)
				if err != nil {
					return false, err
				}
				now.Names = e.known
				begun.Input = now.text()
			}
			done = e
			return true, nil
		})
		if err != nil || !more {
			return err
		}
		if s.anonymiser = done.anonymiser; len(done.shipments) > 0 {
			for _, one := range done.shipments {
				s.shipments = append(s.shipments, string(one.ID))
			}
		}
	}
}

// orderStep locks some orders and erases the person in them and in their events. Of an order that was deleted
// meanwhile only the events are left.
func (e *erasure) orderStep(some []id.Order) (err error) {
	if e.orders, err = orders.LockSome(e.tx, some); err != nil {
		return err
	}
	if err := e.collectOrders(); err != nil {
		return err
	}
	e.resources = texts(some)
	for _, one := range e.shipments {
		e.resources = append(e.resources, string(one.ID))
	}
	about, err := webhooks.EventsOf(e.tx, 0, texts(some))
	if err != nil {
		return err
	}
	if err := e.loadEvents(about); err != nil {
		return err
	}
	if err := e.writeOrders(); err != nil {
		return err
	}
	e.writeEvents()
	return e.forgetAbout()
}

// texts erases the person in everything that was found, except for the events of orders that are done.
func (s *erasureSteps) texts(ctx context.Context) error {
	theirs := make(map[string]bool, len(s.found.orders))
	for _, order := range s.found.orders {
		theirs[string(order)] = true
	}
	events := slices.DeleteFunc(slices.Clone(s.found.events), func(e webhooks.EventRef) bool { return theirs[e.Resource] })
	found := s.found.texts
	err := inSteps(ctx, s, events, func(e *erasure, some []webhooks.EventRef) error {
		if err := e.loadEvents(some); err != nil {
			return err
		}
		e.writeEvents()
		return e.forgetAbout()
	})
	if err == nil {
		err = inSteps(ctx, s, found.answers, func(e *erasure, some []idempotency.Ref) (err error) {
			e.answers, err = idempotency.Load(e.tx, some)
			e.writeAnswers()
			return err
		})
	}
	if err == nil {
		err = inSteps(ctx, s, found.notes, func(e *erasure, some []stock.Note) (err error) {
			e.notes, err = stock.Reload(e.tx, some)
			for _, n := range e.notes {
				e.resources = append(e.resources, string(n.Movement))
			}
			e.writeNotes()
			return orElse(err, e.forgetAbout())
		})
	}
	if err == nil {
		err = inSteps(ctx, s, found.jobs, func(e *erasure, some []id.Job) error {
			if err := e.readJobs(some); err != nil {
				return err
			}
			e.writeJobs()
			e.writeEvents()
			return e.forgetAbout()
		})
	}
	if err == nil {
		err = inSteps(ctx, s, found.entries, func(e *erasure, some []id.Audit) error {
			audit.Empty(e.tx, some)
			return nil
		})
	}
	if err == nil {
		err = inSteps(ctx, s, found.authors, func(e *erasure, some []int64) error {
			webhooks.ForgetAuthors(e.tx, some)
			return nil
		})
	}
	if err == nil {
		err = inSteps(ctx, s, found.imports, func(e *erasure, some []id.Import) error {
			imports.Forget(e.tx, some, e.patterns())
			return nil
		})
	}
	return err
}

// forgetAbout deletes the notes of movements for the resources of a step, and receivers' answers to their events. The
// answers come last, because every read after this deletion waits for the account's change clock.
func (e *erasure) forgetAbout() error {
	slices.Sort(e.resources)
	e.resources = slices.Compact(e.resources)
	stock.ClearNotes(e.tx, e.resources)
	return webhooks.ForgetAnswers(e.tx, e.resources)
}

// inSteps handles all elements of a list, some of them in each step.
func inSteps[T any](ctx context.Context, s *erasureSteps, list []T, do func(e *erasure, some []T) error) error {
	for len(list) > 0 {
		some := list[:min(len(list), s.batch.Size*textsAtOnce)]
		_, err := s.step(ctx, func(tx *db.Tx, _ *jobs.Job) (bool, error) {
			return true, do(&erasure{tx: tx, people: s.found.people, anonymiser: anonymiser{known: slices.Clone(s.known), words: s.words}}, some)
		})
		if err != nil {
			return err
		}
		list = list[len(some):]
	}
	return nil
}

// after are the ids of a sorted list behind one of them, "" for all.
func after[T ~string](list []T, last T) []T {
	at, found := slices.BinarySearch(list, last)
	if found {
		at++
	}
	return list[at:]
}
