package commerce

import (
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/apijson"
	"entrepot/internal/apperr"
	"entrepot/internal/audit"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/idempotency"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// erasedTables are where a person's rows are changed or deleted by an erasure, or were before it: their files are scrubbed.
var erasedTables = []string{"customers", "customer_tags", "customer_addresses", "orders", "order_lines", "order_history", "order_refunds", "shipments", "movements",
	"events", "attempts", "idempotency_keys", "jobs", "audit_log"}

// Trace is where a customer was found in the event log before the erasure, so that the erasure itself need not read the whole log.
type Trace struct {
	people   []id.Customer
	upTo     int64 // stamp: what is newer was not looked at
	mentions []webhooks.EventRef
}

// TraceCustomer looks through the event log on a snapshot; other work goes on meanwhile.
func (s *Service) TraceCustomer(tx *db.Tx, customer id.Customer) (t Trace, err error) {
	if t.people, err = person(tx, customer); err != nil {
		return t, err
	}
	theirs, err := orders.Of(tx, t.people)
	if err != nil {
		return t, err
	}
	if t.upTo, err = webhooks.Newest(tx); err != nil {
		return t, err
	}
	t.mentions, err = mentions(tx, 0, t.people, theirs)
	return t, err
}

// person is a customer and the records that were merged into it.
func person(tx *db.Tx, customer id.Customer) ([]id.Customer, error) {
	merged, err := customers.MergedInto(tx, customer)
	return append([]id.Customer{customer}, merged...), err
}

// mentions finds the events about people and their orders, those of orders that were deleted since included: some of their events
// name the customer, and so lead to the rest.
func mentions(tx *db.Tx, after int64, people []id.Customer, theirs []id.Order) ([]webhooks.EventRef, error) {
	resources := append(texts(people), texts(theirs)...)
	known := map[string]bool{}
	for _, r := range resources {
		known[r] = true
	}
	list, err := webhooks.Mentions(tx, after, resources, texts(people))
	if err != nil {
		return nil, err
	}
	var more []string
	for _, m := range list {
		if !known[m.Resource] {
			known[m.Resource] = true
			more = append(more, m.Resource)
		}
	}
	if len(more) == 0 {
		return list, nil
	}
	rest, err := webhooks.Mentions(tx, 0, more, nil)
	return append(list, rest...), err
}

func texts[T ~string](ids []T) []string {
	list := make([]string, len(ids))
	for i, v := range ids {
		list[i] = string(v)
	}
	return list
}

// EraseCustomer forgets a person for good (interface §4.4): the record and those merged into it, their orders, and what is stored
// of them in the event log, in kept answers, jobs and notes. Orders keep amounts, lines and the country. It tells customer.erased.
// Erasing again changes nothing and says the same. The caller calls db.Scrub after the commit: until then the files still hold
// bytes of what is gone. Errors: NotFound; Conflict for a record merged into another, which is the one to erase.
func (s *Service) EraseCustomer(tx *db.Tx, who accounts.Caller, customer id.Customer, trace Trace) (records.Erasure, error) {
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
		return records.Erasure{}, apperr.Missing("customer")
	case known[at].Status == customers.Erased:
		return records.Erasure{ID: customer, ErasedAt: known[at].ErasedAt, Orders: known[at].ErasedOrders}, nil
	case known[at].Status == customers.Secondary:
		return records.Erasure{}, WritableCustomer(&known[at])
	}
	if now, err := person(tx, customer); err != nil || len(now) != len(people) {
		return records.Erasure{}, orRetry(err)
	}
	e := &erasure{tx: tx, people: people, orders: theirs, records: known}
	if err := e.read(trace); err != nil {
		return records.Erasure{}, err
	}
	e.write()
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
	webhooks.Record(tx, webhooks.New(webhooks.CustomerErased, string(customer), func(w *apijson.Writer) { records.WriteErasure(w, "", result) }))
	return result, nil
}

func orRetry(err error) error {
	if err == nil {
		return db.Retry
	}
	return err
}

// erasure is one on its way: everything is read first, then everything is written.
type erasure struct {
	tx      *db.Tx
	people  []id.Customer
	orders  []id.Order
	records []customers.Customer
	anonymiser

	personal  []orders.Personal
	lines     []orders.PersonalLine
	shipments []orders.PersonalShipment
	events    []webhooks.Told
	resources []string // that events, deliveries, movements and kept answers may be about
	answers   []idempotency.Kept
	jobs      []jobs.Texts
	notes     []stock.Note // of any movement, that name the person
}

// read finds everything that tells of the person. What events tell is learnt before anything is struck out: they may know a name
// or an address from before a change.
func (e *erasure) read(trace Trace) (err error) {
	for i := range e.records {
		e.knowRecord(&e.records[i])
	}
	if e.personal, err = orders.PersonalOf(e.tx, e.orders); err != nil {
		return err
	}
	for _, p := range e.personal {
		e.know(p.Name, p.Email)
	}
	if e.lines, err = orders.PersonalLines(e.tx, e.orders); err != nil {
		return err
	}
	if e.shipments, err = orders.PersonalShipments(e.tx, e.orders); err != nil {
		return err
	}
	if err := e.readEvents(trace); err != nil {
		return err
	}
	for _, s := range e.shipments {
		e.resources = append(e.resources, string(s.ID))
	}
	for i := range e.records {
		for _, a := range e.records[i].Addresses {
			e.resources = append(e.resources, string(a.ID))
		}
	}
	if e.notes, err = stock.Notes(e.tx, e.names); err != nil {
		return err
	}
	for _, n := range e.notes { // answers are kept about them, too
		e.resources = append(e.resources, string(n.Movement))
	}
	slices.Sort(e.resources)
	e.resources = slices.Compact(e.resources)
	if e.answers, err = idempotency.About(e.tx, e.resources); err != nil {
		return err
	}
	if e.jobs, err = jobs.Mentioning(e.tx, e.patterns()); err != nil {
		return err
	}
	return webhooks.ForgetAnswers(e.tx, e.resources)
}

func (e *erasure) readEvents(trace Trace) error {
	after := int64(0)
	if slices.Equal(slices.Sorted(slices.Values(trace.people)), slices.Sorted(slices.Values(e.people))) {
		after = trace.upTo
	}
	found, err := mentions(e.tx, after, e.people, e.orders)
	if err != nil {
		return err
	}
	if after > 0 {
		found = append(found, trace.mentions...)
	}
	e.resources = append(texts(e.people), texts(e.orders)...)
	var stamps []int64
	for _, m := range found {
		stamps, e.resources = append(stamps, m.Stamp), append(e.resources, m.Resource)
	}
	slices.Sort(stamps)
	if e.events, err = webhooks.Tell(e.tx, slices.Compact(stamps)); err != nil {
		return err
	}
	for _, t := range e.events {
		e.resources = append(e.resources, e.learn(t.Name, t.Payload)...)
	}
	return nil
}

// write queues all that changes outside of the customers' own tables.
func (e *erasure) write() {
	for i := range e.personal {
		p := &e.personal[i]
		p.Shipping, p.Billing = NormalAddress(addressOf(p.Shipping)), addressOf(p.Billing)
		p.TrackingCarrier, p.TrackingNumber, p.TrackingURL = e.unlessNamed(p.TrackingCarrier), e.unlessNamed(p.TrackingNumber), e.unlessNamed(p.TrackingURL)
		if e.names(p.ExternalReference) {
			p.ExternalReference = "erased-" + string(p.ID)
		}
	}
	orders.Anonymise(e.tx, e.personal)
	for _, old := range e.lines {
		l := old
		l.Name, l.Description = e.redact(l.Name), e.redact(l.Description)
		if l.Metadata != "" {
			l.Metadata = e.json(l.Metadata, nil)
		}
		if l != old {
			l.Save(e.tx)
		}
	}
	for _, old := range e.shipments {
		s := old
		s.Carrier, s.TrackingNumber, s.TrackingURL = e.unlessNamed(s.Carrier), e.unlessNamed(s.TrackingNumber), e.unlessNamed(s.TrackingURL)
		if s != old {
			s.Save(e.tx)
		}
	}
	for _, n := range e.notes {
		n.Text = e.redact(n.Text)
		n.Save(e.tx)
	}
	stock.ClearNotes(e.tx, e.resources)
	for _, t := range e.events {
		if payload := e.json(t.Payload, eventMembers(t.Name)); payload != t.Payload {
			t.Rewrite(e.tx, payload)
		}
	}
	for _, k := range e.answers {
		if body := e.json(k.Body, answerMembers(k.Space)); body != k.Body {
			k.Rewrite(e.tx, body)
		}
	}
	for _, j := range e.jobs {
		j.Input, j.Cursor, j.Errors = e.json(j.Input, nil), e.redact(j.Cursor), e.json(j.Errors, nil)
		j.Save(e.tx)
	}
	audit.Forget(e.tx, e.patterns())
}

// unlessNamed keeps a text that does not name the person.
func (e *erasure) unlessNamed(text string) string {
	if e.names(text) {
		return ""
	}
	return text
}
