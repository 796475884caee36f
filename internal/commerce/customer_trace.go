package commerce

import (
	"slices"

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

// trace is where a customer's data is in the event log and in texts of all kinds, found before the erasure so that the
// erasure itself need not read all of them.
type trace struct {
	people []id.Customer
	orders []id.Order
	upTo   int64 // a stamp: newer events were not read
	events []webhooks.EventRef
	texts  *foundTexts
	named  []string // resources that only the records and events of the person name
	begun  bool     // the record is erased and the rest is being erased in steps
}

// foundTexts is where texts outside of the person's records and orders contain the person's data.
type foundTexts struct {
	since     int64    // what was written later may not be in it
	known     []string // that were searched for
	resources []string // about which stored answers were searched for

	answers []idempotency.Ref
	notes   []stock.Note
	jobs    []id.Job
	entries []id.Audit
	imports []id.Import
	authors []int64 // stamps of the events whose author's name or request id contains it
}

// traceCustomer searches on a snapshot, which delays no other work. since is the time after which anything was written that the
// snapshot lacks. Of a person who is erased there is nothing to find.
func traceCustomer(tx *db.Tx, customer id.Customer, since int64) (t trace, err error) {
	t.texts = &foundTexts{since: since}
	if t.people, err = person(tx, customer); err != nil {
		return t, err
	}
	e := &erasure{tx: tx, people: t.people}
	if e.records, err = customers.ReadAll(tx, t.people); err != nil {
		return t, err
	}
	begun, err := customers.ErasingOf(tx, customer)
	if err != nil {
		return t, err
	}
	if t.begun = begun != nil; t.begun {
		e.known, e.named = begun.Names, begun.Resources
	} else if isErased(e.records, customer) {
		return t, nil
	}
	if t.orders, err = orders.Of(tx, t.people); err != nil {
		return t, err
	}
	slices.Sort(t.orders)
	if t.upTo, err = webhooks.Newest(tx); err != nil {
		return t, err
	}
	if t.events, err = findEvents(tx, 0, t.people, t.orders); err != nil {
		return t, err
	}
	e.orders = t.orders
	if err := e.collectAll(t); err != nil {
		return t, err
	}
	t.texts.known, t.texts.resources, t.named = e.known, e.resources, e.named
	return t, e.search(t.texts, 0, 0)
}

func isErased(known []customers.Customer, customer id.Customer) bool {
	return slices.ContainsFunc(known, func(c customers.Customer) bool { return c.ID == customer && c.Status == customers.Erased })
}

// traceNewer searches on a newer snapshot for what was written since, when everything that old has is erased. again is true if the person
// has got another name meanwhile: then all must be searched for that.
func traceNewer(tx *db.Tx, old trace, since int64) (t trace, again bool, err error) {
	t = trace{people: old.people, orders: old.orders, named: old.named, begun: true}
	if t.upTo, err = webhooks.Newest(tx); err != nil {
		return t, false, err
	}
	if t.events, err = findEvents(tx, old.upTo, t.people, t.orders); err != nil {
		return t, false, err
	}
	e := &erasure{tx: tx, people: t.people, anonymiser: anonymiser{known: slices.Clone(old.texts.known)}}
	if err := e.loadEvents(t.events); err != nil {
		return t, false, err
	}
	t.texts = &foundTexts{since: since, known: e.known, resources: slices.Concat(old.texts.resources, e.resources)}
	return t, len(e.known) > len(old.texts.known), e.search(t.texts, old.texts.since, old.upTo)
}

// search adds the texts that contain the person's data, all of them or those written since a time, movements after a stamp.
func (e *erasure) search(found *foundTexts, since, after int64) error {
	notes, err := stock.Notes(e.tx, after, e.names)
	if err != nil {
		return err
	}
	found.notes = append(found.notes, notes...)
	about := make(map[string]bool, len(e.resources)+len(found.resources))
	for _, r := range slices.Concat(e.resources, found.resources) {
		about[r] = true
	}
	for _, n := range found.notes { // stored answers may be about them
		about[string(n.Movement)] = true
	}
	if e.segments, err = e.namedSegments(); err != nil {
		return err
	}
	for _, s := range e.segments {
		about[string(s.ID)] = true
	}
	answers, err := idempotency.Search(e.tx, since, func(r string) bool { return about[r] }, forms, e.namedInside)
	if err != nil {
		return err
	}
	patterns := e.patterns()
	work, err := jobs.Search(e.tx, since, patterns)
	if err != nil {
		return err
	}
	entries, err := audit.Search(e.tx, since, patterns)
	if err != nil {
		return err
	}
	authors, err := webhooks.AuthorsNaming(e.tx, after, patterns)
	if err != nil {
		return err
	}
	found.authors = append(found.authors, authors...)
	lists, err := imports.Search(e.tx, since, patterns)
	found.answers, found.jobs = append(found.answers, answers...), append(found.jobs, work...)
	found.entries, found.imports = append(found.entries, entries...), append(found.imports, lists...)
	return err
}

// texts completes what was found on the snapshot by what was written since. If the person has got another name or record
// meanwhile, or the clock was set back, all texts must be searched: again is true, unless that is to be done here.
func (e *erasure) texts(found trace, last bool) (all *foundTexts, again bool, err error) {
	known := found.texts
	if e.tx.Micros() < known.since || !isSubset(e.known, known.known) || !isSubset(e.resources, known.resources) {
		if !last {
			return nil, true, nil
		}
		all = &foundTexts{}
		return all, false, e.search(all, 0, 0)
	}
	all = &foundTexts{resources: known.resources, answers: known.answers, notes: known.notes, jobs: known.jobs, entries: known.entries,
		imports: known.imports, authors: known.authors}
	return all, false, e.search(all, known.since, found.upTo)
}

func isSubset(list, of []string) bool {
	all := make(map[string]bool, len(of))
	for _, text := range of {
		all[text] = true
	}
	for _, text := range list {
		if !all[text] {
			return false
		}
	}
	return true
}

// person is a customer and all records merged into it.
func person(tx *db.Tx, customer id.Customer) ([]id.Customer, error) {
	merged, err := customers.MergedInto(tx, customer)
	return append([]id.Customer{customer}, merged...), err
}

// findEvents finds the events about people and their orders, including orders deleted since: some events of these have
// the customer's id, and so lead to the rest.
func findEvents(tx *db.Tx, after int64, people []id.Customer, theirs []id.Order) ([]webhooks.EventRef, error) {
	resources := append(texts(people), texts(theirs)...)
	list, err := webhooks.EventsOf(tx, after, resources)
	if err != nil {
		return nil, err
	}
	naming, err := webhooks.EventsNaming(tx, after, texts(people))
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, r := range resources {
		known[r] = true
	}
	var more []string
	for _, m := range naming {
		if !known[m.Resource] {
			known[m.Resource] = true
			more = append(more, m.Resource)
		}
	}
	rest, err := webhooks.EventsOf(tx, 0, more)
	return slices.Concat(list, naming, rest), err
}

func texts[T ~string](ids []T) []string {
	list := make([]string, len(ids))
	for i, v := range ids {
		list[i] = string(v)
	}
	return list
}
