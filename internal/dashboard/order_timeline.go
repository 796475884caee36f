package dashboard

import (
	"cmp"
	"slices"
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/orders"
	"entrepot/internal/webhooks"
)

// trailEntry is one step of an order's history, with the outcome of its deliveries.
type trailEntry struct {
	Tone, Glyph string
	Head, Text  string
	Changes     []change
	Events      string
	Heard       string // "Webhooks notified", "2 notifications failed"
	HeardTone   string
	HeardTo     string
	By          string
	At          stamp

	at int64
}

// trail is everything that happened to the order, newest first.
func (r *request) trail(f *orderFacts) []trailEntry {
	o := f.order
	var list []trailEntry
	add := func(at int64, e trailEntry) {
		e.at, e.At = at, r.format.Moment(at, "2 Jan, 15:04:05")
		e.By = cmp.Or(f.authors[at], e.By)
		list = append(list, e)
	}
	moved := map[int64]bool{} // times of status changes, which show what was shipped then
	for i, e := range o.History {
		shown := statusWords[e.Status]
		entry := trailEntry{Tone: dotTone(shown), Glyph: shown.Glyph, Head: shown.Word, By: r.by(f, e.Source, e.Actor)}
		switch {
		case i == 0:
			entry.Head = "Received"
			if o.ChannelName != "" {
				entry.Text = r.say("from %s", o.ChannelName)
			}
			if number := foreignNumber(o); number != "" {
				entry.Text += r.say(" as %s", number)
			}
		default:
			entry.Head = r.say(statusWords[e.Previous].Word) + " → " + r.say(shown.Word)
			for k := range o.Shipments {
				if o.Shipments[k].CreatedAt == e.At {
					entry.Text = r.shipmentWords(&o.Shipments[k])
				}
			}
			moved[e.At] = true
		}
		if e.Note != "" {
			entry.Text = strings.TrimSpace(entry.Text + " “" + e.Note + "”")
		}
		add(e.At, entry)
	}
	for i := range o.Shipments {
		if s := &o.Shipments[i]; !moved[s.CreatedAt] && s.CreatedAt != o.History[0].At {
			add(s.CreatedAt, trailEntry{Tone: "info", Glyph: "shipped", Head: "Shipped", Text: r.shipmentWords(s)})
		}
	}
	for _, e := range f.edits {
		entry := r.editEntry(o, &e)
		entry.By = r.by(f, e.Source, e.Actor)
		add(e.At, entry)
	}
	for _, refund := range o.Refunds {
		add(refund.CreatedAt, trailEntry{Tone: "odd", Glyph: "returned", Head: r.say("Refunded %s", r.format.Money(refund.Amount, o.Currency)),
			Text: refund.Reason})
	}
	for i := range o.Returns {
		one := &o.Returns[i]
		add(one.CreatedAt, trailEntry{Tone: "warn", Glyph: "returned", Head: "Return announced", Text: r.returnedUnits(o, one)})
		if one.UpdatedAt != one.CreatedAt && one.Status != orders.ReturnRequested {
			shown := returnWords[one.Status]
			add(one.UpdatedAt, trailEntry{Tone: dotTone(shown), Glyph: shown.Glyph, Head: r.say("Return %s", strings.ToLower(r.say(shown.Word)))})
		}
	}
	r.whoHeard(f, list)
	slices.SortStableFunc(list, func(a, b trailEntry) int { return cmp.Compare(b.at, a.at) })
	return list
}

// by is who did something.
func (r *request) by(f *orderFacts, source orders.Source, actor string) string {
	switch {
	case actor == accounts.Caller{User: r.session.User.ID}.Actor():
		return r.say("by you")
	case f.actors[actor] != "":
		return r.say("by %s", f.actors[actor])
	case source == orders.FromDashboard:
		return "in the dashboard"
	case strings.HasPrefix(actor, "key:"):
		return "by an API key"
	case strings.HasPrefix(actor, "user:"):
		return "by a user"
	case source == orders.FromChannel:
		return "by the channel"
	}
	return ""
}

func (r *request) shipmentWords(s *orders.Shipment) string {
	var n int64
	for _, l := range s.Lines {
		n += l.Quantity
	}
	words := r.format.plural(n, "unit", "units")
	if s.Carrier != "" {
		words += r.say(" with %s", s.Carrier)
	}
	return words
}

// fieldWords are people's words for changed members of an order.
var fieldWords = map[string]string{"sku": "SKU", "name": "name", "description": "description", "metadata": "metadata",
	"shippingAmount": "shipping", "discountAmount": "discount", "taxAmount": "tax", "total": "total", "shippingAddress": "shipping address",
	"billingAddress": "billing address", "paymentMetadata": "payment data", "notes": "note", "tags": "tags", "assignedTo": "assigned person", "carrier": "carrier",
	"trackingNumber": "tracking number", "trackingUrl": "tracking link", "shippedAt": "time of shipping"}

// editEntry describes an edit.
func (r *request) editEntry(o *orders.Order, e *orders.Edited) trailEntry {
	entry := trailEntry{Tone: "warn", Glyph: "processing", Head: "Details edited"}
	var others []string
	for _, c := range e.Changes {
		switch c.Field {
		case "shipment":
			return trailEntry{Tone: "idle", Glyph: "cancelled", Head: "Shipment deleted", Text: "its units are back in stock"}
		case "quantity", "unitPrice":
			entry.Head = "Lines edited"
			label := c.SKU
			if l := o.Line(c.Line); l != nil && l.Name != "" {
				label = l.Name
			}
			if c.Field == "unitPrice" {
				label += ", price"
			}
			entry.Changes = append(entry.Changes, change{Label: label, From: r.changed(c.Field, c.From, o), To: r.changed(c.Field, c.To, o)})
		case "shippingAmount", "discountAmount", "taxAmount", "total":
			entry.Changes = append(entry.Changes, change{Label: fieldWords[c.Field], From: r.changed(c.Field, c.From, o),
				To: r.changed(c.Field, c.To, o)})
		default:
			others = append(others, fieldWords[c.Field])
		}
	}
	entry.Text = strings.Join(slices.Compact(others), ", ")
	return entry
}

// changed is a stored value as people read it; a line that was not there had none.
func (r *request) changed(field, value string, o *orders.Order) string {
	if value == "" {
		return "none"
	}
	if field == "quantity" {
		return r.format.plain(value)
	}
	amount, err := money.Parse(value)
	if err != nil {
		return value
	}
	return r.format.Money(amount, o.Currency)
}

// whoHeard adds to each step its events and the outcome of their deliveries. Of several steps of one moment, such as
// a deleted shipment and the status that it leaves, the first of the list has them.
func (r *request) whoHeard(f *orderFacts, list []trailEntry) {
	named := map[int64]bool{}
	for i := range list {
		e := &list[i]
		if named[e.at] {
			continue
		}
		named[e.at] = true
		var names []string
		var waiting, failed, delivered int64
		var bad id.Delivery
		for k := range f.heard {
			h := &f.heard[k]
			if h.EventAt != e.at {
				continue
			}
			if !slices.Contains(names, h.Name) {
				names = append(names, h.Name)
			}
			switch {
			case h.State == webhooks.Delivered:
				delivered++
			case h.State == webhooks.Failed || h.Attempts > 0:
				failed, bad = failed+1, h.ID
			default:
				waiting++
			}
		}
		slices.Sort(names)
		e.Events = strings.Join(names, ", ")
		switch {
		case failed > 0:
			e.Heard, e.HeardTone = r.format.plural(failed, "notification failed", "notifications failed"), "bad"
			e.HeardTo = r.deliveryPage(bad)
		case waiting > 0:
			e.Heard, e.HeardTone = r.format.plural(waiting, "notification waiting", "notifications waiting"), "muted"
		case delivered > 0:
			e.Heard, e.HeardTone = "Webhooks notified", "good"
		}
	}
}

// deliveryPage is the page of a delivery, "" when there is none.
func (r *request) deliveryPage(delivery id.Delivery) string {
	if !r.d.has("/webhooks/deliveries/{id}") {
		return ""
	}
	return prefix + "/webhooks/deliveries/" + string(delivery)
}

// endpointCard shows what one endpoint received about the order.
type endpointCard struct {
	Name, To, Words string
	Next            stamp // the next attempt, if one is due
	Tone, Glyph     string
}

// endpointCards are the endpoints that receive events of the order, failing ones first.
func (r *request) endpointCards(f *orderFacts) (list []endpointCard) {
	type tally struct{ delivered, failed, waiting, next int64 }
	all := map[id.Endpoint]*tally{}
	newest := map[id.Endpoint]id.Delivery{}
	for i := range f.heard {
		h := &f.heard[i]
		t := all[h.Endpoint]
		if t == nil {
			t = &tally{}
			all[h.Endpoint], newest[h.Endpoint] = t, h.ID
		}
		switch h.State {
		case webhooks.Delivered:
			t.delivered++
		case webhooks.Failed:
			t.failed++
		default:
			if t.waiting++; h.DueAt != 0 && (t.next == 0 || h.DueAt < t.next) {
				t.next = h.DueAt
			}
		}
	}
	for endpoint, t := range all {
		name := f.endpoints[endpoint]
		if name == "" {
			name = "Deleted endpoint"
		}
		card := endpointCard{Name: name, To: r.deliveryPage(newest[endpoint]), Tone: "good", Glyph: "ok"}
		var words []string
		if t.failed > 0 {
			card.Tone, card.Glyph = "bad", "fail"
			words = append(words, r.say("%s failed", r.format.Count(t.failed)))
		}
		if t.waiting > 0 {
			if card.Tone == "good" {
				card.Tone, card.Glyph = "warn", "wait"
			}
			words = append(words, r.say("%s waiting", r.format.Count(t.waiting)))
			if t.next > 0 {
				card.Next = r.format.Due(t.next)
			}
		}
		if t.delivered > 0 {
			words = append(words, r.say("%s sent", r.format.Count(t.delivered)))
		}
		card.Words = strings.Join(words, " · ")
		list = append(list, card)
	}
	slices.SortFunc(list, func(a, b endpointCard) int { return cmp.Or(cmp.Compare(a.Tone, b.Tone), cmp.Compare(a.Name, b.Name)) })
	return list
}
