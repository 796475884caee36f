package commerce

import (
	"slices"

	"entrepot/internal/apperr"
	"entrepot/internal/audit"
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
var erasedTables = []string{"customers", "customer_tags", "customer_addresses", "orders", "order_lines", "order_history", "order_refunds",
	"shipments", "movements",
	"events", "attempts", "idempotency_keys", "jobs", "imports", "import_parts", "import_lines", "audit_log", "search_blocks", "search_loose",
	"dashboard_views", "segments"}

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
	answers   []idempotency.Kept
	forms     []idempotency.Kept // answers to forms of the dashboard, that name the person
	views     []views.View       // whose name or filter names the person
	segments  []*customers.Segment
	jobs      []jobs.Texts
	notes     []stock.Note // of any movement, that contain the person's data
}

// read finds all data of the person. It collects data from events before anything is replaced: they may have an
// earlier name or address.
func (e *erasure) read(found trace) (err error) {
	for i := range e.records {
		e.collectFromRecord(&e.records[i])
	}
	if e.personal, err = orders.PersonalOf(e.tx, e.orders); err != nil {
		return err
	}
	for _, p := range e.personal {
		e.collect(p.Name, p.Email)
	}
	if e.lines, err = orders.PersonalLines(e.tx, e.orders); err != nil {
		return err
	}
	if e.shipments, err = orders.PersonalShipments(e.tx, e.orders); err != nil {
		return err
	}
	if err := e.readEvents(found); err != nil {
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
	for _, n := range e.notes { // stored answers may be about them
		e.resources = append(e.resources, string(n.Movement))
	}
	if err = e.readSegments(); err != nil {
		return err
	}
	for _, s := range e.segments {
		e.resources = append(e.resources, string(s.ID))
	}
	slices.Sort(e.resources)
	e.resources = slices.Compact(e.resources)
	if e.answers, err = idempotency.About(e.tx, e.resources); err != nil {
		return err
	}
	if e.forms, err = idempotency.Under(e.tx, "POST /dashboard/", e.namedInside); err != nil {
		return err
	}
	if e.views, err = views.Matching(e.tx, e.namedInQuery); err != nil {
		return err
	}
	e.jobs, err = jobs.Matching(e.tx, e.patterns())
	return err
}

// readSegments finds and locks the segments whose name or tags contain the person's data.
func (e *erasure) readSegments() error {
	all, err := customers.Segments(e.tx)
	if err != nil {
		return err
	}
	for _, s := range all {
		if !slices.ContainsFunc(slices.Concat([]string{s.Name}, s.Rules.TagsAny, s.Rules.TagsAll), e.names) {
			continue
		}
		locked, err := customers.LockSegment(e.tx, s.ID)
		if err == nil {
			e.segments = append(e.segments, locked)
		} else if !apperr.Is(err, apperr.NotFound) { // deleted meanwhile
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
	var stamps []int64
	for _, m := range found {
		stamps, e.resources = append(stamps, m.Stamp), append(e.resources, m.Resource)
	}
	slices.Sort(stamps)
	if e.events, err = webhooks.LoadEvents(e.tx, slices.Compact(stamps)); err != nil {
		return err
	}
	for _, t := range e.events {
		e.resources = append(e.resources, e.collectFromEvent(t.Name, t.Payload)...)
	}
	return nil
}

// write queues all changes outside of the customers' own tables.
func (e *erasure) write() error {
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
	for _, k := range e.forms {
		k.Rewrite(e.tx, e.json(k.Body, formMembers))
	}
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
	for _, j := range e.jobs {
		j.Input, j.Cursor, j.Errors = e.json(j.Input, nil), e.redact(j.Cursor), e.json(j.Errors, nil)
		j.Save(e.tx)
	}
	audit.Forget(e.tx, e.patterns())
	imports.Forget(e.tx, e.patterns())
	return nil
}

// unlessNamed returns a text that does not contain the person's data, otherwise "".
func (e *erasure) unlessNamed(text string) string {
	if e.names(text) {
		return ""
	}
	return text
}
