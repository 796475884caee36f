package commerce

import (
	"slices"
	"strings"

	"entrepot/internal/apperr"
	"entrepot/internal/audit"
	"entrepot/internal/channelsync"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/idempotency"
	"entrepot/internal/imports"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
	"entrepot/internal/postal"
	"entrepot/internal/stock"
	"entrepot/internal/views"
	"entrepot/internal/webhooks"
)

// erasedTables are the tables in which an erasure changes or deletes rows about the person, or which had such rows
// before: their files are scrubbed.
var erasedTables = []string{"customers", "customer_tags", "customer_addresses", "orders", "order_lines", "order_history", "order_refunds", "order_returns",
	"shipments", "movements",
	"events", "attempts", "idempotency_keys", "jobs", "imports", "import_parts", "import_lines", "audit_log", "search_blocks", "search_loose",
	"dashboard_views", "segments", "erasures", "channel_syncs"}

// erasure is the state of one erasure: everything is read first, then everything is written.
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
	resources []string // that events, deliveries, movements and kept answers may be about
	named     []string // of these, those that only the records and events of the person name
	answers   []idempotency.Kept
	views     []views.View // whose name or filter names the person
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

// collectAll reads the person's orders and events, and collects all names of the person in them: events may have an earlier
// name or address. Afterwards resources are those that stored answers may be about.
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

// read finds all data of the person, before anything is replaced. again is true if it must be found on a newer snapshot.
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
	if e.views, err = views.Matching(e.tx, e.namedInQuery); err != nil {
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
	views.DeleteMatched(e.tx, e.views)
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
	var answers []idempotency.Kept
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
