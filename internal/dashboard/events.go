package dashboard

import (
	"net/url"
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// eventRoutes are the event log.
var eventRoutes = []*route{
	{method: "GET", path: "/events", scope: "read:webhooks", serve: (*Dashboard).showEvents},
	{method: "GET", path: "/events/{id}", scope: "read:webhooks", serve: (*Dashboard).showEvent},
}

type eventRow struct {
	ID, Name, Resource, ResourceID, ResourceTo, To string
	Named                                          bool // Resource is a name and no id
	At                                             stamp
}

// eventRows are events of the log, with the names of their records.
func (d *Dashboard) eventRows(r *request, tx *db.Tx, list []webhooks.Logged) (rows []eventRow, err error) {
	subjects := make([]subject, len(list))
	for i, e := range list {
		subjects[i] = subject{e.Name, e.Resource, e.Payload}
	}
	names, err := r.subjectNames(tx, subjects)
	for _, e := range list {
		row := eventRow{ID: string(e.ID), Name: e.Name, Resource: e.Resource, ResourceID: e.Resource, To: prefix + "/events/" + string(e.ID),
			ResourceTo: r.resourcePage(e.Name, e.Resource), At: r.format.Moment(e.CreatedAt, "2 Jan, 15:04:05")}
		if name := names[e.Resource]; name != "" {
			row.Resource, row.Named = name, true
		}
		rows = append(rows, row)
	}
	return rows, err
}

// category is the category of an event: order.
func category(event string) string {
	first, _, _ := strings.Cut(event, ".")
	return first
}

// noEvents is the text for an account without events.
func (r *request) noEvents() *empty {
	return new(r.firstStep("write:products", empty{Icon: "pulse", Head: "No events yet",
		Text: "Every change of an order, a product, stock or a customer is an event. " +
			"The log keeps them in the order in which they were committed.",
		Label: "New product", To: prefix + "/products/new", Curl: r.curl("read:webhooks", "GET", "/developer/events?limit=10", "")}))
}

// showEvents serves GET /events: newest first.
func (d *Dashboard) showEvents(r *request) (answer, error) {
	l := r.listing("/events", "event", "events", "resourceId", "event", "from", "to")
	l.Shape = "few"
	l.Heads = []head{{Label: "Event"}, {Label: "When"}, {Label: "About"}}
	l.search("resourceId", "Id or SKU", "Id of a record, or a SKU")
	l.choice("event", "Event", "Any event", eventOptions()[1:]...)
	l.chip("About", "resourceId")
	l.span()
	f := webhooks.LogFilter{Event: l.query.Text("event"), Resource: l.query.Text("resourceId"), Newest: true, Limit: l.size}
	f.From, f.To = r.moments(l.query)
	if after, ok := id.Parse[id.Event](l.query.Text("after")); ok {
		f.After = after
	}
	view := listView[eventRow]{listing: l}
	err := r.readWide(func(tx *db.Tx) error {
		if l.wrong() {
			return nil
		}
		page, err := webhooks.Log(tx, f)
		if err != nil {
			return err
		}
		view.Rows, err = d.eventRows(r, tx, page.Events)
		next := ""
		if page.More {
			next = string(page.Next)
		}
		if l.rowsAfter(len(page.Events), "after", next) {
			l.Pager.Empty = r.noEvents()
		}
		return err
	})
	return l.show(screen{Template: "events", Title: "Event log", Section: "/events", Data: view}), err
}

type eventView struct {
	Row        eventRow
	Pairs      []pair
	Payload    []token
	Hidden     string
	Deliveries []deliveryRow
	All        string
}

// showEvent serves GET /events/{id}.
func (d *Dashboard) showEvent(r *request) (answer, error) {
	which, err := pathID[id.Event](r, "event")
	if err != nil {
		return answer{}, err
	}
	var view eventView
	err = r.read(func(tx *db.Tx) error {
		e, err := webhooks.EventByID(tx, which)
		if err != nil {
			return err
		}
		rows, err := d.eventRows(r, tx, []webhooks.Logged{e})
		if err != nil {
			return err
		}
		view = eventView{Row: rows[0], Pairs: []pair{{Name: "Kind", Value: e.Name, Mono: true}, {Name: "Event id", Value: string(e.ID),
			Mono: true}}}
		if by := strings.TrimPrefix(r.author(e.Actor, e.ActorName), "by "); by != "" {
			view.Pairs = append(view.Pairs, pair{Name: "By", Value: by})
		}
		if request := e.RequestID(); request != "" {
			view.Pairs = append(view.Pairs, pair{Name: "Request", Value: request, Mono: true})
		}
		if e.Resource != "" {
			view.Pairs = append(view.Pairs, pair{Name: "About", Value: rows[0].Resource, To: rows[0].ResourceTo, Mono: !rows[0].Named})
			view.All = address("/webhooks/deliveries", url.Values{"resourceId": {e.Resource}})
		}
		if r.caller().May(webhooks.ReadScope(e.Name)) {
			view.Payload = colour(e.Payload)
		} else {
			view.Hidden = "Your user may not read what this event is about."
		}
		names, _, err := endpointNames(tx)
		if err != nil {
			return err
		}
		list, err := webhooks.FirstOf(tx, e.Stamp)
		for i := range list {
			view.Deliveries = append(view.Deliveries, r.deliveryRow(&list[i], names[list[i].Endpoint]))
		}
		return err
	})
	return show(screen{Template: "event", Title: view.Row.Name, Section: "/events", Crumbs: []crumb{{"Event log", "/events"}, {"Event", ""}},
		Data: view}), err
}
