package commerce

import (
	"cmp"
	"slices"
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/postal"
	"entrepot/internal/channelsync"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/exports"
	"entrepot/internal/idempotency"
	"entrepot/internal/imports"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// This file finds, reads and writes a person's data in all tables: traceCustomer searches a snapshot before the
// erasure, erasure reads what was found and replaces it in a transaction. customer_erase_text.go has the rules for
// single texts.

// trace says where a customer's data is in the event log and in other texts. It is found before the erasure, so that
// the transactions of the erasure need not read the whole log.
type trace struct {
	people []id.Customer
	orders []id.Order
	upTo   int64 // a stamp: newer events were not read
	events []webhooks.EventRef
	texts  *foundTexts
	named  []string // resources that only the records and events of the person name
	begun  bool     // the record is erased, and the rest is being erased in steps
}

// foundTexts says which texts outside of the person's records and orders contain the person's data.
type foundTexts struct {
	since     int64    // texts that were written after this time may be missing
	known     []string // the person's names, e-mails and phone numbers that were searched for
	resources []string // ids of records; stored answers about these records were searched for

	answers []idempotency.Ref
	notes   []stock.Note
	jobs    []id.Job
	entries []id.Audit
	imports []id.Import
	authors []int64 // stamps of the events whose author's name or request id contains it
}

// traceCustomer searches a snapshot for a customer's data, which delays no other work. Everything that the snapshot
// lacks was written after the time since. It finds nothing of a person whose erasure has ended.
func traceCustomer(tx *db.Tx, customer id.Customer, since int64) (t trace, err error) {
	t.texts = &foundTexts{since: since}
	if t.people, err = person(tx, customer); err != nil {
		return t, err
	}
	e := &erasure{tx: tx, people: t.people}
	if e.records, err = customers.ReadAll(tx, t.people); err != nil {
		return t, err
	}
	begun, err := jobs.Operation(tx, jobs.CustomerErasure, string(customer))
	if err != nil {
		return t, err
	}
	if t.begun = begun != nil; t.begun {
		sought, err := readSought(begun)
		if err != nil {
			return t, err
		}
		e.known, e.named = sought.Names, sought.Resources
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

// traceNewer searches a newer snapshot for what was written after old was found; everything in old is erased already.
// again is true if the person has got another name meanwhile: then everything must be searched for the new name.
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

// search adds the texts that contain the person's data to found: all texts, or those written since a time in
// microseconds, and those of movements and events after a stamp.
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

// texts adds what was written after the snapshot to what was found on it. If the person has got another name or
// record meanwhile, or the clock was set back, all texts must be searched: texts does so if last is true, otherwise
// again is true.
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

// findEvents finds the events about people and their orders. An order that was deleted since is found because some of
// its events have the customer's id, and the order's id leads to its other events.
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

// erasedTables are the tables with rows about the person, present or past, which an erasure changes or deletes. The
// bytes of the old rows are scrubbed from the store's files.
var erasedTables = []string{"customers", "customer_tags", "customer_addresses", "orders", "order_lines", "order_history", "order_refunds", "order_returns", "order_tags",
	"shipments", "movements",
	"events", "attempts", "idempotency_keys", "jobs", "imports", "import_parts", "import_lines", "exports", "export_parts", "audit_log", "search_blocks", "search_loose",
	"dashboard_views", "segments", "channel_syncs"}

// erasure is the state of one transaction of an erasure: it reads everything first, then writes everything.
type erasure struct {
	tx      *db.Tx
	people  []id.Customer
	orders  []id.Order
	records []customers.Customer
	anonymiser

	personal  []orders.Personal
	lines     []orders.PersonalLine
	shipments []orders.PersonalShipment
	events    []webhooks.LoggedEvent
	resources []string // that events, deliveries, movements and stored answers may be about
	named     []string // those of them that only the person's records and events name
	answers   []idempotency.StoredAnswer
	views     []accounts.SavedView // whose name or filter names the person
	segments  []*customers.Segment
	jobs      []jobs.Texts
	channels  []channelsync.LastError
	entries   []id.Audit
	imports   []id.Import
	authors   []int64      // stamps of events
	notes     []stock.Note // of any movement, that contain the person's data
}

// forms is how requests to forms of the dashboard begin: answers to them may name the person.
const forms = "POST /dashboard/"

// collectAll reads the person's orders and events, and collects all names of the person in them: an event may have an
// earlier name or address. Afterwards e.resources has the ids of all records that stored answers may be about.
func (e *erasure) collectAll(found trace) (err error) {
	for i := range e.records {
		e.collectFromRecord(&e.records[i])
	}
	if err := e.collectOrders(); err != nil {
		return err
	}
	if err := e.readEvents(found); err != nil {
		return err
	}
	for i := range e.records {
		for _, a := range e.records[i].Addresses {
			e.named = append(e.named, string(a.ID))
		}
	}
	for _, s := range e.shipments {
		e.resources = append(e.resources, string(s.ID))
	}
	e.resources = append(e.resources, e.named...)
	slices.Sort(e.resources)
	e.resources = slices.Compact(e.resources)
	return nil
}

// collectOrders reads the person's orders, with their lines and shipments, and collects the names in them.
func (e *erasure) collectOrders() (err error) {
	if e.personal, err = orders.PersonalOf(e.tx, e.orders); err != nil {
		return err
	}
	for _, p := range e.personal {
		e.collect(p.Name, p.Email)
	}
	if e.lines, err = orders.PersonalLines(e.tx, e.orders); err != nil {
		return err
	}
	e.shipments, err = orders.PersonalShipments(e.tx, e.orders)
	return err
}

// read finds all data of the person, before anything is replaced. again is true if it must be found on a newer
// snapshot.
func (e *erasure) read(found trace, last bool) (again bool, err error) {
	if err := e.collectAll(found); err != nil {
		return false, err
	}
	if err := imports.LockUnderWay(e.tx); err != nil {
		return false, err
	}
	if err := jobs.Interrupt(e.tx); err != nil {
		return false, err
	}
	all, again, err := e.texts(found, last)
	if err != nil || again {
		return again, err
	}
	if e.notes, err = stock.Reload(e.tx, all.notes); err != nil {
		return false, err
	}
	if err := e.lockSegments(); err != nil {
		return false, err
	}
	for _, n := range e.notes {
		e.resources = append(e.resources, string(n.Movement))
	}
	if e.answers, err = idempotency.Load(e.tx, all.answers); err != nil {
		return false, err
	}
	if e.views, err = accounts.ViewsMatching(e.tx, e.namedInQuery); err != nil {
		return false, err
	}
	e.entries, e.imports, e.authors = all.entries, all.imports, all.authors
	if e.channels, err = channelsync.LastErrors(e.tx, e.names); err != nil {
		return false, err
	}
	return false, e.readJobs(all.jobs)
}

// namedSegments finds the segments whose name or tags contain the person's data.
func (e *erasure) namedSegments() (list []*customers.Segment, err error) {
	all, err := customers.Segments(e.tx)
	for i := range all {
		if s := &all[i]; slices.ContainsFunc(slices.Concat([]string{s.Name}, s.Rules.TagsAny, s.Rules.TagsAll), e.names) {
			list = append(list, s)
		}
	}
	return list, err
}

// lockSegments locks the segments that were found; those deleted meanwhile are left out.
func (e *erasure) lockSegments() error {
	found := e.segments
	e.segments = nil
	for _, s := range found {
		locked, err := customers.LockSegment(e.tx, s.ID)
		if err == nil {
			e.segments = append(e.segments, locked)
		} else if !apperr.Is(err, apperr.NotFound) {
			return err
		}
	}
	return nil
}

// readEvents finds the events about the person: those of the trace, and newer ones.
func (e *erasure) readEvents(known trace) error {
	after := int64(0)
	if slices.Equal(slices.Sorted(slices.Values(known.people)), slices.Sorted(slices.Values(e.people))) {
		after = known.upTo
	}
	found, err := findEvents(e.tx, after, e.people, e.orders)
	if err != nil {
		return err
	}
	if after > 0 {
		found = append(found, known.events...)
	}
	e.resources = append(texts(e.people), texts(e.orders)...)
	return e.loadEvents(found)
}

// loadEvents loads events and collects the names, and the ids of other records, in them.
func (e *erasure) loadEvents(found []webhooks.EventRef) (err error) {
	var stamps []int64
	for _, m := range found {
		stamps, e.resources = append(stamps, m.Stamp), append(e.resources, m.Resource)
	}
	slices.Sort(stamps)
	if e.events, err = webhooks.LoadEvents(e.tx, slices.Compact(stamps)); err != nil {
		return err
	}
	for _, t := range e.events {
		more := e.collectFromEvent(t.Name, t.Payload)
		if e.resources = append(e.resources, more...); strings.HasPrefix(t.Name, "customer.") {
			e.named = append(e.named, more...)
		}
	}
	return nil
}

// write queues all changes outside of the customers' own tables.
func (e *erasure) write() error {
	if err := e.writeOrders(); err != nil {
		return err
	}
	e.writeNotes()
	stock.ClearNotes(e.tx, e.resources)
	e.writeEvents()
	e.writeAnswers()
	accounts.DeleteViews(e.tx, e.views)
	for _, s := range e.segments {
		s.Name, s.UpdatedAt = e.redact(s.Name), max(e.tx.Micros(), s.UpdatedAt+1)
		for _, tags := range [][]string{s.Rules.TagsAny, s.Rules.TagsAll} {
			for i, tag := range tags {
				tags[i] = e.redact(tag)
			}
		}
		s.Save(e.tx)
	}
	e.writeJobs()
	for _, c := range e.channels {
		c.Text = e.redact(c.Text)
		c.Save(e.tx)
	}
	audit.Empty(e.tx, e.entries)
	webhooks.ForgetAuthors(e.tx, e.authors)
	imports.Forget(e.tx, e.imports, e.patterns())
	exports.Forget(e.tx)
	return nil
}

func (e *erasure) writeOrders() error {
	for i := range e.personal {
		p := &e.personal[i]
		p.Shipping, p.Billing = postal.Normal(addressOf(p.Shipping)), addressOf(p.Billing)
		p.TrackingCarrier, p.TrackingNumber, p.TrackingURL = e.unlessNamed(p.TrackingCarrier), e.unlessNamed(p.TrackingNumber),
			e.unlessNamed(p.TrackingURL)
		if e.names(p.ExternalReference) {
			p.ExternalReference = "erased-" + string(p.ID)
		}
	}
	if err := orders.Anonymise(e.tx, e.personal); err != nil {
		return err
	}
	var lines []orders.PersonalLine
	for _, old := range e.lines {
		l := old
		l.Name, l.Description = e.redact(l.Name), e.redact(l.Description)
		if l.Metadata != "" {
			l.Metadata = e.json(l.Metadata, nil)
		}
		if l != old {
			lines = append(lines, l)
		}
	}
	orders.SaveLines(e.tx, lines)
	var shipments []orders.PersonalShipment
	for _, old := range e.shipments {
		s := old
		s.Carrier, s.TrackingNumber, s.TrackingURL = e.unlessNamed(s.Carrier), e.unlessNamed(s.TrackingNumber), e.unlessNamed(s.TrackingURL)
		if s != old {
			shipments = append(shipments, s)
		}
	}
	orders.SaveShipments(e.tx, shipments)
	return nil
}

func (e *erasure) writeNotes() {
	for _, n := range e.notes {
		n.Text = e.redact(n.Text)
		n.Save(e.tx)
	}
}

func (e *erasure) writeEvents() {
	var events []webhooks.LoggedEvent
	for _, t := range e.events {
		if payload := e.json(t.Payload, eventMembers(t.Name)); payload != t.Payload {
			t.Payload = payload
			events = append(events, t)
		}
	}
	webhooks.Rewrite(e.tx, events)
}

func (e *erasure) writeAnswers() {
	var answers []idempotency.StoredAnswer
	for _, k := range e.answers {
		members := answerMembers(k.Space)
		if strings.HasPrefix(k.Space, forms) && e.namedInside(k.Body) {
			members = formMembers
		}
		if body := e.json(k.Body, members); body != k.Body {
			k.Body = body
			answers = append(answers, k)
		}
	}
	idempotency.Rewrite(e.tx, answers)
}

// unlessNamed returns a text that does not contain the person's data, otherwise "".
func (e *erasure) unlessNamed(text string) string {
	if e.names(text) {
		return ""
	}
	return text
}

// readJobs reads jobs, and the events at their ends, which repeat the errors of the jobs.
func (e *erasure) readJobs(list []id.Job) (err error) {
	if e.jobs, err = jobs.Load(e.tx, list); err != nil {
		return err
	}
	about, err := webhooks.EventsOf(e.tx, 0, texts(list))
	if err != nil {
		return err
	}
	others := e.events
	if err := e.loadEvents(about); err != nil {
		return err
	}
	e.events = append(e.events, others...)
	slices.SortFunc(e.events, func(a, b webhooks.LoggedEvent) int { return cmp.Compare(a.Stamp, b.Stamp) })
	e.events = slices.CompactFunc(e.events, func(a, b webhooks.LoggedEvent) bool { return a.Stamp == b.Stamp })
	return nil
}

func (e *erasure) writeJobs() {
	for _, old := range e.jobs {
		j := old
		j.Input, j.Cursor, j.Errors = e.json(j.Input, nil), e.redact(j.Cursor), e.json(j.Errors, nil)
		j.Save(e.tx, old)
	}
}
