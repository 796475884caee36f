package commerce

import (
	"context"
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/idempotency"
	"entrepot/internal/imports"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// large reports whether an erasure is more than one transaction of n orders does without making others wait.
func (t trace) large(n int) bool {
	if t.begun || len(t.orders) > n {
		return true
	}
	found := t.texts
	return len(t.events)+len(found.answers)+len(found.notes)+len(found.jobs)+len(found.entries)+len(found.imports)+
		len(found.authors) > n*textsAtOnce
}

// eraseInSteps erases a person in short transactions, but for the end, which is left to eraseCustomer (decision 12). The first
// one empties the records: from then on nothing can be written to them, no order joins them, and the request is kept, so that it is ended
// after a crash, too. Then come the orders, each with its events, and then all other texts. Several processes may do this for one
// person. It returns what is left. Errors: errTraceAgain; those of EraseCustomer.
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
	steps := &erasureSteps{store: store, tenant: who.Tenant, customer: customer, found: found,
		stride: s.newStride(store), anonymiser: anonymiser{known: slices.Clone(found.texts.known)}}
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

// beginErasure empties the records of a person, and keeps what is needed to find the rest. Errors: errTraceAgain, also if another request
// has begun to erase the person, of whom it may know more records; those of EraseCustomer.
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
	(&customers.Erasing{Customer: customer, Names: found.texts.known, Resources: found.named}).Begin(tx)
	return nil
}

// erasureSteps are the steps of one erasure by one process.
type erasureSteps struct {
	store     *db.DB
	tenant    id.Tenant
	customer  id.Customer
	found     trace
	stride    *db.Stride
	shipments []string // of the orders that were done
	anonymiser
}

// step runs a transaction that does some of the work, after locking the erasure; do says whether there was anything to do.
func (s *erasureSteps) step(ctx context.Context, do func(tx *db.Tx, begun *customers.Erasing) (bool, error)) (more bool, err error) {
	return oneStep(ctx, s.store, s.tenant, s.stride, func(tx *db.Tx) (*customers.Erasing, error) {
		return customers.LockErasing(tx, s.customer)
	}, do)
}

// orders erases the person in the orders that are left, one step after the other.
func (s *erasureSteps) orders(ctx context.Context) error {
	for {
		var done *erasure
		more, err := s.step(ctx, func(tx *db.Tx, begun *customers.Erasing) (bool, error) {
			left := after(s.found.orders, begun.DoneTo)
			if len(left) == 0 {
				return false, nil
			}
			left = left[:min(len(left), s.stride.Size)]
			e := &erasure{tx: tx, people: s.found.people, anonymiser: anonymiser{known: slices.Clone(s.known), words: s.words}}
			if err := e.orderStep(left); err != nil {
				return false, err
			}
			if begun.DoneTo = left[len(left)-1]; len(e.known) > len(s.known) {
				begun.Names = e.known
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

// orderStep erases the person in some orders, which it locks, and in their events; of orders deleted meanwhile only the events are left.
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

// forgetAbout deletes the notes of movements for the resources of a step, and at last, because reads after it wait for the account's
// clock, what receivers answered to their events.
func (e *erasure) forgetAbout() error {
	slices.Sort(e.resources)
	e.resources = slices.Compact(e.resources)
	stock.ClearNotes(e.tx, e.resources)
	return webhooks.ForgetAnswers(e.tx, e.resources)
}

// inSteps does something with all elements of a list, some of them in each step.
func inSteps[T any](ctx context.Context, s *erasureSteps, list []T, do func(e *erasure, some []T) error) error {
	for len(list) > 0 {
		some := list[:min(len(list), s.stride.Size*textsAtOnce)]
		_, err := s.step(ctx, func(tx *db.Tx, _ *customers.Erasing) (bool, error) {
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
